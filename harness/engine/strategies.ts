import { homedir } from 'node:os';
import { join } from 'node:path';
import { findContext } from './context.ts';
import type { EndpointOptions } from './endpoint.ts';
import { engineHome } from './engine-home.ts';
import type { EngineInfo } from './types.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Origin = EngineInfo['origin'];

/** What became of one way to find an engine. */
export interface StrategyTrace {
  readonly strategy: Origin;
  readonly endpoint?: string;
  readonly outcome: 'found' | 'failed' | 'not-applicable' | 'not-tried';
  readonly reason: string;
}

/** One way to find an engine: the endpoints it offers, or why it offers none. */
export interface Strategy {
  readonly name: Origin;
  /** The user named it: when it fails, nothing else is tried. */
  readonly named: boolean;
  readonly endpoints: readonly (EndpointOptions & { readonly endpoint: string })[];
  readonly reason?: string;
}

function dockerHost(environment: Environment): Strategy {
  const value = environment['DOCKER_HOST'];
  if (value === undefined || value.trim() === '') {
    const reason =
      value === undefined ? 'DOCKER_HOST is not set' : 'DOCKER_HOST is set but empty, which names nothing';
    return { name: 'DOCKER_HOST', named: false, endpoints: [], reason };
  }
  const certificatesDir = environment['DOCKER_CERT_PATH'];
  const tls = (environment['DOCKER_TLS_VERIFY'] ?? '') !== '';
  const endpoint = { endpoint: value.trim(), tls, ...(certificatesDir ? { certificatesDir } : {}) };
  return { name: 'DOCKER_HOST', named: true, endpoints: [endpoint] };
}

function context(environment: Environment): Strategy {
  const found = findContext(environment);
  if (!found)
    return { name: 'context', named: false, endpoints: [], reason: 'the current context is the default one' };
  const { certificatesDir } = found;
  const endpoint = {
    endpoint: found.host,
    ...(certificatesDir ? { certificatesDir, tls: found.host.startsWith('tcp') } : {}),
  };
  return { name: 'context', named: true, endpoints: [endpoint] };
}

function sockets(name: Origin, paths: readonly string[]): Strategy {
  const unique = [...new Set(paths)];
  return { name, named: false, endpoints: unique.map((path) => ({ endpoint: `unix://${path}` })) };
}

/** Where a Docker that was installed for the whole machine listens. */
export const DEFAULT_SOCKET = '/var/run/docker.sock';

/** All strategies in the order in which they are tried; the embedded engine's socket, if it runs already, is the last. */
export function strategies(environment: Environment, defaultSocket: string): readonly Strategy[] {
  const home = environment['HOME'] || homedir();
  const uid = process.getuid?.();
  const runtimeDir = environment['XDG_RUNTIME_DIR'];
  const rootless = [
    ...(runtimeDir ? [join(runtimeDir, 'docker.sock')] : []),
    ...(uid ? [`/run/user/${uid}/docker.sock`] : []),
  ];
  return [
    dockerHost(environment),
    context(environment),
    rootless.length > 0
      ? sockets('rootless', rootless)
      : { name: 'rootless', named: false, endpoints: [], reason: 'this user has no runtime directory' },
    sockets('default', [defaultSocket]),
    sockets('desktop', [
      join(home, '.docker', 'desktop', 'docker.sock'),
      join(home, '.docker', 'run', 'docker.sock'),
    ]),
    sockets('embedded', [engineHome(environment).socket]),
  ];
}
