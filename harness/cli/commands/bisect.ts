import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CommandModule } from 'yargs';
import { SquallError } from '../../errors/index.ts';
import type { ResolvedScenario } from '../../scenario/index.ts';
import type { VersionPlace } from '../../session/index.ts';
import { currentCall } from '../current-call.ts';
import { onceEach } from '../refuse-repeated.ts';
import { requireWhole } from '../require-whole.ts';
import { runRequest } from '../run-options.ts';
import { didYouMean } from '../suggest.ts';

interface BisectArguments {
  readonly suite: string;
  readonly scenario: string | undefined;
  readonly good: string | undefined;
  readonly bad: string | undefined;
  readonly over: string;
  readonly versions: string | undefined;
  readonly list: string | undefined;
  readonly 'missing-fix': boolean;
  readonly set: readonly string[];
  readonly check: readonly string[];
  readonly confidence: number;
  readonly 'max-trials': number;
  readonly 'step-trials': number;
  readonly seed: string | undefined;
  readonly 'parallel-beds': number | undefined;
  readonly reports: string;
  readonly json: boolean;
  readonly yes?: boolean;
}

/** `squall bisect SUITE --good V --bad V`: the first bad version, or the missing fix, and how sure that is. */
export const command: CommandModule<object, BisectArguments> = {
  command: 'bisect <suite>',
  describe: 'find the first bad version, or the missing fix, with enough trials to be sure',
  builder: (cli) =>
    cli
      .positional('suite', {
        type: 'string',
        demandOption: true,
        describe: 'a suite or a scenario file that shows the defect',
      })
      .option('scenario', { type: 'string', describe: 'which of its scenarios, where it has several' })
      .option('good', { type: 'string', describe: 'a version that does not show it; the first of the list' })
      .option('bad', { type: 'string', describe: 'a version that shows it; the last of the list' })
      .option('over', {
        type: 'string',
        default: 'variant',
        describe:
          'where versions go: a parameter of the scenario, or image:ROLE (tags, NAME:VERSION, images of commits)',
      })
      .option('versions', {
        type: 'string',
        describe: 'in order, with commas; the choices of the parameter when left out',
      })
      .option('list', { type: 'string', describe: 'a file with the versions in order, one a line' })
      .option('missing-fix', {
        type: 'boolean',
        default: false,
        describe: 'good and bad are variants: name the settings that the bad one lacks',
      })
      .option('set', {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        describe: 'a parameter as NAME=VALUE',
      })
      .option('check', {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        describe: 'title of the check that fails where it shows; those that must fail when left out',
      })
      .option('confidence', {
        type: 'number',
        default: 0.95,
        describe: 'chance of being right at which it ends',
      })
      .option('max-trials', { type: 'number', default: 120, describe: 'trials it may take at most' })
      .option('step-trials', { type: 'number', default: 2, describe: 'trials of one version in a row' })
      .option('seed', { type: 'string', describe: 'repeats it' })
      .option('parallel-beds', { type: 'number', describe: 'beds side by side; what the host has room for' })
      .option('reports', {
        type: 'string',
        default: 'reports',
        describe: 'folder for records and bisect.json',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print the outcome as JSON' })
      .example(
        '$0 bisect my.scenario.yaml --over image:server --versions app:1.0,app:1.1,app:1.2',
        'which tag brought it',
      )
      .example(
        '$0 bisect suites/incidents/rack-uplink.scenario.yaml --missing-fix --good both --bad shipped',
        'what the old one lacks',
      )
      .example(
        '$0 bisect my.scenario.yaml --over image:node --list images-of-commits.txt --confidence 0.99',
        '',
      )
      .epilogue(
        'Exit codes: 0 found, 1 an end is not what it was called, 2 unclear, 3 wrong input, 4 broken.',
      ) as never,
  handler: async (args) => {
    requireNumbers(args);
    const place = readPlace(args.over);
    const [session, { loadSuite }, { underConsole }] = await Promise.all([
      import('../../session/index.ts'),
      import('../../suite/index.ts'),
      import('../run-console.ts'),
    ]);
    const scenario = requireOne((await loadSuite(args.suite)).scenarios, args.scenario);
    const { point, checks } = session.bisectSubject(scenario, readSet(args.set), args.check);
    const versions = args['missing-fix']
      ? []
      : between(await versionsOf(args, scenario, place), args.good, args.bad);
    await underConsole(async (around) => {
      const common = {
        scenario,
        point,
        checks,
        command: currentCall(),
        mostTrials: args['max-trials'],
        ...runRequest(args),
        onProgress: (text: string) => around.observer.noted(text),
        ...around,
      };
      const { result, text, exitCode } = args['missing-fix']
        ? await session.executeMissingFix({
            ...common,
            good: required('good', args.good),
            bad: required('bad', args.bad),
            badTrials: Math.max(5, args['step-trials']),
          })
        : await session.executeBisect({
            ...common,
            place,
            versions,
            confidence: args.confidence,
            stepTrials: args['step-trials'],
          });
      const dir = join(args.reports, `${session.newRunId(new Date())}-bisect`);
      await mkdir(dir, { recursive: true });
      const file = join(dir, 'bisect.json');
      await session.writeBisection(file, result);
      const output = args.json ? `${JSON.stringify(result, undefined, 2)}\n` : `${text}${file}\n`;
      return { output, exitCode };
    });
  },
};

function requireNumbers(args: BisectArguments): void {
  const { confidence } = args;
  if (!(confidence > 0.5 && confidence < 1)) {
    throw new SquallError(`--confidence ${confidence}: expected a chance between 0.5 and 1, such as 0.95.`, {
      code: 'bad-confidence',
      blame: 'input',
    });
  }
  for (const name of ['max-trials', 'step-trials'] as const) requireWhole(name, args[name]);
}

function readPlace(text: string): VersionPlace {
  return text.startsWith('image:')
    ? { kind: 'image', role: text.slice('image:'.length) }
    : { kind: 'parameter', name: text };
}

function requireOne(scenarios: readonly ResolvedScenario[], name: string | undefined): ResolvedScenario {
  const names = scenarios.map((one) => one.name);
  const found = name === undefined ? scenarios : scenarios.filter((one) => one.name === name);
  if (found.length === 1 && found[0]) return found[0];
  throw new SquallError(
    name === undefined
      ? `bisect: ${names.length} scenarios; expected --scenario with one of ${names.join(', ')}.`
      : `--scenario ${name}: there is none of this name. ${didYouMean(name, names)}`,
    { code: 'unknown-scenario', blame: 'input' },
  );
}

function readSet(texts: readonly string[]): Record<string, string> {
  return onceEach(
    '--set',
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
      throw new SquallError(`--set ${text}: expected NAME=VALUE.`, { code: 'bad-parameter', blame: 'input' });
    }),
  );
}

async function versionsOf(
  args: BisectArguments,
  scenario: ResolvedScenario,
  place: VersionPlace,
): Promise<readonly string[]> {
  if (args.versions !== undefined) return args.versions.split(',').map((one) => one.trim());
  if (args.list !== undefined) {
    const text = await readFile(args.list, 'utf8').catch((cause: unknown) => {
      throw new SquallError(`--list ${args.list}: cannot be read.`, {
        code: 'bad-list',
        blame: 'input',
        cause,
      });
    });
    return text
      .split('\n')
      .map((line) => line.replace(/#.*/, '').trim())
      .filter((line) => line !== '');
  }
  const choices = place.kind === 'parameter' ? scenario.parameters[place.name]?.choices : undefined;
  if (choices) return choices;
  throw new SquallError('bisect: over which versions? Expected --versions A,B,C or --list FILE.', {
    code: 'no-versions',
    blame: 'input',
  });
}

/** The part of the list from the good end to the bad one; turned round where the bad one comes first. */
function between(
  versions: readonly string[],
  good: string | undefined,
  bad: string | undefined,
): readonly string[] {
  const twice = versions.find((one, index) => versions.indexOf(one) !== index);
  if (twice !== undefined) {
    throw new SquallError(`bisect: "${twice}" stands twice among the versions.`, {
      code: 'bad-versions',
      blame: 'input',
    });
  }
  const at = (option: string, version: string | undefined, otherwise: number): number => {
    if (version === undefined) return otherwise;
    const index = versions.indexOf(version);
    if (index >= 0) return index;
    throw new SquallError(
      `--${option} ${version}: is not among the versions. ${didYouMean(version, versions)}`,
      {
        code: 'bad-versions',
        blame: 'input',
      },
    );
  };
  const from = at('good', good, 0);
  const to = at('bad', bad, versions.length - 1);
  return from <= to ? versions.slice(from, to + 1) : versions.slice(to, from + 1).reverse();
}

function required(option: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new SquallError(`bisect: --missing-fix needs --${option} VARIANT.`, {
    code: 'bad-usage',
    blame: 'input',
  });
}
