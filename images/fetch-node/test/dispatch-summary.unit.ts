import { expect } from 'chai';
import { layChunks } from '../chunk-set.ts';
import { dispatchSummary } from '../dispatch-summary.ts';
import { chunkSetOf } from '../start-fetch-node.ts';
import { LoopbackBed } from './loopback-bed.ts';
import { variant } from './rule-test.ts';

/** What the document names, in the order in which it is told. */
const FIELDS = [
  'parked',
  'index_size',
  'oldest_parked_ms',
  'parked_max',
  'oldest_parked_max_ms',
  'queued',
  'in_flight',
  'sources_at_limit',
  'in_flight_per_source_max',
  'parks',
  'wakes',
  'returned_to_verification',
  'started_past_mark',
  'started_past_untracked',
  'attempts_ok',
  'attempts_timeout',
  'attempts_busy',
  'attempts_failed',
  'attempts_cancelled',
  'timeouts_past_silence',
  'timeouts_within_share',
  'stored_bytes',
  'fetched_bytes',
  'attempt_p50_ms',
  'attempt_p99_ms',
  'attempt_max_ms',
  'fill_passes',
  'fill_lock_wait_ms',
  'fill_lock_wait_max_ms',
  'fill_lock_hold_ms',
  'fill_lock_hold_max_ms',
  'parked_index_maintenance_ms',
  'silent_sources',
  'health_sources',
  'silent_marks',
  'silent_refreshed',
  'silent_cleared',
  'silent_expired',
  'outdated_timeouts',
  'source_health_evicted',
  'source_health_overflow',
  'fetch_busy_sources_tracked',
  'fetch_busy_reply_send_pool_full',
  'fetch_admission_dropped_per_peer_share',
  'fetch_admission_dropped_global_pool',
];

const HOLDERS = ['holder-1', 'holder-2'];
const KEYS = [
  ...layChunks(
    chunkSetOf(
      variant('share', {
        SQUALL_CHUNK_COUNT: '12',
        SQUALL_CHUNK_BYTES: '512',
        SQUALL_INCUMBENTS: HOLDERS.join(','),
        SQUALL_CLOSE_GROUP_SIZE: '2',
      }).settings,
      'loopback',
    ),
  ),
].map(({ key }) => key);

describe('the dispatch summary', () => {
  let bed: LoopbackBed;
  afterEach(async () => {
    const stopped = bed.stop();
    // What is being served takes its time, on a clock that is led.
    await bed.pass(1_000);
    await stopped;
  });

  async function start(env: Readonly<Record<string, Readonly<Record<string, string>>>> = {}): Promise<void> {
    bed = new LoopbackBed([...HOLDERS, 'joiner-1', 'joiner-2'], {
      SQUALL_CHUNK_COUNT: '12',
      SQUALL_CLOSE_GROUP_SIZE: '2',
      SQUALL_FETCH_CONCURRENCY: '8',
      SQUALL_FETCH_TIMEOUT_MS: '2000',
      SQUALL_BUSY_WAIT_MS: '400',
    });
    const both = (name: string) => [name, { variant: 'share+busy', env: env[name] ?? {} }] as const;
    const nodes = [...HOLDERS, 'joiner-1'].map(both);
    await bed.start({ ...Object.fromEntries(nodes), 'joiner-2': { variant: 'busy' } });
  }
  const summary = (name: string): Readonly<Record<string, number>> => dispatchSummary(bed.node(name));
  const above0 = (name: string, fields: readonly string[]): void => {
    for (const field of fields) expect(summary(name)[field], `${name} ${field}`).to.be.greaterThan(0);
  };

  it('has all fields that the document names, in the event and in the line alike', async () => {
    await start();
    expect(Object.keys(summary('holder-1'))).to.deep.equal(FIELDS);
    bed.node('holder-1').summarize();
    const [told] = bed.events('dispatch.summary', 'holder-1');
    expect(Object.keys(told ?? {})).to.include.members([...FIELDS, 'version']);
    const line = bed.logged.find((one) => one.startsWith('replication fetch dispatch summary ')) ?? '';
    expect([...line.matchAll(/(\w+)=/g)].map(([, name]) => name)).to.deep.equal(FIELDS);
  });

  it('counts what a requester runs into at holders of which one is silent and one busy', async () => {
    await start({
      'holder-1': { SQUALL_GATE: 'closed' },
      'holder-2': { SQUALL_SLOTS_PER_PEER: '1', SQUALL_SERVE_MS: '200' },
    });
    const node = bed.node('joiner-1');
    bed.node('holder-2').treatments.set(KEYS.slice(11), 'not-found', 0);
    for (const key of KEYS) expect(node.direct(key, HOLDERS)).to.equal(true);
    await bed.pass(300);
    above0('joiner-1', ['parked', 'index_size', 'oldest_parked_ms', 'in_flight', 'sources_at_limit']);
    await bed.until(() => node.store.count >= 10);
    node.direct(KEYS[11] ?? '', ['holder-1']);
    await bed.pass(100);
    node.worker.cancel(KEYS[11] ?? '');
    above0('joiner-1', [
      'parked_max',
      'oldest_parked_max_ms',
      'in_flight_per_source_max',
      'parks',
      'wakes',
      'returned_to_verification',
      'started_past_mark',
      'attempts_ok',
      'attempts_timeout',
      'attempts_busy',
      'attempts_failed',
      'attempts_cancelled',
      'timeouts_within_share',
      'stored_bytes',
      'fetched_bytes',
      'attempt_p50_ms',
      'attempt_p99_ms',
      'attempt_max_ms',
      'fill_passes',
      'fill_lock_wait_ms',
      'fill_lock_wait_max_ms',
      'fill_lock_hold_ms',
      'fill_lock_hold_max_ms',
      'parked_index_maintenance_ms',
      'health_sources',
      'silent_marks',
    ]);
    expect(summary('joiner-1')).to.include({
      parked: 0,
      attempts_ok: node.store.count,
      stored_bytes: 512 * node.store.count,
      fetch_busy_sources_tracked: 2,
    });
  });

  it('counts the limit that is passed while the table of sources has no room', async () => {
    const closed = { SQUALL_GATE: 'closed' };
    await start({ 'holder-1': closed, 'holder-2': closed, 'joiner-1': { SQUALL_HEALTH_CAPACITY: '1' } });
    bed.node('joiner-1').direct(KEYS[0] ?? '', ['holder-1']);
    await bed.pass(100);
    for (const key of KEYS.slice(1, 6)) bed.node('joiner-1').direct(key, ['holder-2']);
    await bed.pass(100);
    expect(summary('joiner-1')).to.include({
      started_past_untracked: 3,
      source_health_overflow: 1,
      health_sources: 1,
      in_flight: 6,
    });
  });

  it('counts at the responder what it dropped, and busy answers for which it had no room', async () => {
    await start({
      'holder-2': {
        SQUALL_SLOTS: '1',
        SQUALL_SLOTS_PER_PEER: '1',
        SQUALL_SERVE_MS: '500',
        SQUALL_BUSY_REPLY_POOL: '1',
      },
    });
    const wanted = (keys: readonly string[]): void => {
      for (const key of keys) bed.node('joiner-2').direct(key, ['holder-2']);
    };
    // Another peer has the slot: of eight requests at once one is answered busy, and the others find its reply on the way.
    bed.node('joiner-1').direct(KEYS[0] ?? '', ['holder-2']);
    await bed.pass(100);
    wanted(KEYS.slice(1));
    await bed.pass(100);
    expect(summary('holder-2')).to.include({
      fetch_busy_reply_send_pool_full: 7,
      fetch_admission_dropped_global_pool: 7,
      fetch_admission_dropped_per_peer_share: 0,
    });
    // Now it has the slot itself.
    await bed.pass(2_500);
    wanted(KEYS.slice(1).filter((key) => !bed.node('joiner-2').store.has(key)));
    await bed.pass(100);
    expect(summary('holder-2')['fetch_admission_dropped_global_pool']).to.equal(7);
    above0('holder-2', ['fetch_admission_dropped_per_peer_share']);
  });
});
