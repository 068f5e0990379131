import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { EXIT, type ExitCode, SquallError } from '../errors/index.ts';
import {
  describeReproduction,
  type Incident,
  type Oracle,
  type Reproduction,
  regressionScenario,
  reproduce,
} from '../incident/index.ts';
import { writeAtomically } from '../record/index.ts';
import { parseScenario } from '../scenario/index.ts';
import { type IncidentTrialsOptions, incidentTrials } from './incident-trials.ts';
import { newRunId } from './make-plan.ts';

export interface ReproRequest extends Omit<IncidentTrialsOptions, 'home'> {
  readonly incident: Incident;
  /** Drawn at random when absent. */
  readonly seed?: string;
  readonly attempts: number;
  readonly batch: number;
  readonly confirm: number;
  readonly oracle?: Oracle;
  readonly shrinkTrials: number;
  /** Where the scenario goes; beside the incident when absent. */
  readonly out?: string;
  readonly signal: AbortSignal;
}

export interface ExecutedRepro {
  readonly result: Reproduction;
  readonly text: string;
  /** repro.json, and the scenario where one was written. */
  readonly paths: readonly string[];
  /** 0: reproduced; 1: not, or the fix does not help; 2: it may have been chance. */
  readonly exitCode: ExitCode;
}

/** First line of what this writes, so that nothing else is ever written over. */
const MARK = '# A regression scenario made from an incident.';

/**
 * Reproduces an incident from end to end, and leaves `repro.json` under the reports and a scenario that stands as a
 * regression test.
 * @throws SquallError `scenario-in-the-way` (input) when a file of somebody else's would be written over
 */
export async function executeRepro(request: ReproRequest): Promise<ExecutedRepro> {
  const { incident, attempts, batch, confirm, oracle, shrinkTrials, out, signal, ...rest } = request;
  const seed = request.seed ?? randomBytes(4).readUInt32BE().toString();
  const file = out ?? join(incident.folder, `${incident.name}.scenario.yaml`);
  await refuseForeign(file);
  const home = { suite: basename(incident.folder), folder: incident.folder };
  const result = await reproduce({
    incident,
    port: incidentTrials({ ...rest, home }),
    seed,
    attempts,
    batch,
    confirm,
    ...(oracle && { oracle }),
    shrinkTrials,
    onProgress: (text) => request.observer?.noted?.(text),
    signal,
  });
  const dir = join(request.reportsDir, `${newRunId(new Date())}-repro`);
  await mkdir(dir, { recursive: true });
  const summary = join(dir, 'repro.json');
  await writeAtomically(summary, `${JSON.stringify({ incident: incident.file, ...result }, undefined, 2)}\n`);
  const paths = [summary];
  if (result.kept) {
    const command = `squall repro ${incident.file} --seed ${seed}`;
    const frequency = result.keptFrequency;
    const text = regressionScenario(incident, result.kept, { command, ...(frequency && { frequency }) });
    // Read as `squall run` will, so that what is written can be run.
    parseScenario(text, file, home);
    await mkdir(dirname(file), { recursive: true });
    await writeAtomically(file, `${MARK}\n${text}`);
    paths.push(file);
  }
  return {
    result,
    text: describeReproduction(incident, result),
    paths,
    exitCode: exitOf(result),
  };
}

function exitOf({ kept, notKept }: Reproduction): ExitCode {
  if (kept) return EXIT.pass;
  return notKept?.because === 'chance' ? EXIT.inconclusive : EXIT.fail;
}

async function refuseForeign(file: string): Promise<void> {
  if (!existsSync(file) || (await readFile(file, 'utf8')).startsWith(MARK)) return;
  throw new SquallError(
    `${file}: is there already and was not made from an incident; expected no such file.`,
    {
      code: 'scenario-in-the-way',
      blame: 'input',
      hint: 'Name another with --out.',
    },
  );
}
