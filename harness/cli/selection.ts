import type { Argv } from 'yargs';
import { SquallError } from '../errors/index.ts';
import type { ResolvedScenario, ScenarioSelection } from '../scenario/index.ts';
import type { LoadedSuite } from '../suite/index.ts';
import { keepGridSides } from './grid-sides.ts';
import { offerValues } from './offered-values.ts';
import {
  addParameterOptions,
  givenParameters,
  listsFor,
  parameterOptions,
  requireFitting,
} from './parameter-options.ts';
import { requireWhole } from './require-whole.ts';
import type { TrialArguments } from './run-options.ts';
import { didYouMean } from './suggest.ts';
import { paceSelections, readWarps } from './warps.ts';

/** Options that say what of the suites is meant; the same for `plan` and `run`. */
export interface SelectionArguments {
  /** Each one, or several with commas between them. */
  readonly scenario?: readonly string[] | undefined;
  readonly grid?: string | undefined;
  readonly grep?: string | undefined;
  readonly trials?: number | undefined;
  /** Each `4`, or `1,4`: every point at each of them. */
  readonly warp: readonly string[];
  readonly set?: readonly string[] | undefined;
}

export function addSelectionOptions<T>(
  cli: Argv<T>,
  suites: readonly LoadedSuite[],
): Argv<T & SelectionArguments> {
  const grids = [
    ...new Set(suites.flatMap((suite) => suite.scenarios.flatMap((one) => Object.keys(one.grids)))),
  ];
  const names = suites.flatMap((suite) => suite.scenarios.map((one) => one.name));
  const options = cli
    .option('scenario', {
      type: 'string',
      array: true,
      nargs: 1,
      describe: `only this scenario, or these: a,b; may be given again${listed(names)}`,
    })
    .option('grid', { type: 'string', describe: `grid of points to run${listed(grids)}` })
    .option('grep', {
      type: 'string',
      describe: 'only points whose `scenario/point` matches this regular expression',
    })
    .option('set', {
      type: 'string',
      array: true,
      nargs: 1,
      describe: 'a parameter as NAME=VALUE[,VALUE]; the canonical form of the options below',
    })
    .option('trials', { type: 'number', describe: 'trials a point, in place of the suite’s number' })
    .option('warp', {
      type: 'string',
      array: true,
      nargs: 1,
      default: ['1'],
      describe: 'run every interval this many times faster; 1,4 runs every point at both, on the same seeds',
    });
  offerValues(options, 'scenario', names);
  offerValues(options, 'grid', grids);
  return addParameterOptions(options, parameterOptions(allScenarios(suites)));
}

function listed(names: readonly string[]): string {
  return names.length > 0 ? `: ${names.join(', ')}` : '';
}

function allScenarios(suites: readonly LoadedSuite[]): readonly ResolvedScenario[] {
  return suites.flatMap((suite) => suite.scenarios);
}

/** What a call selects, and what it leaves out and why. */
export interface Selected {
  readonly selections: readonly ScenarioSelection[];
  readonly notes: readonly string[];
}

/** @throws SquallError (input) when nothing is selected, or something that is named does not exist */
export function select(
  suites: readonly LoadedSuite[],
  args: SelectionArguments & TrialArguments & Readonly<Record<string, unknown>>,
): Selected {
  requireWhole('trials', args.trials);
  requireWhole('parallel-beds', args['parallel-beds'], { code: 'bad-beds' });
  const scenarios = allScenarios(suites);
  const given = givenParameters(args, parameterOptions(scenarios));
  const grep = args.grep === undefined ? undefined : readPattern(args.grep);
  const warps = readWarps(args.warp.join());
  const notes: string[] = [];
  const selections: ScenarioSelection[] = [];
  const asked = args.scenario?.flatMap(namesIn);
  for (const name of asked ?? []) {
    requireKnown(
      'scenario',
      name,
      scenarios.map((scenario) => scenario.name),
    );
  }
  requireKnown('grid', args.grid, [...new Set(scenarios.flatMap((scenario) => Object.keys(scenario.grids)))]);
  const meant = scenarios.filter(({ name }) => asked?.includes(name) ?? true);
  requireFitting(meant, given);
  for (const scenario of meant) {
    const named = args.scenario !== undefined || args.grid !== undefined || scenarios.length === 1;
    if (scenario.onlyWhenNamed && !named) {
      notes.push(`${scenario.name} is left out: it runs only when --scenario or --grid names it`);
      continue;
    }
    const lists = listsFor(scenario, given);
    if (!lists) {
      const missing = Object.keys(given).filter((name) => !(name in scenario.parameters));
      notes.push(
        `${scenario.name} is left out: it has no ${missing.map((name) => `--${name}`).join(' and no ')}`,
      );
      continue;
    }
    const unfit = Object.keys(lists).filter((name) => lists[name]?.length === 0);
    if (unfit.length > 0) {
      const texts = unfit.map((name) => `--${name} ${given[name]?.join(',')}`);
      notes.push(`${scenario.name} is left out: it knows no ${texts.join(' and no ')}`);
      continue;
    }
    if (args.grid !== undefined && !(args.grid in scenario.grids)) {
      notes.push(`${scenario.name} is left out: it has no grid "${args.grid}"`);
      continue;
    }
    selections.push({
      scenario,
      lists,
      ...(args.grid !== undefined && { grid: args.grid }),
      ...(args.trials !== undefined && { trials: args.trials }),
      ...(grep && { grep }),
    });
  }
  if (selections.length === 0) {
    throw new SquallError(`nothing selected: ${notes.join('; ') || 'no scenario'}.`, {
      code: 'nothing-selected',
      blame: 'input',
    });
  }
  const kept =
    args.scenario === undefined && scenarios.length > 1
      ? keepGridSides(selections)
      : { selections, notes: [] };
  const paced = paceSelections(kept.selections, warps, args.scenario !== undefined);
  return { selections: paced.selections, notes: [...notes, ...kept.notes, ...paced.notes] };
}

function requireKnown(option: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return;
  throw new SquallError(`--${option} ${value}: there is none of this name. ${didYouMean(value, known)}`, {
    code: `unknown-${option}`,
    blame: 'input',
  });
}

function readPattern(text: string): RegExp {
  try {
    return new RegExp(text);
  } catch (error) {
    throw new SquallError(`--grep ${text}: no regular expression; ${(error as Error).message}.`, {
      code: 'bad-pattern',
      blame: 'input',
      cause: error,
    });
  }
}

/** Names between commas. @throws SquallError (input) for an empty one: what was left out may be what was meant */
function namesIn(text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (!names.includes('')) return names;
  throw new SquallError(`--scenario ${text}: a name is empty; expected names between commas, such as a,b.`, {
    code: 'unknown-scenario',
    blame: 'input',
  });
}
