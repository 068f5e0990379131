import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine/index.ts';
import { ensureImage, readImages } from '../image/index.ts';
import { type Bed, startBed } from '../testnet/index.ts';
import { resolveTopology } from '../topology/index.ts';
import { BARE_CONCURRENCIES, type BareTimes, measureBareEngine } from './bare-engine.ts';
import { median, type Row, ratioRow } from './table.ts';

const IDLE_MS = 20_000;
const CUT_NODES = 32;
const PROBE_PPS = 1_000;
const HOLD_MS = 3_000;

interface BedsRequest {
  readonly nodes: number;
  readonly rounds: number;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

/** Start and removal beside the bare engine's, the skew of a cut, a reused bed beside a fresh one, and the idle cost. */
export async function measureBeds(
  engine: Engine,
  request: BedsRequest,
): Promise<{ readonly rows: Row[]; readonly details: unknown }> {
  const { nodes, rounds, say, signal } = request;
  const topology = resolveTopology(
    'topologies/memberlist-128.yaml',
    { counts: { member: nodes } },
    { images: readImages() },
  );
  const image = await ensureImage(engine, { kind: 'ours', name: 'memberlist-node' }, { signal });
  await ensureImage(engine, { kind: 'ours', name: 'packet-agent' }, { signal });
  const bare: BareTimes[] = [];
  const ours: { startMs: number; removeMs: number; resetMs: number }[] = [];
  let last: Awaited<ReturnType<typeof exercise>> | undefined;
  for (let round = 1; round <= rounds; round += 1) {
    for (const concurrency of BARE_CONCURRENCIES) {
      say(`round ${round} of ${rounds}: ${nodes} containers by the bare engine, ${concurrency} in flight`);
      bare.push(await measureBareEngine(engine.info.endpoint, image.reference, topology, concurrency));
    }
    say(`round ${round} of ${rounds}: a bed of ${nodes} nodes`);
    const beganMs = performance.now();
    const bed = await startBed({
      engine,
      topology,
      runId: `bench-${process.pid}`,
      bedId: `bench-${process.pid}-${round}`,
      seed: 'bench',
      signal,
    });
    const startMs = performance.now() - beganMs;
    try {
      const resetBeganMs = performance.now();
      await bed.reset('*', {}, signal);
      const clean = await bed.verifyClean(signal);
      if (!clean.clean) say(`the bed was not clean after its reset: ${clean.problems.join('; ')}`);
      const resetMs = clean.clean ? performance.now() - resetBeganMs : Number.NaN;
      if (round === rounds) last = await exercise(bed, request);
      const removeBeganMs = performance.now();
      await bed.remove();
      ours.push({ startMs, removeMs: performance.now() - removeBeganMs, resetMs });
    } finally {
      await bed.remove();
    }
  }
  const fresh = ours.map((one) => one.startMs + one.removeMs);
  const rows: Row[] = [
    ratioRow(
      `${nodes} nodes ready`,
      ours.map((one) => one.startMs / 1e3),
      best(bare, 'startMs').map((ms) => ms / 1e3),
      's',
      1.15,
    ),
    ratioRow(
      `${nodes} nodes removed`,
      ours.map((one) => one.removeMs / 1e3),
      best(bare, 'removeMs').map((ms) => ms / 1e3),
      's',
      1.1,
    ),
    {
      ...ratioRow(
        'overhead of a trial, reused against fresh',
        ours.map((one) => one.resetMs / 1e3),
        fresh.map((ms) => ms / 1e3),
        's',
        0.25,
      ),
    },
  ];
  if (last) rows.push(...last.rows);
  return { rows, details: { bare, ours, ...last?.details } };
}

/** The bare engine's times at the concurrency that serves it best. */
export function best(bare: readonly BareTimes[], what: 'startMs' | 'removeMs'): readonly number[] {
  const sides = [...new Set(bare.map(({ concurrency }) => concurrency))].map((concurrency) =>
    bare.filter((one) => one.concurrency === concurrency).map((one) => one[what]),
  );
  return sides.reduce((least, side) => (median(side) < median(least) ? side : least));
}

async function exercise(
  bed: Bed,
  request: BedsRequest,
): Promise<{ readonly rows: Row[]; readonly details: object }> {
  const { say, signal, nodes } = request;
  const targets = bed
    .nodes()
    .slice(0, Math.min(CUT_NODES, nodes))
    .map((node) => node.name);
  say(`${targets.length} nodes cut off and released under a probe of ${PROBE_PPS} packets a second each`);
  const plan = bed.faults.plan({
    kind: 'hold',
    id: 'bench-cut',
    on: targets.join(','),
    forMs: HOLD_MS,
    settings: { udp: 'hold', tcp: 'drop' },
    seed: 'bench',
  });
  const [applied] = await bed.faults.apply([plan], signal, { probePps: PROBE_PPS });
  const record = await applied!.lifted;
  say(`the harness while ${nodes} nodes idle for ${IDLE_MS / 1000} s`);
  const cpu = process.cpuUsage();
  const beganMs = performance.now();
  await sleep(IDLE_MS, undefined, { signal });
  const used = process.cpuUsage(cpu);
  const share = (used.user + used.system) / 1e3 / (performance.now() - beganMs);
  const rssMb = process.memoryUsage().rss / 1e6;
  const rows: Row[] = [
    {
      what: 'harness memory while idle',
      ours: rssMb,
      unit: 'MB',
      figure: rssMb,
      figureUnit: 'MB',
      limit: 250,
    },
    {
      what: 'harness CPU while idle',
      ours: share,
      unit: 'core',
      figure: share,
      figureUnit: 'core',
      limit: 0.1,
    },
  ];
  for (const [what, ns] of [
    ['cut off, first to last node', record.applySkewNs],
    ['released, first to last node', record.liftSkewNs],
  ] as const) {
    if (ns === undefined) say(`${what}: the probe gave no figure`);
    const skewMs = (ns ?? Number.NaN) / 1e6;
    rows.push({
      what: `${targets.length} nodes ${what}`,
      ours: skewMs,
      unit: 'ms',
      figure: skewMs,
      figureUnit: 'ms',
      limit: 20,
    });
  }
  return {
    rows,
    details: {
      cut: {
        applySkewNs: record.applySkewNs,
        liftSkewNs: record.liftSkewNs,
        witness: record.witness?.counts,
      },
    },
  };
}
