import { join } from 'node:path';

type Environment = Readonly<Record<string, string | undefined>>;

/** The fixed places of the engine that we start ourselves, so that every later process finds it again. */
export interface EngineHome {
  readonly dataRoot: string;
  readonly execRoot: string;
  readonly socket: string;
  readonly pidFile: string;
  readonly log: string;
  readonly startLock: string;
  /** Addresses of the default bridge and of networks that ask for none: the top of our range, where no bed is put. */
  readonly bip: string;
  readonly addressPool: string;
  readonly extraFlags: readonly string[];
}

/**
 * SQUALL_ENGINE_HOME moves all of it into one folder (a second engine beside the first, as tests do), and
 * SQUALL_ENGINE_FLAGS adds flags of dockerd, separated by spaces. A second engine wants a network namespace of its own.
 */
export function engineHome(environment: Environment = process.env): EngineHome {
  const moved = environment['SQUALL_ENGINE_HOME'];
  const state = moved ?? '/var/lib/squall';
  const runtime = moved ?? '/run/squall';
  return {
    dataRoot: join(state, 'engine'),
    execRoot: join(runtime, 'exec'),
    socket: join(runtime, 'engine.sock'),
    pidFile: join(runtime, 'engine.pid'),
    log: join(state, 'engine.log'),
    startLock: join(state, 'engine.lock'),
    bip: environment['SQUALL_ENGINE_BIP'] ?? '198.18.255.1/24',
    addressPool: environment['SQUALL_ENGINE_POOL'] ?? 'base=198.18.240.0/21,size=24',
    extraFlags: (environment['SQUALL_ENGINE_FLAGS'] ?? '').split(' ').filter(Boolean),
  };
}

/** The command line of the daemon, without the program itself. */
export function daemonFlags(home: EngineHome): readonly string[] {
  const network = home.extraFlags.some((flag) => flag.startsWith('--bridge')) ? [] : ['--bip', home.bip];
  return [
    '--data-root',
    home.dataRoot,
    '--exec-root',
    home.execRoot,
    '--pidfile',
    home.pidFile,
    '-H',
    `unix://${home.socket}`,
    ...network,
    '--default-address-pool',
    home.addressPool,
    ...home.extraFlags,
  ];
}
