import type { ArgumentsCamelCase, CommandModule } from 'yargs';
import { SquallError } from '../../errors/index.ts';

interface EngineArguments {
  readonly json: boolean;
  readonly yes?: boolean;
}

interface StopArguments extends EngineArguments {
  readonly force: boolean;
}

const print = (json: boolean, value: object, text: string): void => {
  process.stdout.write(json ? `${JSON.stringify(value, null, 2)}\n` : `${text}\n`);
};

async function start(args: ArgumentsCamelCase<EngineArguments>): Promise<void> {
  const [{ findEngineFor }, { createShutdown }] = await Promise.all([
    import('../find-engine-for.ts'),
    import('../../testnet/index.ts'),
  ]);
  using shutdown = createShutdown();
  const engine = await findEngineFor(args, shutdown.signal);
  const { origin, endpoint, version, apiVersion } = engine.info;
  engine.close();
  print(args.json, engine.info, `engine ${version} (API ${apiVersion}) at ${endpoint}, found by: ${origin}`);
}

async function status(args: ArgumentsCamelCase<EngineArguments>): Promise<void> {
  const { connectEngine, embeddedStatus, engineHome, hasCode } = await import('../../engine/index.ts');
  const own = embeddedStatus(engineHome());
  const engine = await connectEngine(`unix://${own.socket}`, { origin: 'embedded' }).catch(
    (error: unknown) => {
      if (hasCode(error, 'engine-unreachable')) return undefined;
      throw error;
    },
  );
  const containers = engine ? (await engine.listContainers([])).length : 0;
  engine?.close();
  const value = {
    running: engine !== undefined,
    ...own,
    containers,
    ...(engine ? { info: engine.info } : {}),
  };
  const text = engine
    ? `our engine runs: process ${own.pid}, version ${engine.info.version}, ${containers} containers, at ${own.socket}\nlog: ${own.log}`
    : own.pid === undefined
      ? `our engine does not run (its socket would be ${own.socket}). Start it with \`squall engine start\`.`
      : `our engine, process ${own.pid}, does not answer at ${own.socket}. Look into ${own.log}, or stop it.`;
  print(args.json, value, text);
}

async function stop(args: ArgumentsCamelCase<StopArguments>): Promise<void> {
  const { connectEngine, engineHome, hasCode, stopEmbeddedEngine } = await import('../../engine/index.ts');
  const [{ listSubnetLeases }, { progressLines }] = await Promise.all([
    import('../../network/index.ts'),
    import('../progress-lines.ts'),
  ]);
  const home = engineHome();
  const engine = await connectEngine(`unix://${home.socket}`).catch((error: unknown) => {
    if (hasCode(error, 'engine-unreachable')) return undefined;
    throw error;
  });
  const living = engine ? (await engine.listContainers([])).filter((one) => one.state === 'running') : [];
  engine?.close();
  // A bed that is being started has its addresses before its first container.
  const beds = listSubnetLeases().map((holder) => `bed ${holder.bedId} of process ${holder.pid}`);
  if (living.length + beds.length > 0 && !args.force) {
    const what =
      living.length > 0 ? `${living.length} containers still run in it` : `${beds.join(', ')} is in use`;
    throw new SquallError(`engine stop: ${what}`, {
      code: 'engine-in-use',
      blame: 'input',
      facts: { containers: living.map((one) => one.name), beds },
      hint: 'End their runs (`squall down`, `squall sweep`), or pass --force.',
    });
  }
  const stopped = await stopEmbeddedEngine(home, { onProgress: progressLines() });
  print(
    args.json,
    { stopped },
    stopped ? 'our engine is stopped; what it stores stays' : 'our engine was not running',
  );
}

export const command: CommandModule = {
  command: 'engine',
  describe: 'start, show or stop the engine that Squall started',
  builder: (cli) =>
    cli
      .option('json', { type: 'boolean', default: false, global: true, describe: 'print as JSON' })
      .command('start', 'find an engine; install and start one where none answers', (sub) => sub, start)
      .command('status', 'whether our own engine runs, and where', (sub) => sub, status)
      .command(
        'stop',
        'stop our own engine, with everything in it',
        (sub) =>
          sub.option('force', {
            type: 'boolean',
            default: false,
            describe: 'also while containers run in it',
          }),
        stop,
      )
      .demandCommand(1, 'squall engine: say what to do: start, status or stop')
      .example('$0 engine start --yes', 'an engine is there afterwards')
      .example('$0 engine stop', 'the only thing that ends it'),
  handler: () => undefined,
};
