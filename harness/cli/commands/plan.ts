import type { CommandModule } from 'yargs';
import { addCaptureOptions, type CaptureArguments, captureRequest } from '../capture-options.ts';
import { currentCall } from '../current-call.ts';
import { describePlan } from '../describe-plan.ts';
import { addTrialOptions, type TrialArguments } from '../run-options.ts';
import { addSelectionOptions, type SelectionArguments, select } from '../selection.ts';
import { addSuites, loadNamedSuites, type SuiteArguments } from '../suite-arguments.ts';

interface PlanArguments extends SuiteArguments, TrialArguments, SelectionArguments, CaptureArguments {
  readonly json: boolean;
}

export const command: CommandModule<object, PlanArguments> = {
  command: 'plan <suites..>',
  describe: 'trials, beds, minutes, memory and disk, before anything starts',
  builder: async (cli) => {
    const suites = await loadNamedSuites(currentCall());
    const options = addSuites(cli)
      .option('json', { type: 'boolean', default: false, describe: 'print the plan as JSON' })
      .example('$0 plan suites/memberlist', 'what the default grids would cost')
      .example('$0 plan suites/memberlist --grid core', 'the same for a named grid')
      .example('$0 plan suites/memberlist --cutoff 8 --outage 24s,40s --json', 'for a script');
    return addSelectionOptions(addCaptureOptions(addTrialOptions(options)), suites);
  },
  handler: async (args) => {
    const capture = captureRequest(args);
    const suites = await loadNamedSuites(currentCall());
    const { selections, notes } = select(suites, args);
    const { checkPlan, makePlan, planCosts } = await import('../../session/index.ts');
    const plan = makePlan({
      selections,
      ...(args.seed !== undefined && { seed: args.seed }),
      command: currentCall(),
    });
    checkPlan(plan);
    const costs = await planCosts(plan, args['parallel-beds'], undefined, capture);
    for (const note of notes) process.stderr.write(`${note}\n`);
    process.stdout.write(
      args.json ? `${JSON.stringify({ ...plan.record, costs }, undefined, 2)}\n` : describePlan(plan, costs),
    );
  },
};
