import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../engine/index.ts';
import { ensureImage, readImages } from '../image/index.ts';
import { RECORD_VERSION, type TrialRecord } from '../record/index.ts';
import { type Bed, nowNs, startBed } from '../testnet/index.ts';
import { resolveTopologyText } from '../topology/index.ts';
import { FloodRecord, type RecordedFlood } from './flood-record.ts';
import type { Row } from './table.ts';

const NODES = 4;
const LINES_PER_SECOND = 20_000;
const SECONDS = 10;

/** Lines a second from several nodes into the record of a trial, and how many were lost on the way, as it is read back. */
export async function measureLogRate(
  engine: Engine,
  request: { readonly say: (text: string) => void; readonly signal: AbortSignal },
): Promise<{ readonly rows: Row[]; readonly details: unknown }> {
  const { say, signal } = request;
  const perNode = (LINES_PER_SECOND * SECONDS) / NODES;
  const topology = resolveTopologyText(
    `name: log-flood
nodes:
  - role: flood
    count: ${NODES}
    image: log-flood
    settings: { linesPerSecond: ${LINES_PER_SECOND / NODES}, lines: ${perNode} }
`,
    'log-flood.yaml',
    {},
    { images: readImages() },
  );
  await ensureImage(engine, { kind: 'ours', name: 'log-flood' }, { signal });
  const dir = mkdtempSync(join(tmpdir(), 'squall-bench-'));
  const record = await FloodRecord.open(dir);
  say(`${NODES} nodes write ${LINES_PER_SECOND} events a second for ${SECONDS} s`);
  const startNs = nowNs();
  let flood: RecordedFlood;
  const bed = await startBed({
    engine,
    topology,
    runId: `bench-${process.pid}`,
    bedId: `bench-${process.pid}-logs`,
    seed: 'bench',
    signal,
    onEvent: record.event,
    onLine: (node, _stream, line) => record.line(node, line),
  });
  try {
    const ended = new Set<string>();
    await bed.events.waitFor(
      {
        what: 'flood.ended from every node',
        accepts: (event) => {
          if (event.event === 'flood.ended') ended.add(event.node);
          return ended.size === NODES;
        },
        progress: () => `${ended.size} of ${NODES}`,
      },
      { withinMs: SECONDS * 6_000, since: 0, signal },
    );
    flood = await record.finish(trialRecord(bed, startNs));
  } finally {
    await bed.remove();
    rmSync(dir, { recursive: true });
  }
  const { perSecond, events: written, lostLogLines } = flood;
  const lost = LINES_PER_SECOND * SECONDS - written;
  return {
    rows: [
      {
        what: 'events a second into the record',
        ours: perSecond,
        unit: '/s',
        figure: perSecond,
        figureUnit: '/s',
        limit: LINES_PER_SECOND * 0.95,
        atLeast: true,
      },
      { what: 'events lost on the way', ours: lost, unit: '', figure: lost, figureUnit: '', limit: 0 },
      {
        what: 'lines that the nodes’ logs did not keep',
        ours: lostLogLines,
        unit: '',
        figure: lostLogLines,
        figureUnit: '',
        limit: 0,
      },
    ],
    details: { nodes: NODES, lines: LINES_PER_SECOND * SECONDS, written, ...flood },
  };
}

/** What a trial's record has beside its events and logs. */
function trialRecord(bed: Bed, startNs: number): TrialRecord {
  return {
    recordVersion: RECORD_VERSION,
    runId: bed.runId,
    suite: 'bench',
    scenario: 'log-flood',
    point: {},
    pointId: 'flood',
    trial: 1,
    seed: 'bench',
    warp: 1,
    bed: { id: bed.id, reused: false, trialOnBed: 1 },
    startedAt: new Date().toISOString(),
    startNs,
    endNs: nowNs(),
    overheadMs: 0,
    outcome: 'completed',
    reasons: [],
    nodes: bed.nodeRecords(),
    phases: [],
    faults: [],
    steps: [],
    host: { verdict: 'quiet', measures: [], reasons: [] },
    cleanAfter: true,
    measures: {},
    checks: [],
    expectations: [],
    events: { count: 0, lost: 0, truncated: false },
  };
}
