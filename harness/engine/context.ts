import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { SquallError } from '../errors/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** What the docker command would use by its current context. */
export interface DockerContext {
  readonly name: string;
  readonly host: string;
  /** Folder with ca.pem, cert.pem and key.pem, when the context has any. */
  readonly certificatesDir?: string;
}

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new SquallError(`docker configuration ${path}: is not JSON`, {
      code: 'docker-context-unreadable',
      blame: 'input',
      hint: 'Mend the file, or set DOCKER_HOST.',
      cause,
    });
  }
}

interface ContextMeta {
  readonly Endpoints?: { readonly docker?: { readonly Host?: string } };
}

/**
 * The current context other than `default`, which stands for "none": DOCKER_CONTEXT, else `currentContext` of the
 * configuration in DOCKER_CONFIG or ~/.docker. Contexts are kept under the SHA-256 of their names.
 * @throws SquallError `docker-context-unreadable` (input) when it names a context that is not there.
 */
export function findContext(environment: Environment = process.env): DockerContext | undefined {
  const folder = environment['DOCKER_CONFIG'] || join(environment['HOME'] || homedir(), '.docker');
  const config = readJson(join(folder, 'config.json')) as { currentContext?: unknown } | undefined;
  const configured = typeof config?.currentContext === 'string' ? config.currentContext : '';
  const name = environment['DOCKER_CONTEXT'] || configured;
  if (!name || name === 'default') return undefined;
  const id = createHash('sha256').update(name).digest('hex');
  const metaPath = join(folder, 'contexts', 'meta', id, 'meta.json');
  const host = (readJson(metaPath) as ContextMeta | undefined)?.Endpoints?.docker?.Host;
  if (!host) {
    throw new SquallError(`docker context "${name}": has no docker endpoint in ${metaPath}`, {
      code: 'docker-context-unreadable',
      blame: 'input',
      hint: 'List the contexts with `docker context ls`, choose one with `docker context use`, or set DOCKER_HOST.',
    });
  }
  const certificatesDir = join(folder, 'contexts', 'tls', id, 'docker');
  return { name, host, ...(existsSync(certificatesDir) ? { certificatesDir } : {}) };
}
