import { randomBytes } from 'node:crypto';
import {
  type Bisected,
  bisectVersions,
  describeBisection,
  describeMissingFix,
  findMissingFix,
  type MissingFix,
  type VersionCounts,
} from '../bisection/index.ts';
import { EXIT, type ExitCode, SquallError } from '../errors/index.ts';
import { type ImageDescription, readImages } from '../image/index.ts';
import type { TrialPort } from '../incident/index.ts';
import { type ParameterValue, type Point, writeAtomically } from '../record/index.ts';
import { type ResolvedScenario, readParameter } from '../scenario/index.ts';
import { type BisectSubject, withOverrides } from './bisect-subject.ts';
import { type IncidentTrialsOptions, incidentTrials } from './incident-trials.ts';
import { topologyResolver } from './topology-resolver.ts';

/** Where the versions are put: into a parameter of the scenario, or in the place of a role's image. */
export type VersionPlace =
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'image'; readonly role: string };

interface Common extends Omit<IncidentTrialsOptions, 'home'>, BisectSubject {
  /** Drawn at random when absent. */
  readonly seed?: string;
  readonly mostTrials: number;
  readonly onProgress: (text: string) => void;
  readonly signal: AbortSignal;
}

export interface BisectRequest extends Common {
  readonly place: VersionPlace;
  /** In order, the good end first. */
  readonly versions: readonly string[];
  readonly confidence: number;
  readonly stepTrials: number;
}

export interface MissingFixRequest extends Common {
  readonly good: string;
  readonly bad: string;
  readonly badTrials: number;
}

export interface ExecutedBisect<R> {
  readonly result: R;
  readonly text: string;
  /** 0: found; 1: an end is not what it was called; 2: unclear. */
  readonly exitCode: ExitCode;
}

/** Bisects versions with real trials. @throws SquallError (input) for versions that do not fit their place */
export async function executeBisect(request: BisectRequest): Promise<ExecutedBisect<Bisected>> {
  const { scenario, point, place, versions } = request;
  const tryings = versions.map((version) => atVersion(scenario, point, place, version));
  const run = trialRunner(request);
  const result = await bisectVersions({
    versions,
    confidence: request.confidence,
    mostTrials: request.mostTrials,
    stepTrials: request.stepTrials,
    onProgress: request.onProgress,
    tryVersion: async (version, trials) => {
      const trying = tryings[version];
      if (!trying) throw new SquallError(`bisect: no version ${version}`, { code: 'no-such-version' });
      return await run(trying.scenario, trying.point, trials);
    },
  });
  const exitCode =
    result.outcome === 'found' ? EXIT.pass : result.outcome === 'unclear' ? EXIT.inconclusive : EXIT.fail;
  return { result, text: describeBisection(result), exitCode };
}

function atVersion(scenario: ResolvedScenario, point: Point, place: VersionPlace, version: string) {
  if (place.kind === 'image') {
    // A name of its own for each: their topologies differ, and so do the folders of their trials.
    const name = `${scenario.name}-${version.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}`.replace(
      /-+$/,
      '',
    );
    return { scenario: withOverrides(scenario, name, { images: { [place.role]: version } }), point };
  }
  const spec = scenario.parameters[place.name];
  if (!spec) {
    throw new SquallError(`scenario ${scenario.name}: no parameter "${place.name}" to put versions into.`, {
      code: 'bad-parameter',
      blame: 'input',
      hint: `It has ${Object.keys(scenario.parameters).join(', ') || 'none'}; or name a role: --over image:ROLE.`,
    });
  }
  const value: ParameterValue = readParameter(place.name, spec, version);
  return { scenario: withOverrides(scenario, scenario.name, {}), point: { ...point, [place.name]: value } };
}

/** Names what the bad variant lacks of the good one, with real trials. @throws SquallError `no-such-variants` (input) */
export async function executeMissingFix(request: MissingFixRequest): Promise<ExecutedBisect<MissingFix>> {
  const { scenario, good, bad, onProgress, badTrials } = request;
  const point = 'variant' in scenario.parameters ? { ...request.point, variant: bad } : request.point;
  const image = imageOf(good, bad);
  const [better, worse] = [settingsOf(image, good), settingsOf(image, bad)];
  const fixes = Object.keys(better).filter((name) => better[name] !== worse[name]);
  if (fixes.length === 0) {
    throw new SquallError(`variants ${good} and ${bad} of ${image.name} have the same settings.`, {
      code: 'no-such-variants',
      blame: 'input',
    });
  }
  const resolve = topologyResolver(request.cwd === undefined ? {} : { cwd: request.cwd });
  const { nodes } = resolve(scenario, point, { warp: 1 });
  const roles = new Set(
    nodes
      .filter((node) => node.image.kind === 'ours' && node.image.name === image.name)
      .map(({ role }) => role),
  );
  const run = trialRunner(request);
  const result = await findMissingFix(
    fixes,
    async (some, trials) => {
      const settings = Object.fromEntries(some.map((name) => [name, better[name] as ParameterValue]));
      const overrides = {
        variant: bad,
        settings: Object.fromEntries([...roles].map((role) => [role, settings])),
      };
      return await run(withOverrides(scenario, scenario.name, overrides), point, trials, some.length > 0);
    },
    { badTrials, onProgress },
  );
  const exitCode =
    result.outcome === 'found' ? EXIT.pass : result.outcome === 'unclear' ? EXIT.inconclusive : EXIT.fail;
  return { result, text: describeMissingFix(good, bad, result), exitCode };
}

function imageOf(good: string, bad: string): ImageDescription {
  const images = readImages();
  const has = ({ variants, mutants }: ImageDescription, name: string): boolean =>
    name in variants || name in mutants;
  const found = images.find((image) => has(image, good) && has(image, bad));
  if (found) return found;
  throw new SquallError(`no image has both variants "${good}" and "${bad}"; expected two of one image.`, {
    code: 'no-such-variants',
    blame: 'input',
  });
}

/** What a variant sets, the image's defaults for the rest. */
function settingsOf(image: ImageDescription, variant: string): Record<string, unknown> {
  const own = (image.variants[variant] ?? image.mutants[variant])?.settings ?? {};
  const all = [...Object.values(image.variants), ...Object.values(image.mutants)];
  const names = new Set(all.flatMap(({ settings }) => Object.keys(settings)));
  const defaults = new Map(image.settings.map((setting) => [setting.name, setting.default]));
  return Object.fromEntries([...names].map((name) => [name, own[name] ?? defaults.get(name)]));
}

/** Each call is a run; its seed is its own, and all versions tried in it would draw the same. */
function trialRunner(request: Common) {
  const { scenario, checks, signal, mostTrials } = request;
  const { point: _point, onProgress: _onProgress, seed: given, ...rest } = request;
  const seed = given ?? randomBytes(4).readUInt32BE().toString();
  const home = { suite: scenario.suite, folder: scenario.folder ?? process.cwd() };
  const port: TrialPort = incidentTrials({ ...rest, home });
  let rounds = 0;
  let spent = 0;
  return async (
    spec: ResolvedScenario,
    point: Point,
    trials: number,
    stopWhenShown = false,
  ): Promise<VersionCounts> => {
    if (spent + trials > mostTrials && stopWhenShown) return { shown: 0, counted: 0 };
    rounds += 1;
    const [tried] = await port.tryAll(
      [{ spec, point, trials, ...(stopWhenShown && { enough: (shown: number) => shown > 0 }) }],
      { checks, seed: `${seed}.${rounds}`, signal },
    );
    if (tried?.refused !== undefined) {
      throw new SquallError(`bisect: ${tried.refused}`, { code: 'version-refused', blame: 'input' });
    }
    spent += (tried?.counted ?? 0) + (tried?.voids ?? 0);
    return { shown: tried?.shown ?? 0, counted: tried?.counted ?? 0 };
  };
}

/** What a bisection came to, for programs. */
export async function writeBisection(file: string, result: Bisected | MissingFix): Promise<void> {
  await writeAtomically(file, `${JSON.stringify(result, undefined, 2)}\n`);
}
