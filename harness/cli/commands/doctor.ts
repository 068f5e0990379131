import type { CommandModule } from 'yargs';
import { EXIT } from '../../errors/index.ts';

interface DoctorArguments {
  readonly json: boolean;
  readonly fix: boolean | undefined;
  readonly restore: boolean | undefined;
  readonly yes?: boolean;
}

/** An engine first, started where that is allowed; then what it takes to run the largest bed on it. */
async function fix(args: DoctorArguments, say: (text: string) => void, signal: AbortSignal): Promise<void> {
  const [{ findEngineFor }, { fixHost }] = await Promise.all([
    import('../find-engine-for.ts'),
    import('../doctor-actions.ts'),
  ]);
  const engine = await findEngineFor(args, signal);
  try {
    await fixHost(engine, { say });
  } finally {
    engine.close();
  }
}

/** What was undone is the command's answer, also when something after it fails. */
async function restore(json: boolean, say: (text: string) => void): Promise<void> {
  const { restoreHost } = await import('../doctor-actions.ts');
  const undone: string[] = [];
  try {
    await restoreHost({ undone: (line) => undone.push(line), say });
  } finally {
    const text = undone.length > 0 ? undone.join('\n') : 'Nothing to undo.';
    process.stdout.write(json ? `${JSON.stringify({ undone }, undefined, 2)}\n` : `${text}\n`);
  }
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
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'print the report, or what was undone, as JSON',
      })
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
    if (args.restore) return restore(args.json, say);
    if (args.fix) await fix(args, say, shutdown.signal);
    const { report, engine } = await examine(shutdown.signal);
    engine?.close();
    process.stdout.write(args.json ? `${JSON.stringify(report, null, 2)}\n` : `${doctorText(report)}\n`);
    if (report.advice.some((advice) => advice.level === 'problem')) process.exitCode = EXIT.broken;
  },
};
