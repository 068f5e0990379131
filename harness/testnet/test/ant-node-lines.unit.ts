import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { readImages } from '../../image/index.ts';
import type { RecordedEvent } from '../../record/index.ts';
import { resolveTopologyText } from '../../topology/index.ts';
import { NodeLog } from '../node-log.ts';

const PEER = 'a3'.repeat(32);
const KEY = '5f'.repeat(32);
const AT = '2026-11-30T01:00:00.123456Z';

const [NODE] = resolveTopologyText(
  'nodes: [{role: joiner, image: "ant-node:0.23.1"}]',
  'test.yaml',
  {},
  { images: readImages() },
).nodes;

/** A line as the node's own formatter writes it: flat, stamped with its build. */
function line(message: string, fields: Readonly<Record<string, unknown>> = {}): string {
  const target = 'ant_node::replication';
  return JSON.stringify({
    timestamp: AT,
    level: 'INFO',
    message,
    ...fields,
    target,
    node_version: '0.23.1',
    node_commit: 'unknown',
  });
}

function read(...lines: readonly string[]): { readonly events: RecordedEvent[]; readonly log: NodeLog } {
  const events: RecordedEvent[] = [];
  const log = new NodeLog({
    node: 'joiner-1',
    adapters: NODE?.adapters ?? [],
    onEvent: (event) => events.push(event),
    onLine: () => undefined,
  });
  for (const one of lines) log.accept('stdout', one);
  return { events, log };
}

function only(text: string): RecordedEvent {
  const { events } = read(text);
  expect(events, text).to.have.length(1);
  return events[0] as RecordedEvent;
}

describe('what a real ant-node says', () => {
  const DROP =
    'Fetch response dropped at admission: reason=per_peer_cap_full global_inflight=2 global_limit=12 peer_inflight=2 peer_limit=2';

  for (const [text, event, fields] of [
    [
      line('Bootstrap drained: all peer requests completed and work queues empty'),
      'bootstrap.drained',
      { version: '0.23.1' },
    ],
    [line(`Stored chunk ${KEY} (65536 bytes)`), 'chunk.stored', { key: KEY, bytes: 65_536 }],
    [
      line(`Fetch request to ${PEER} failed: Operation timed out after 30s`),
      'fetch.finished',
      { source: PEER, outcome: 'timeout' },
    ],
    [
      line(`Fetch request to ${PEER} failed: peer not connected`),
      'fetch.finished',
      { source: PEER, outcome: 'failed', error: 'peer not connected' },
    ],
    [
      line(`Fetch: verified source ${PEER} returned NotFound for ${KEY}`),
      'fetch.finished',
      { source: PEER, outcome: 'failed' },
    ],
    [
      line(`Fetch: peer ${PEER} returned error for ${KEY}: disk`),
      'fetch.finished',
      { source: PEER, outcome: 'failed' },
    ],
    [
      line(`Failed to store fetched record ${KEY}: no space left on device`),
      'fetch.finished',
      { key: KEY, outcome: 'failed' },
    ],
    [
      line(`Skipping fetch for ${KEY}: local storage cannot accept a write: Insufficient disk space`),
      'fetch.skipped',
      { key: KEY, reason: 'local storage cannot accept a write: Insufficient disk space' },
    ],
    [
      line(`Fetched ${KEY} but responsibility lapsed in transit; not storing`),
      'fetch.unwanted',
      { key: KEY },
    ],
    [
      line(DROP, { responder_class: 'fetch', source: PEER }),
      'admission.dropped',
      { peer: PEER, reason: 'per-peer', slotsInUse: 2, slots: 12, peerInUse: 2, share: 2 },
    ],
    [
      line(DROP.replace('per_peer_cap_full', 'global_pool_full').replace('inflight=2', 'inflight=12'), {
        source: PEER,
      }),
      'admission.dropped',
      { reason: 'pool', slotsInUse: 12 },
    ],
    [
      line('peer trust score changed', {
        peer_id: PEER,
        reason: 'connection_timeout',
        update: 'failed_response',
        previous_score: 0.5,
        current_score: 0.45,
        delta: -0.05,
        weight: 1,
      }),
      'trust.changed',
      { peer: PEER, delta: -0.05, reason: 'connection_timeout', score: 0.45, update: 'failed_response' },
    ],
    [
      line('replication responder admission summary (cumulative)', {
        group: 4,
        fetch_admission_dropped_global_pool: 1,
        fetch_admission_dropped_per_peer_share: 7,
        fetch_staleness_shed: 2,
      }),
      'admission.summary',
      { perPeer: 7, pool: 1, shed: 2, group: 4 },
    ],
    // Names as 0.23.1 writes them (`log_traffic_summary` and the audit counters of its replication/protocol.rs).
    [
      line('audit outcome summary (cumulative)', {
        responsible_audit_pass: 9,
        responsible_audit_fail_timeout: 2,
        subtree_audit_fail_digest_mismatch: 1,
        audit_dropped_byte: 3,
      }),
      'audit.summary',
      {
        version: '0.23.1',
        responsible_audit_pass: 9,
        responsible_audit_fail_timeout: 2,
        subtree_audit_fail_digest_mismatch: 1,
        audit_dropped_byte: 3,
      },
    ],
    [
      line('replication traffic summary (cumulative)', {
        group: 2,
        fetch_request_tx_count: 40,
        fetch_request_tx_bytes: 2_560,
        fetch_response_rx_bytes: 655_360,
      }),
      'traffic.summary',
      {
        version: '0.23.1',
        group: 2,
        fetch_request_tx_count: 40,
        fetch_request_tx_bytes: 2_560,
        fetch_response_rx_bytes: 655_360,
      },
    ],
    [line('Chunk store open at /data/chunks (41 chunks)'), 'store.opened', { chunks: 41 }],
    [line('Fetch worker concurrency set to 8 (hardware threads)'), 'fetch.concurrency', { threads: 8 }],
    [
      line('Stale fetch request shed at dequeue', { source: PEER, request_age_ms: 30_001 }),
      'fetch.shed',
      { peer: PEER, ageMs: 30_001 },
    ],
  ] as const) {
    it(`is ${event}: ${(JSON.parse(text) as { message: string }).message.slice(0, 60)}`, () => {
      const got = only(text);
      expect(got.event).to.equal(event);
      expect(got.fields).to.include(fields);
    });
  }

  it('was recorded from version 0.23.1, in a wave of 4 nodes that joined 8', () => {
    const recorded = readFileSync(new URL('recorded/ant-node-0.23.1.jsonl', import.meta.url), 'utf8');
    const { events } = read(...recorded.trimEnd().split('\n'));
    expect(events.map(({ event }) => event)).to.deep.equal([
      'chunk.stored',
      'fetch.finished',
      'admission.dropped',
      'trust.changed',
      'fetch.concurrency',
      'store.opened',
      'bootstrap.drained',
      'node.running',
      'trust.changed',
    ]);
    const [stored, timedOut, dropped, penalty, threads] = events.map(({ fields }) => fields);
    expect(stored).to.include({ bytes: 65_536 });
    expect(timedOut).to.include({ outcome: 'timeout', version: '0.23.1' });
    expect(dropped).to.include({ reason: 'per-peer', slotsInUse: 2, slots: 12, peerInUse: 2, share: 2 });
    expect(dropped?.['peer']).to.match(/^[0-9a-f]{64}$/);
    expect(penalty).to.include({ delta: -0.062, reason: 'connection_timeout', update: 'failed_response' });
    expect(threads).to.include({ threads: 8 });
  });

  it('keeps every field of a summary, those of later versions included', () => {
    const { event, fields } = only(
      line('replication fetch dispatch summary', {
        parked: 3,
        oldest_parked_ms: 900,
        fetch_busy_sources_tracked: 2,
      }),
    );
    expect(event).to.equal('dispatch.summary');
    expect(fields).to.include({ parked: 3, oldest_parked_ms: 900, fetch_busy_sources_tracked: 2 });
  });

  it('has the time that the node says, not that of reading', () => {
    const earlier = only(line('Node running, waiting for shutdown signal'));
    const later = only(line('Node running, waiting for shutdown signal').replace('00:00.123', '00:07.623'));
    expect((later.atNs - earlier.atNs) / 1e6).to.be.closeTo(7_500, 50);
  });

  it('counts lines that nothing understands, and is not made to doubt a trial by what never happens', () => {
    const { events, log } = read(
      line('P2P node started'),
      'thread panicked',
      '{"message":7}',
      '{"message":{"a":1}}',
    );
    expect(events).to.deep.equal([]);
    const reports = log.adapterReports();
    expect(reports.every(({ unmatched, matched }) => unmatched === 4 && matched === 0)).to.equal(true);
    expect(reports.filter(({ optional }) => optional !== true)).to.deep.equal([]);
  });

  it('takes no line for more than one event', () => {
    const { events } = read(line(`Fetch request to ${PEER} failed: Timeout`));
    expect(events.map(({ fields }) => fields['outcome'])).to.deep.equal(['timeout']);
  });
});
