import type { CommandModule } from 'yargs';
import { addCaptureOptions, type CaptureArguments, captureRequest } from '../capture-options.ts';
import { currentCall } from '../current-call.ts';
import { addRunOptions, type RunArguments, runRequest } from '../run-options.ts';
import { addSelectionOptions, type SelectionArguments, select } from '../selection.ts';
import { addSuites, loadNamedSuites, type SuiteArguments } from '../suite-arguments.ts';

interface RunSuitesArguments extends SuiteArguments, RunArguments, SelectionArguments, CaptureArguments {
  readonly 'keep-on-failure': boolean;
}

export const command: CommandModule<object, RunSuitesArguments> = {
  command: 'run <suites..>',
  describe: 'run suites or scenarios; writes a record and reports under reports/',
  builder: async (cli) => {
    const suites = await loadNamedSuites(currentCall());
    const options = addSuites(cli)
      .option('keep-on-failure', {
        type: 'boolean',
        default: false,
        describe: 'leave the bed of the first failed trial to a keeper, for `squall attach`',
      })
      .example('$0 run suites/memberlist --grid gate', 'the quick gate')
      .example(
        '$0 run suites/memberlist --cutoff 8 --outage 40s --variant shipped,both --trials 3 --seed 7',
        'one point, two variants, the same targets in both',
      )
      .example('$0 run suites/memberlist --grid core --resume', 'a long grid, continued where it stopped')
      .example(
        '$0 run suites/memberlist --grid onset --warp 1,4',
        'the same points at real speed and four times faster, side by side',
      )
      .example(
        '$0 run suites/memberlist --cutoff 8 --outage 40s --trials 1 --pcap',
        'with the packets of every node, for Wireshark',
      )
      .example('$0 run my.scenario.yaml --keep-on-failure', 'enter the bed of a failure afterwards');
    return addSelectionOptions(addCaptureOptions(addRunOptions(options)), suites);
  },
  handler: async (args) => {
    const argv = currentCall();
    const capture = captureRequest(args);
    const { selections, notes } = select(await loadNamedSuites(argv), args);
    const [{ executeRun }, { underConsole }] = await Promise.all([
      import('../../session/index.ts'),
      import('../run-console.ts'),
    ]);
    await underConsole(async (around) => {
      for (const note of notes) around.observer.noted(note);
      const { exitCode, summary, reports } = await executeRun({
        selections,
        command: argv,
        ...runRequest(args),
        keepOnFailure: args['keep-on-failure'],
        ...(capture && { capture }),
        resume: args.resume,
        ...around,
      });
      return { output: `${summary}${reports.map((path) => `${path}\n`).join('')}`, exitCode };
    });
  },
};
