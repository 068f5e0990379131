import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { SquallError } from '../errors/index.ts';

/** Certificates of a TLS endpoint, PEM. */
export interface TlsMaterial {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

/** A way to reach an engine that Squall can drive. */
export type Endpoint =
  | { readonly kind: 'unix'; readonly text: string; readonly path: string }
  | {
      readonly kind: 'tcp';
      readonly text: string;
      readonly host: string;
      readonly port: number;
      readonly tls?: TlsMaterial;
      /** Absolute folder that the certificates were read from. */
      readonly certificatesDir?: string;
    };

export interface EndpointOptions {
  /** Folder with ca.pem, cert.pem and key.pem (DOCKER_CERT_PATH, or a context's TLS folder). */
  readonly certificatesDir?: string;
  /** DOCKER_TLS_VERIFY: TLS on a port other than 2376. */
  readonly tls?: boolean;
}

const REFUSALS: Readonly<Record<string, { readonly why: string; readonly hint: string }>> = {
  'ssh:': {
    why: 'nodes would run on another machine, whose network namespaces, addresses and kernel limits cannot be reached over ssh',
    hint: 'Run squall on that machine, or point DOCKER_HOST at a unix:// or tcp:// engine.',
  },
  'npipe:': {
    why: 'a Windows named pipe leads to an engine in another kernel, whose network namespaces cannot be reached from here',
    hint: 'Run squall inside WSL 2 or a Linux machine, with its engine on a unix socket.',
  },
  'fd:': {
    why: 'fd:// is how the daemon is given its socket, not an address to connect to',
    hint: 'Use the unix:// address of the socket.',
  },
};

function refuse(text: string, why: string, hint: string): never {
  throw new SquallError(`engine ${text}: cannot be used: ${why}`, {
    code: 'engine-endpoint-refused',
    blame: 'input',
    facts: { endpoint: text },
    hint,
  });
}

function readTls(text: string, directory: string | undefined): TlsMaterial {
  if (!directory) {
    refuse(
      text,
      'TLS is asked for without certificates',
      'Set DOCKER_CERT_PATH to a folder with ca.pem, cert.pem and key.pem.',
    );
  }
  const read = (file: string): string => {
    try {
      return readFileSync(join(directory, file), 'utf8');
    } catch (cause) {
      throw new SquallError(`engine ${text}: certificate ${join(directory, file)} cannot be read`, {
        code: 'engine-endpoint-refused',
        blame: 'input',
        hint: 'Set DOCKER_CERT_PATH to a folder with ca.pem, cert.pem and key.pem.',
        cause,
      });
    }
  };
  return { ca: read('ca.pem'), cert: read('cert.pem'), key: read('key.pem') };
}

/**
 * The endpoint that a DOCKER_HOST-like text names. Port 2376 or DOCKER_TLS_VERIFY means TLS, as for the docker command.
 * @throws SquallError `engine-endpoint-refused` (input) with one reason for what cannot work.
 */
export function parseEndpoint(text: string, options: EndpointOptions = {}): Endpoint {
  const withScheme = text.startsWith('/') ? `unix://${text}` : text.includes('://') ? text : `tcp://${text}`;
  if (withScheme.startsWith('unix://')) {
    const path = withScheme.slice('unix://'.length) || '/var/run/docker.sock';
    if (!path.startsWith('/'))
      refuse(text, 'the socket path is not absolute', 'Write unix:///absolute/path.sock.');
    return { kind: 'unix', text: `unix://${path}`, path };
  }
  let url: URL;
  try {
    url = new URL(withScheme.replace(/^tcp:/, 'http:'));
  } catch {
    return refuse(text, 'it is not an address', 'Write unix:///path.sock or tcp://host:port.');
  }
  const refusal = REFUSALS[url.protocol];
  if (refusal) refuse(text, refusal.why, refusal.hint);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    refuse(text, `the scheme ${url.protocol}// is unknown`, 'Write unix:///path.sock or tcp://host:port.');
  }
  const wantsTls = url.protocol === 'https:' || options.tls === true || url.port === '2376';
  const port = url.port ? Number(url.port) : wantsTls ? 2376 : 2375;
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (!host) refuse(text, 'it names no host', 'Write tcp://host:port.');
  return {
    kind: 'tcp',
    text,
    host,
    port,
    ...(wantsTls
      ? {
          tls: readTls(text, options.certificatesDir),
          ...(options.certificatesDir && { certificatesDir: resolve(options.certificatesDir) }),
        }
      : {}),
  };
}

/** True when the endpoint can only lead to this machine (a VM of Docker Desktop is told apart later, by /info). */
export function isLocalEndpoint(endpoint: Endpoint): boolean {
  if (endpoint.kind === 'unix') return true;
  if (endpoint.host === 'localhost' || endpoint.host === '::1') return true;
  return isIP(endpoint.host) === 4 && endpoint.host.startsWith('127.');
}
