import type { CommandModule } from 'yargs';
import { SquallError } from '../../errors/index.ts';
import { readImages } from '../../image/index.ts';
import type { ScenarioSelection } from '../../scenario/index.ts';
import { parseRatio } from '../../units/index.ts';
import { currentCall } from '../current-call.ts';
import { requireWhole } from '../require-whole.ts';
import { addRunOptions, type RunArguments, runRequest } from '../run-options.ts';
import { didYouMean } from '../suggest.ts';
import { addSuitesOrAll, loadNamedSuites, type SuiteArguments } from '../suite-arguments.ts';
import { paceSelections, readOneWarp } from '../warps.ts';

interface MutateArguments extends SuiteArguments, RunArguments {
  readonly mutant?: readonly string[] | undefined;
  readonly all: boolean;
  readonly threshold?: string | undefined;
  readonly trials?: number | undefined;
  readonly warp: string;
  readonly json: boolean;
}

/** `squall mutate [SUITE…]`: each mutant that a scenario claims to kill, with the fix on and with the mutant in its place. */
export const command: CommandModule<object, MutateArguments> = {
  command: 'mutate [suites..]',
  describe: 'switch each fix off in turn: the designated scenario must fail',
  builder: (cli) => {
    const options = addSuitesOrAll(cli)
      .option('mutant', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'only this mutant; may be given again',
      })
      .option('all', {
        type: 'boolean',
        default: false,
        describe: 'every scenario that can, not only the designated one; those decide nothing',
      })
      .option('threshold', {
        type: 'string',
        requiresArg: true,
        describe: 'score that is enough, such as 80%; without it every survivor fails',
      })
      .option('trials', { type: 'number', describe: 'trials of each mutant and of each control' })
      .option('warp', {
        type: 'string',
        default: '1',
        requiresArg: true,
        describe: 'run every interval this many times faster; scenarios that allow none run at real speed',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print the result as JSON' })
      .example('$0 mutate', 'every mutant of every suite; exit 1 when one survives')
      .example('$0 mutate suites/memberlist', 'those of one suite')
      .example('$0 mutate suites/memberlist --all --threshold 80%', 'the whole matrix; a score is enough')
      .example(
        '$0 mutate suites/memberlist --mutant both-without-grace --trials 5',
        'one of them, more often',
      )
      .example('$0 mutate suites/smp --warp 4', 'every mutant, every interval a fourth as long');
    return addRunOptions(options);
  },
  handler: async (args) => {
    const argv = currentCall();
    requireWhole('trials', args.trials);
    const warp = readOneWarp(String(args.warp));
    const suites = await loadNamedSuites(argv);
    const [
      { claimProblems, executeMutation, knownMutants, mutantClaims, otherClaims, unclaimedMutants },
      { underConsole },
    ] = await Promise.all([import('../../session/index.ts'), import('../run-console.ts')]);
    const mutants = knownMutants(readImages());
    const all = mutantClaims(
      suites.flatMap((suite) => suite.scenarios),
      mutants,
    );
    const claims = all.filter((claim) => !args.mutant || args.mutant.includes(claim.mutant));
    for (const name of args.mutant ?? []) {
      if (claims.some((claim) => claim.mutant === name)) continue;
      const known = all.map((claim) => claim.mutant);
      throw new SquallError(
        `--mutant ${name}: no scenario of these suites claims it. ${didYouMean(name, known)}`,
        {
          code: 'unknown-mutant',
          blame: 'input',
        },
      );
    }
    if (claims.length === 0) {
      throw new SquallError('mutate: no scenario of these suites claims a mutant.', {
        code: 'nothing-selected',
        blame: 'input',
        hint: 'Say in a scenario what it kills: kills: [{mutant: NAME, point: {…}}].',
      });
    }
    await underConsole(async (around) => {
      const images = new Set(all.map((claim) => claim.image));
      const relevant = mutants.filter((mutant) => images.has(mutant.image));
      const uncovered = args.mutant ? [] : unclaimedMutants(relevant, all);
      const others = args.all
        ? otherClaims(
            claims,
            suites.flatMap((suite) => suite.scenarios),
          )
        : [];
      for (const problem of claimProblems(all, relevant)) around.observer.noted(problem);
      const pace = (selections: readonly ScenarioSelection[]): readonly ScenarioSelection[] => {
        const paced = paceSelections(selections, [warp], false);
        for (const note of paced.notes) around.observer.noted(note);
        return paced.selections;
      };
      const { report, text, reports, exitCode } = await executeMutation({
        claims: [...claims, ...others],
        uncovered,
        pace,
        ...(args.threshold !== undefined && { threshold: parseRatio(args.threshold) }),
        command: argv,
        ...(args.trials !== undefined && { trials: args.trials }),
        ...runRequest(args),
        resume: args.resume,
        ...around,
      });
      const output = args.json
        ? `${JSON.stringify(report, undefined, 2)}\n`
        : `${text}${reports.map((path) => `${path}\n`).join('')}`;
      return { output, exitCode };
    });
  },
};
