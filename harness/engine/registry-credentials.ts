import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { SquallError } from '../errors/index.ts';
import { findProgram, systemPath } from '../program/index.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** As the engine takes it in X-Registry-Auth. Never logged, never in an error. */
export type RegistryCredentials =
  | { readonly username: string; readonly password: string; readonly serveraddress: string }
  | { readonly identitytoken: string; readonly serveraddress: string };

/** The name under which the docker command keeps what belongs to the default registry. */
const DEFAULT_REGISTRY = 'https://index.docker.io/v1/';

/** A helper that asks a key ring takes a moment; one that asks a person would take for ever. */
const HELPER_WITHIN_MS = 20_000;

/** What a helper says when it has nothing, which is no error. */
const NOTHING_KEPT = /credentials not found/i;

const configSchema = z.object({
  auths: z
    .record(
      z.string(),
      z.object({
        auth: z.string().optional(),
        username: z.string().optional(),
        password: z.string().optional(),
        identitytoken: z.string().optional(),
      }),
    )
    .optional(),
  credHelpers: z.record(z.string(), z.string()).optional(),
  credsStore: z.string().optional(),
});

const keptSchema = z.object({ Username: z.string(), Secret: z.string() });

/** The registry's host in a reference, or the default's name. */
export function registryHost(reference: string): string {
  const [first = '', rest] = reference.split('/', 2);
  const isHost = rest !== undefined && /[.:]|^localhost$/.test(first);
  return isHost && first !== 'docker.io' && first !== 'index.docker.io' ? first : DEFAULT_REGISTRY;
}

/**
 * What `docker login` keeps for the registry of a reference: from the configuration itself, or from the helper that it names
 * (`docker-credential-NAME get`). Undefined when there is nothing, as for a public image.
 * @throws SquallError `registry-credentials` (input) when the configuration or the helper cannot be used
 */
export async function findCredentials(
  reference: string,
  environment: Environment = process.env,
): Promise<RegistryCredentials | undefined> {
  const folder = environment['DOCKER_CONFIG'] || join(environment['HOME'] || homedir(), '.docker');
  const config = readConfig(join(folder, 'config.json'));
  if (!config) return undefined;
  const host = registryHost(reference);
  const helper = config.credHelpers?.[host] ?? config.credsStore;
  if (helper) return await askHelper(helper, host, environment);
  const found = Object.entries(config.auths ?? {}).find(([name]) => sameRegistry(name, host))?.[1];
  if (!found) return undefined;
  if (found.identitytoken) return { identitytoken: found.identitytoken, serveraddress: host };
  const decoded = found.auth ? Buffer.from(found.auth, 'base64').toString() : '';
  const colon = decoded.indexOf(':');
  const username = colon > 0 ? decoded.slice(0, colon) : found.username;
  const password = colon > 0 ? decoded.slice(colon + 1) : found.password;
  return username && password ? { username, password, serveraddress: host } : undefined;
}

/** `https://host/v1/`, `https://host` and `host` are one registry. */
function sameRegistry(kept: string, host: string): boolean {
  const bare = (text: string): string => text.replace(/^https?:\/\//, '').replace(/\/.*$/, '');
  return kept === host || bare(kept) === bare(host);
}

function readConfig(path: string): z.output<typeof configSchema> | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  const parsed = configSchema.safeParse(parseOrNothing(text));
  if (parsed.success) return parsed.data;
  // Not the cause: it would carry what stands in the file.
  throw unusable(`docker configuration ${path}: is not what \`docker login\` writes`);
}

function parseOrNothing(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function askHelper(
  name: string,
  host: string,
  environment: Environment,
): Promise<RegistryCredentials | undefined> {
  const program = findProgram(`docker-credential-${name}`, environment);
  if (!program) throw unusable(`credential helper docker-credential-${name}: is not there`);
  const child = spawn(program, ['get'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: { ...environment, PATH: systemPath(environment) },
    timeout: HELPER_WITHIN_MS,
  });
  let said = '';
  child.stdout.on('data', (chunk: Buffer) => {
    said += chunk.toString();
  });
  child.stdin.on('error', () => undefined); // A helper may end without reading; its exit code says how.
  child.stdin.end(host);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0 && NOTHING_KEPT.test(said)) return undefined;
  const kept = keptSchema.safeParse(parseOrNothing(said));
  if (code !== 0 || !kept.success) {
    throw unusable(
      `credential helper docker-credential-${name}: gave nothing for ${host} (exit ${code ?? 'by a signal'})`,
    );
  }
  const { Username: username, Secret: secret } = kept.data;
  return username === '<token>'
    ? { identitytoken: secret, serveraddress: host }
    : { username, password: secret, serveraddress: host };
}

function unusable(what: string): SquallError {
  return new SquallError(`${what}; expected what the docker command would use`, {
    code: 'registry-credentials',
    blame: 'input',
    hint: 'Log in with `docker login REGISTRY`, or name another configuration folder in DOCKER_CONFIG.',
  });
}
