import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type BundleManifest, unpackBundle } from '../bundle/index.ts';
import { registeredChecks } from '../check/index.ts';
import { EXIT, type ExitCode, SquallError, strongestExit } from '../errors/index.ts';
import { type RunRecord, readRun, readTrial, registeredMeasures } from '../record/index.ts';
import type { ResolvedScenario, ScenarioSelection } from '../scenario/index.ts';
import { type ExecutedRun, executeRun, type RunRequest } from './execute-run.ts';
import { fillSecrets } from './redact-topology.ts';
import { type RunInputs, readInputs, type ScenarioInputs, scenarioFrom } from './run-inputs.ts';

export interface ReplayRequest
  extends Omit<RunRequest, 'selections' | 'judge' | 'seed' | 'resume' | 'keepOnFailure'> {
  readonly bundle: string;
  /** Values for what was left out of its topologies, by name. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The scenarios of a suite of that name, its code loaded; undefined when there is none here. */
  readonly loadSuite: (name: string) => Promise<readonly ResolvedScenario[] | undefined>;
}

export interface ExecutedReplay {
  readonly manifest: BundleManifest;
  readonly executed: ExecutedRun;
  readonly differences: readonly string[];
  readonly text: string;
  /** 0: every check said the same again; 1: one did not; 2: nothing to hold it against. */
  readonly exitCode: ExitCode;
}

/**
 * Runs a bundle again, from its own scenarios, topologies and seed, and holds the new verdicts against the old.
 * @throws SquallError `bad-bundle`, `suite-missing`, `secret-missing` (input), and what a run throws
 */
export async function executeReplay(request: ReplayRequest): Promise<ExecutedReplay> {
  const { bundle, secrets, loadSuite, ...rest } = request;
  const dir = await mkdtemp(join(tmpdir(), 'squall-replay-'));
  try {
    const manifest = await unpackBundle(bundle, dir);
    const inputs = readInputs(dir);
    await writeTopologies(join(dir, 'topologies'), inputs, secrets);
    const selections: ScenarioSelection[] = [];
    for (const scenario of inputs.scenarios) {
      selections.push(...selectionsOf(await resolve(scenario, join(dir, 'topologies'), loadSuite), scenario));
    }
    const executed = await executeRun({ ...rest, selections, seed: inputs.seed });
    const differences = [
      ...verdictDifferences(manifest, executed.run),
      ...(await imageDifferences(manifest, executed.dir)),
    ];
    const verdict = replayVerdict(manifest, executed.run);
    return {
      manifest,
      executed,
      differences,
      text: [`${executed.summary.trimEnd()}`, '', ...differences, verdict.sentence, ''].join('\n'),
      exitCode: strongestExit([
        verdict.exitCode,
        executed.outcome.errors.length > 0 ? EXIT.broken : EXIT.pass,
      ]),
    };
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

async function writeTopologies(
  dir: string,
  { topologies }: RunInputs,
  secrets: Readonly<Record<string, string>>,
): Promise<void> {
  await mkdir(dir, { recursive: true });
  for (const [name, { text: written }] of Object.entries(topologies)) {
    const { text, missing } = fillSecrets(written, secrets);
    if (missing.length > 0) {
      throw new SquallError(
        `bundle: topology ${name}: ${missing.join(', ')} was left out of it as a secret.`,
        {
          code: 'secret-missing',
          blame: 'input',
          hint: 'Give it by --secret NAME=VALUE; it is written to no record.',
        },
      );
    }
    await writeFile(join(dir, fileName(name)), text);
  }
}

function fileName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name)) return name;
  throw new SquallError(`bundle: ${JSON.stringify(name)} is no name of a topology.`, {
    code: 'bad-bundle',
    blame: 'input',
  });
}

async function resolve(
  inputs: ScenarioInputs,
  folder: string,
  loadSuite: ReplayRequest['loadSuite'],
): Promise<ResolvedScenario> {
  const data = inputs.data as Partial<ResolvedScenario>;
  const known = await loadSuite(inputs.suite);
  for (const used of data.uses ?? []) await loadSuite(basename(used));
  const ofSuite = known?.find(({ name }) => name === inputs.name || name === data.seedAs);
  const measures = (data.measure ?? []).filter((name) => !registeredMeasures().includes(name));
  const checks = (data.checks ?? [])
    .map(({ check }) => check)
    .filter((name) => !registeredChecks().includes(name));
  const code = ofSuite ? [] : inputs.code;
  const missing = [...measures, ...checks, ...code];
  if (missing.length > 0) {
    throw new SquallError(
      `bundle: scenario ${inputs.suite}/${inputs.name} needs ${missing.join(', ')}, which is code of suite "${inputs.suite}"; expected that suite here.`,
      {
        code: 'suite-missing',
        blame: 'input',
        hint: 'Replay it in a checkout that has it, or where suites/ holds it.',
      },
    );
  }
  return scenarioFrom(inputs, folder, ofSuite);
}

/** One selection a number of trials and warp, so that every point runs as often and as fast as it did. */
function selectionsOf(scenario: ResolvedScenario, inputs: ScenarioInputs): ScenarioSelection[] {
  const groups = new Map<string, ScenarioInputs['points']>();
  for (const point of inputs.points) {
    const key = `${point.trials} ${point.warp}`;
    groups.set(key, [...(groups.get(key) ?? []), point]);
  }
  return [...groups.values()].map((points) => ({
    scenario,
    points: points.map(({ point }) => point),
    trials: points[0]?.trials ?? 1,
    warps: [points[0]?.warp ?? 1],
  }));
}

function verdictDifferences(manifest: BundleManifest, run: RunRecord): string[] {
  const now = new Map(
    run.points.flatMap(({ pointId, checks }) =>
      checks.map(
        ({ title, verdict, sentence }) => [`${pointId}\u0000${title}`, { verdict, sentence }] as const,
      ),
    ),
  );
  return manifest.checks.flatMap(({ pointId, title, verdict }) => {
    const found = now.get(`${pointId}\u0000${title}`);
    if (found?.verdict === verdict) return [];
    return [
      `${title} [${pointId}]: was ${verdict}, is ${found?.verdict ?? 'not judged'}. ${found?.sentence ?? ''}`.trim(),
    ];
  });
}

/** Told, and no difference of verdicts: an image that was built here again has another id than where it was built first. */
async function imageDifferences(manifest: BundleManifest, dir: string): Promise<string[]> {
  const { trials } = await readRun(dir);
  const first = trials.find(({ finished }) => finished);
  if (!first) return [];
  const { nodes } = await readTrial(first.dir);
  const ids = new Map(nodes.map(({ image, imageId }) => [image, imageId]));
  return manifest.images.flatMap(({ image, imageId }) => {
    const here = ids.get(image);
    return here === undefined || here === imageId
      ? []
      : [`note: image ${image} was ${imageId}, is ${here} here`];
  });
}

function replayVerdict(
  manifest: BundleManifest,
  run: RunRecord,
): { readonly sentence: string; readonly exitCode: ExitCode } {
  if (manifest.checks.length === 0) {
    return {
      sentence: `replayed: ${run.verdict}; the bundle's run had no verdict`,
      exitCode: EXIT.inconclusive,
    };
  }
  const differ = verdictDifferences(manifest, run).length;
  return differ === 0
    ? { sentence: `replayed: the same verdict again, ${run.verdict}, check by check`, exitCode: EXIT.pass }
    : {
        sentence: `replayed: ${differ} of ${manifest.checks.length} checks said something else`,
        exitCode: EXIT.fail,
      };
}
