import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, join, relative } from 'node:path';
import { z } from 'zod';
import { EXIT, type ExitCode, SquallError } from '../errors/index.ts';
import {
  asIncident,
  type Exploration,
  type Explored,
  explore,
  type Finding,
  keyOf,
} from '../exploration/index.ts';
import { describeCase, regressionScenario } from '../incident/index.ts';
import { writeAtomically } from '../record/index.ts';
import { parseScenario } from '../scenario/index.ts';
import { type IncidentTrialsOptions, incidentTrials } from './incident-trials.ts';

export interface ExploreRequest extends Omit<IncidentTrialsOptions, 'home'> {
  readonly exploration: Exploration;
  /** The corpus's own when absent, or drawn at random for a new one. */
  readonly seed?: string;
  /** No batch is begun and no question asked after so long. */
  readonly forMs: number;
  readonly nowMs: () => number;
  readonly batch: number;
  readonly confirm: number;
  readonly shrinkTrials: number;
  /** What is kept between runs: the schedules tried, and what they found. */
  readonly corpus: string;
  readonly signal: AbortSignal;
}

export interface ExecutedExploration {
  readonly explored: Explored;
  readonly text: string;
  readonly paths: readonly string[];
  /** 0: nothing new was found; 1: an invariant was broken in a new way; 2: no schedule proves anything. */
  readonly exitCode: ExitCode;
}

const CORPUS = z.looseObject({
  corpusVersion: z.literal(1),
  seed: z.string(),
  next: z.number().int().min(0),
  findings: z.array(z.looseObject({ broken: z.array(z.string()) })),
});
type Corpus = z.output<typeof CORPUS>;

/** Explores while there is time, and keeps what it finds: a scenario for each way, and the corpus that knows them all. */
export async function executeExplore(request: ExploreRequest): Promise<ExecutedExploration> {
  const { exploration, forMs, nowMs, batch, confirm, shrinkTrials, corpus: dir, signal, ...rest } = request;
  await mkdir(dir, { recursive: true });
  const file = join(dir, 'corpus.json');
  const earlier = await readCorpus(file);
  const seed = request.seed ?? earlier?.seed ?? randomBytes(4).readUInt32BE().toString();
  const from = earlier?.seed === seed ? earlier.next : 0;
  const paths: string[] = [];
  const findings: unknown[] = [...(earlier?.findings ?? [])];
  const save = async (next: number): Promise<void> => {
    const corpus = { corpusVersion: 1, exploration: exploration.name, seed, next, findings };
    await writeAtomically(file, `${JSON.stringify(corpus, undefined, 2)}\n`);
  };
  const untilMs = nowMs() + forMs;
  const home = { suite: basename(exploration.folder), folder: exploration.folder };
  const explored = await explore({
    exploration,
    port: incidentTrials({ ...rest, home }),
    seed,
    from,
    known: (earlier?.findings ?? []).map(({ broken }) => broken),
    batch,
    confirm,
    shrinkTrials,
    hasTime: () => nowMs() < untilMs,
    onFinding: async (finding) => {
      const written = await writeScenario(request, finding, dir, seed);
      paths.push(written);
      findings.push({ ...finding, scenario: basename(written) });
      await save(finding.schedule);
    },
    onProgress: (text) => request.observer?.noted?.(text),
    signal,
  });
  await save(explored.next);
  const unclear = explored.counted === 0 || explored.unconfirmed.length > 0;
  const exitCode = explored.findings.length > 0 ? EXIT.fail : unclear ? EXIT.inconclusive : EXIT.pass;
  return { explored, text: describe(exploration, explored, from), paths: [...paths, file], exitCode };
}

async function writeScenario(
  { exploration }: ExploreRequest,
  { schedule, broken, smallest, frequency }: Finding,
  dir: string,
  seed: string,
): Promise<string> {
  const name = `${exploration.name}-${schedule}`;
  const incident = asIncident(exploration, name, broken);
  const beside = [exploration.topology, `${exploration.topology}.yaml`]
    .map((one) => join(exploration.folder, one))
    .find((path) => /\.ya?ml$/.test(path) && existsSync(path));
  const topology = beside === undefined ? exploration.topology : relative(dir, beside);
  const text = regressionScenario({ ...incident, topology }, smallest, {
    command: `squall explore ${exploration.file} --seed ${seed}`,
    ...(frequency && { frequency }),
  });
  const file = join(dir, `${name}.scenario.yaml`);
  parseScenario(text, file, { suite: basename(dir), folder: dir });
  await writeAtomically(file, text);
  return file;
}

async function readCorpus(file: string): Promise<Corpus | undefined> {
  if (!existsSync(file)) return undefined;
  const parsed = CORPUS.safeParse(parseJson(file, await readFile(file, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new SquallError(
    `${file}: is no corpus (${parsed.error.issues[0]?.message}); expected one that \`squall explore\` wrote.`,
    {
      code: 'bad-corpus',
      blame: 'input',
      hint: 'Name another folder with --corpus, or move it away.',
    },
  );
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SquallError(`${file}: is not JSON`, { code: 'bad-corpus', blame: 'input', cause });
  }
}

function describe(
  exploration: Exploration,
  { seed, next, counted, voids, findings, unconfirmed, again }: Explored,
  from: number,
): string {
  const lines = [
    `exploration ${exploration.name}: schedules ${from} to ${next - 1} of seed ${seed}, ${counted} counted, ${voids} void`,
  ];
  for (const { broken, schedule, smallest, minimal, frequency } of findings) {
    const rate = frequency
      ? `shown in ${frequency.shown} of ${frequency.counted} fresh trials`
      : 'not measured';
    lines.push(
      `BROKEN: ${keyOf(broken)} (schedule ${schedule})`,
      `  ${describeCase(smallest)}`,
      `  ${rate}${minimal ? '' : '; perhaps not the smallest'}`,
    );
  }
  for (const { broken, schedule, counted: fresh } of unconfirmed) {
    lines.push(
      `SEEN ONCE: ${keyOf(broken)} (schedule ${schedule}), and in none of ${fresh} fresh trials; more of them with --confirm`,
    );
  }
  if (findings.length === 0 && unconfirmed.length === 0) lines.push('nothing new was found');
  for (const [key, count] of Object.entries(again)) lines.push(`known already, ${count} more: ${key}`);
  return `${lines.join('\n')}\n`;
}
