import { parseDurationMs } from '../units/index.ts';
import type { ComposeService } from './read-compose.ts';
import { splitCommand } from './split-command.ts';

/** A group of a topology, as it is written to YAML. */
export type WrittenGroup = Readonly<Record<string, unknown>>;
export type Note = (key: string, message: string) => void;

/** Keys that become something, or that mean nothing here. */
const CARRIED = [
  'image',
  'scale',
  'deploy',
  'environment',
  'command',
  'ports',
  'expose',
  'depends_on',
  'mem_limit',
  'cpus',
  'pids_limit',
  'healthcheck',
  'labels',
];
const HARMLESS = [
  'container_name',
  'restart',
  'hostname',
  'logging',
  'stop_grace_period',
  'profiles',
  'init',
  'tty',
  'stdin_open',
];

/** One service as a group of nodes; what it cannot carry over goes to `note`. */
export function serviceGroup(
  name: string,
  service: ComposeService,
  images: Readonly<Record<string, string>>,
  note: Note,
): WrittenGroup {
  const role = roleOf(name);
  if (role !== name) note('', `its role is "${role}": a role is a DNS label`);
  const count = countOf(service);
  const image = images[name] ?? textOf(service['image']);
  if (image === undefined) note('build', 'is not built here; give its image by --image');
  for (const key of Object.keys(service)) {
    if (CARRIED.includes(key) || HARMLESS.includes(key) || (key === 'build' && image !== undefined)) continue;
    if (key !== 'build') note(key, 'is not carried over');
  }
  if (count > 1)
    note(
      '',
      `its ${count} nodes are ${role}-1 to ${role}-${count}; the name "${name}" stands for none of them`,
    );
  const env = environmentOf(service['environment'], note);
  const command = commandOf(service['command'], note);
  const ports = portsOf(service, note);
  const after = dependenciesOf(service['depends_on']).map(roleOf);
  const resources = resourcesOf(service, note);
  return {
    role,
    ...(count === 1 ? { name: role } : { count }),
    image: image ?? 'missing',
    ...(Object.keys(env).length > 0 && { env }),
    ...(command.length > 0 && { command }),
    ...(Object.keys(ports).length > 0 && { ports }),
    ...(Object.keys(resources).length > 0 && { resources }),
    readiness: readinessOf(service['healthcheck'], note),
    ...(after.length > 0 && { after }),
  };
}

function roleOf(name: string): string {
  const role = name
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replace(/^[^a-z]+/, 's-')
    .replace(/-+$/, '');
  return role === '' ? 'service' : role;
}

function countOf(service: ComposeService): number {
  const deploy = objectOf(service['deploy']);
  const count = Number(deploy['replicas'] ?? service['scale'] ?? 1);
  return Number.isInteger(count) && count >= 0 ? count : 1;
}

/** Braces are doubled, since `{…}` is a placeholder in a topology. */
function environmentOf(value: unknown, note: Note): Record<string, string> {
  const pairs: (readonly [string, unknown])[] = Array.isArray(value)
    ? value.map(String).map((text) => {
        const at = text.indexOf('=');
        return at < 0 ? ([text, null] as const) : ([text.slice(0, at), text.slice(at + 1)] as const);
      })
    : Object.entries(objectOf(value));
  const env: Record<string, string> = {};
  for (const [key, one] of pairs) {
    if (one === null || one === undefined)
      note('environment', `${key} comes from the environment and is left out`);
    else env[key] = escaped(String(one));
  }
  return env;
}

function commandOf(value: unknown, note: Note): string[] {
  if (value === undefined || value === null) return [];
  const words = Array.isArray(value) ? value.map(String) : splitCommand(String(value));
  if (words === undefined) note('command', 'has a quote that is never closed, and is left out');
  return (words ?? []).map(escaped);
}

function escaped(text: string): string {
  return text.replaceAll('{', '{{').replaceAll('}', '}}');
}

function portsOf(service: ComposeService, note: Note): Record<string, number> {
  const listed = [service['ports'], service['expose']].flatMap((one) =>
    Array.isArray(one) ? (one as unknown[]) : [],
  );
  const ports: Record<string, number> = {};
  for (const one of listed) {
    const target =
      typeof one === 'object'
        ? objectOf(one)['target']
        : String(one)
            .replace(/\/\w+$/, '')
            .split(':')
            .at(-1);
    const port = Number(target);
    if (Number.isInteger(port) && port >= 1 && port <= 65_535) ports[`p${port}`] = port;
    else note('ports', `${JSON.stringify(one)} is no single port, and is left out`);
  }
  if (Array.isArray(service['ports']) && service['ports'].length > 0)
    note('ports', 'are known by their number inside; none is published on the host');
  return ports;
}

function dependenciesOf(value: unknown): string[] {
  return Array.isArray(value) ? value.map(String) : Object.keys(objectOf(value));
}

function resourcesOf(service: ComposeService, note: Note): Record<string, unknown> {
  const limits = objectOf(objectOf(objectOf(service['deploy'])['resources'])['limits']);
  const memory = textOf(limits['memory'] ?? service['mem_limit']);
  const bytes = memory === undefined ? undefined : memoryOf(memory);
  if (memory !== undefined && bytes === undefined)
    note('mem_limit', `"${memory}" is no size, and is left out`);
  const cpus = Number(limits['cpus'] ?? service['cpus'] ?? Number.NaN);
  const pids = Number(limits['pids'] ?? service['pids_limit'] ?? Number.NaN);
  return {
    ...(bytes !== undefined && { memory: bytes }),
    ...(cpus > 0 && { cpus }),
    ...(pids > 0 && { pids }),
  };
}

/** Compose's units are powers of 1,024 whatever they are called. */
function memoryOf(text: string): string | undefined {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)\s*([bkmg]?)b?$/i.exec(text.trim()) ?? [];
  const name = { '': 'B', b: 'B', k: 'KiB', m: 'MiB', g: 'GiB' }[unit.toLowerCase()];
  return amount === undefined || name === undefined ? undefined : `${amount}${name}`;
}

/** A health check that asks an HTTP address on the node itself becomes readiness; any other cannot be run from outside. */
function readinessOf(value: unknown, note: Note): Record<string, unknown> {
  const { test, disable, start_period: startPeriod } = objectOf(value);
  if (test === undefined || disable === true) return { started: true };
  const text = Array.isArray(test) ? test.map(String).join(' ') : String(test);
  const [, port, path] =
    /https?:\/\/(?:localhost|127\.0\.0\.1|0\.0\.0\.0)(?::(\d+))?(\/[^\s"'|;]*)?/.exec(text) ?? [];
  if (port === undefined) {
    note(
      'healthcheck',
      'asks no address on a port of the node itself, so that it counts as ready once it runs',
    );
    return { started: true };
  }
  const patience =
    typeof startPeriod === 'string' && /^(\d+(ms|s|m|h))+$/.test(startPeriod)
      ? parseDurationMs(startPeriod)
      : 0;
  return {
    http: { port: Number(port), path: path ?? '/' },
    ...(patience > 60_000 && { timeout: `${Math.ceil(patience / 1_000)}s` }),
  };
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : undefined;
}

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return value !== null && typeof value === 'object' && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}
