import type { CommandModule } from 'yargs';
import { EXIT, SquallError } from '../../errors/index.ts';

interface DoctorArguments {
  readonly json: boolean;
  readonly fix: boolean | undefined;
  readonly restore: boolean | undefined;
  readonly yes?: boolean;
}

/** What `--fix` does: an engine, limits for the largest bed, and nothing left of runs that are gone. */
async function fix(args: DoctorArguments, say: (text: string) => void, signal: AbortSignal): Promise<void> {
  const [{ findEngineFor }, { raiseHostLimits, REFERENCE_BED }, { sweep }] = await Promise.all([
    import('../find-engine-for.ts'),
    import('../../host/index.ts'),
    import('../../testnet/index.ts'),
  ]);
  const engine = await findEngineFor(args, signal);
  try {
    if (engine.info.host === 'this') await raiseHostLimits(REFERENCE_BED, undefined, { onProgress: say });
    await sweep(engine, { dryRun: false, onProgress: say });
  } finally {
    engine.close();
  }
}

/** What `--restore` does: everything in the ledger undone, the engine's packages last. */
async function restore(say: (text: string) => void): Promise<void> {
  const [{ restoreHostLimits, restorePackages }, { embeddedStatus, engineHome }, { Ledger }] =
    await Promise.all([
      import('../../host/index.ts'),
      import('../../engine/index.ts'),
      import('../../state/index.ts'),
    ]);
  const ledger = new Ledger();
  for (const line of await restoreHostLimits(ledger)) say(line);
  const installed = ledger.entries().some((entry) => entry.kind === 'packages-installed');
  if (installed && embeddedStatus(engineHome()).pid !== undefined) {
    throw new SquallError('restore: the packages of the engine stay, because our engine runs', {
      code: 'engine-in-use',
      blame: 'input',
      hint: 'Stop it with `squall engine stop`, then restore again.',
    });
  }
  for (const line of await restorePackages(ledger, say)) say(line);
}

export const command: CommandModule<object, DoctorArguments> = {
  command: 'doctor',
  describe: 'what this host can do, what is missing, and what to do about it',
  builder: (cli) =>
    cli
      // Without defaults: to yargs a default is a value given, and the two exclude each other.
      .option('fix', {
        type: 'boolean',
        describe: 'start an engine, raise limits, remove what dead runs left',
      })
      .option('restore', {
        type: 'boolean',
        describe: 'undo every change that Squall made to this host',
      })
      .conflicts('fix', 'restore')
      .option('json', { type: 'boolean', default: false, describe: 'print the report as JSON' })
      .example('$0 doctor', 'every way to find an engine, what the kernel offers, which faults work')
      .example('$0 doctor --fix --yes', 'make this host ready without asking')
      .example('$0 doctor --restore', 'leave it as it was'),
  handler: async (args) => {
    const [{ examine }, { doctorText }, { createShutdown }] = await Promise.all([
      import('../examine.ts'),
      import('../doctor-text.ts'),
      import('../../testnet/index.ts'),
    ]);
    const say = (text: string): void => void process.stderr.write(`${text}\n`);
    using shutdown = createShutdown();
    if (args.restore) return restore(say);
    if (args.fix) await fix(args, say, shutdown.signal);
    const { report, engine } = await examine(shutdown.signal);
    engine?.close();
    process.stdout.write(args.json ? `${JSON.stringify(report, null, 2)}\n` : `${doctorText(report)}\n`);
    if (report.advice.some((advice) => advice.level === 'problem')) process.exitCode = EXIT.broken;
  },
};
