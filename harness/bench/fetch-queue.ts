import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { median, type Row } from './table.ts';

const PROGRAM = fileURLToPath(new URL('../../images/fetch-node/park-bench.ts', import.meta.url));
const ROUNDS = 3;

/** Of the change's own description, a release build in Rust: middle of the repeated runs, at 1, 8 and 35 sources a key. */
export const DOCUMENT = {
  keys: 131_072,
  parkPassMs: { 1: 85.5, 8: 211.5, 35: 730 },
  peakBytes: { 1: 195 * 2 ** 20, 8: 345 * 2 ** 20, 35: 1_157 * 2 ** 20 },
  /** The longest, whatever the sources. */
  departureMostMs: 103,
  dropAt35Ms: 262,
} as const;

/** Times of the processor, so that they say the same on a busy machine. */
export interface Measured {
  readonly perKey: number;
  readonly parkPassMs: number;
  readonly departureMs: number;
  readonly dropMs: number;
  readonly peakBytes: number;
}

/** The fetch queue at its bound of 131,072 parked keys: how its cost grows with the sources of a key. */
export async function measureFetchQueue(request: {
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}): Promise<{ readonly rows: Row[]; readonly details: unknown }> {
  const runs: Record<1 | 8 | 35, Measured[]> = { 1: [], 8: [], 35: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const perKey of [1, 8, 35] as const) {
      request.say(`131,072 keys parked under ${perKey} sources each, round ${round + 1} of ${ROUNDS}`);
      runs[perKey].push(await measure(perKey, request.signal));
    }
  }
  return { rows: shapeRows(runs), details: { document: DOCUMENT, runs } };
}

/** The document's shape and ours are alike where one is at most so many times the other, whichever way. */
const ALIKE = 2;

/** How the cost grows with the sources of a key, beside how the document's does: the machine and the language cancel out. */
export function shapeRows(runs: Readonly<Record<1 | 8 | 35, readonly Measured[]>>): Row[] {
  const figure = (perKey: 1 | 8 | 35, name: keyof Measured): number =>
    median(runs[perKey].map((run) => run[name]));
  const row = (what: string, name: 'parkPassMs' | 'peakBytes', perKey: 8 | 35): Row => {
    const ours = figure(perKey, name) / figure(1, name);
    const other = DOCUMENT[name][perKey] / DOCUMENT[name][1];
    const title = `fetch queue, ${what} at ${perKey} sources a key against 1 (beside: the document's)`;
    return shapeRow(title, ours, other);
  };
  // Of these the document has one time each; beside a park pass of the same queue they say what they cost on any machine.
  const besidePass = (what: string, name: 'departureMs' | 'dropMs', documentMs: number): Row => {
    const ours = figure(35, name) / figure(35, 'parkPassMs');
    const other = documentMs / DOCUMENT.parkPassMs[35];
    const title = `fetch queue, ${what} against a park pass, both at 35 sources a key (beside: the document's)`;
    return shapeRow(title, ours, other);
  };
  return [
    row('park pass', 'parkPassMs', 8),
    row('park pass', 'parkPassMs', 35),
    row('peak memory', 'peakBytes', 8),
    row('peak memory', 'peakBytes', 35),
    besidePass('the longest of five departures', 'departureMs', DOCUMENT.departureMostMs),
    besidePass('dropping it', 'dropMs', DOCUMENT.dropAt35Ms),
  ];
}

function shapeRow(what: string, ours: number, other: number): Row {
  const figure = ours / other;
  return {
    what,
    ours,
    other,
    unit: '×',
    figure,
    figureUnit: '×',
    limit: ALIKE,
    least: 1 / ALIKE,
    compared: true,
  };
}

async function measure(perKey: number, signal: AbortSignal): Promise<Measured> {
  const program = ['--expose-gc', '--import', 'tsx', PROGRAM, String(perKey)];
  const { stdout } = await promisify(execFile)(process.execPath, program, { signal });
  return JSON.parse(stdout) as Measured;
}
