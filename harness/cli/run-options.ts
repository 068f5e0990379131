import type { Argv } from 'yargs';

/** How trials are played; the same for what plays them and for `plan`. */
export interface TrialArguments {
  readonly seed?: string | undefined;
  readonly 'parallel-beds'?: number | undefined;
}

export function addTrialOptions<T>(cli: Argv<T>): Argv<T & TrialArguments> {
  return cli
    .option('seed', { type: 'string', describe: 'repeats a run: the same targets, the same timeline' })
    .option('parallel-beds', {
      type: 'number',
      describe: 'beds side by side; what the host has room for when left out',
    });
}

/** How a run is played, kept and gone on with; the same for `run`, `mutate` and `gate`. */
export interface RunArguments extends TrialArguments {
  readonly reports: string;
  readonly resume: boolean;
  /** An option of every command. */
  readonly yes?: boolean;
}

export function addRunOptions<T>(cli: Argv<T>): Argv<T & RunArguments> {
  return addTrialOptions(cli)
    .option('reports', { type: 'string', default: 'reports', describe: 'folder for records and reports' })
    .option('resume', {
      type: 'boolean',
      default: false,
      describe: 'go on with the newest run of the same plan; what is done is not done again',
    });
}

/** What these options ask of the session; of any command that plays trials, whichever of them it has. */
export function runRequest(args: TrialArguments & Pick<RunArguments, 'reports' | 'yes'>) {
  return {
    ...(args.seed !== undefined && { seed: args.seed }),
    ...(args['parallel-beds'] !== undefined && { parallelBeds: args['parallel-beds'] }),
    ...(args.yes !== undefined && { yes: args.yes }),
    reportsDir: args.reports,
  };
}
