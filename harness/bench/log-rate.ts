import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../engine/index.ts';
import { ensureImage, readImages } from '../image/index.ts';
import { LineFile } from '../record/index.ts';
import { startBed } from '../testnet/index.ts';
import { resolveTopologyText } from '../topology/index.ts';
import type { Row } from './table.ts';

const NODES = 4;
const LINES_PER_SECOND = 20_000;
const SECONDS = 10;

/** Lines a second from several nodes into a file of the record, and how many were lost on the way. */
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
  const file = new LineFile(join(dir, 'events.jsonl'));
  say(`${NODES} nodes write ${LINES_PER_SECOND} events a second for ${SECONDS} s`);
  let written = 0;
  let firstNs = Number.POSITIVE_INFINITY;
  let lastNs = 0;
  const bed = await startBed({
    engine,
    topology,
    runId: `bench-${process.pid}`,
    bedId: `bench-${process.pid}-logs`,
    seed: 'bench',
    signal,
    onEvent: (event) => {
      if (event.event !== 'flood.line') return;
      written += 1;
      firstNs = Math.min(firstNs, event.atNs);
      lastNs = Math.max(lastNs, event.atNs);
      file.write(`${JSON.stringify(event)}\n`);
    },
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
  } finally {
    await bed.remove();
    await file.close({ durable: true });
    rmSync(dir, { recursive: true });
  }
  const perSecond = (written * 1e9) / (lastNs - firstNs);
  const lost = LINES_PER_SECOND * SECONDS - written;
  return {
    rows: [
      {
        what: 'events written a second, all recorded',
        ours: perSecond,
        unit: '/s',
        figure: perSecond,
        figureUnit: '/s',
        limit: LINES_PER_SECOND * 0.95,
        atLeast: true,
      },
      { what: 'events lost on the way', ours: lost, unit: '', figure: lost, figureUnit: '', limit: 0 },
    ],
    details: { nodes: NODES, lines: LINES_PER_SECOND * SECONDS, written, perSecond },
  };
}
