import { SquallError } from '../errors/index.ts';
import { parseDurationMs } from '../units/index.ts';

/** Faults that a beginning is made with; all others are one word away in the scenario. */
export const STARTER_FAULTS = ['hold', 'drop', 'pause', 'kill', 'restart'] as const;
export type StarterFault = (typeof STARTER_FAULTS)[number];
export const WORKFLOWS = ['github', 'gitlab', 'none'] as const;
export type Workflow = (typeof WORKFLOWS)[number];

/** What a starter is made of. */
export interface StarterAnswers {
  readonly image: string;
  /** Of topology and suite. */
  readonly name: string;
  /** Of the nodes: `server` makes server-1, server-2, … */
  readonly role: string;
  readonly count: number;
  readonly command?: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly readiness:
    | { readonly kind: 'started' }
    | { readonly kind: 'log'; readonly pattern: string }
    | { readonly kind: 'http'; readonly port: number; readonly path: string };
  readonly fault: StarterFault;
  readonly outage: string;
  /** A line that a node logs when it has got over the outage. */
  readonly recovered?: string;
  /** How long that may take. */
  readonly within: string;
  /** A line that no node may log. */
  readonly never: string;
  readonly workflow: Workflow;
}

/** What somebody said, before it is known to make sense; all but the image may be missing. */
export interface RawAnswers {
  readonly image: string;
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly count?: number | undefined;
  readonly command?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** `started`, `log:REGEX` or `http:PORT/PATH`. */
  readonly ready?: string | undefined;
  readonly fault?: string | undefined;
  readonly outage?: string | undefined;
  readonly recovered?: string | undefined;
  readonly within?: string | undefined;
  readonly never?: string | undefined;
  readonly workflow?: string | undefined;
}

export const DEFAULT_NEVER = '\\b(panic|PANIC|fatal|FATAL)\\b';

/** Answers with their defaults. @throws SquallError `bad-answer` (input) */
export function readAnswers(raw: RawAnswers): StarterAnswers {
  const image = raw.image.trim();
  if (image === '' || /\s/.test(image))
    refuse('image', raw.image, 'a reference such as registry.example/app:1.2');
  const name = requireName('name', raw.name ?? nameOf(image));
  const count = raw.count ?? 3;
  if (!Number.isInteger(count) || count < 1 || count > 250)
    refuse('count', count, 'a whole number, 1 to 250');
  const fault = STARTER_FAULTS.find((one) => one === (raw.fault ?? 'drop'));
  if (!fault) refuse('fault', raw.fault, STARTER_FAULTS.join(', '));
  const workflow = WORKFLOWS.find((one) => one === (raw.workflow ?? 'none'));
  if (!workflow) refuse('workflow', raw.workflow, WORKFLOWS.join(', '));
  const recovered = raw.recovered?.trim() ? requirePattern('recovered', raw.recovered.trim()) : undefined;
  return {
    image,
    name,
    role: requireName('role', raw.role ?? 'node'),
    count,
    ...(raw.command && raw.command.length > 0 && { command: raw.command }),
    env: raw.env ?? {},
    readiness: readReadiness(raw.ready ?? 'started'),
    fault: fault as StarterFault,
    outage: requireDuration('outage', raw.outage ?? '10s'),
    ...(recovered !== undefined && { recovered }),
    within: requireDuration('within', raw.within ?? '30s'),
    never: requirePattern('never', raw.never ?? DEFAULT_NEVER),
    workflow: workflow as Workflow,
  };
}

/** The last part of a reference, without registry, tag and digest. */
export function nameOf(image: string): string {
  const last = (image.split('@')[0] ?? '').split('/').at(-1)?.split(':')[0] ?? '';
  const name = last
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '');
  return /^[a-z]/.test(name) ? name : 'mine';
}

function readReadiness(text: string): StarterAnswers['readiness'] {
  if (text === 'started') return { kind: 'started' };
  if (text.startsWith('log:'))
    return { kind: 'log', pattern: requirePattern('ready', text.slice('log:'.length)) };
  const [, port, path] = /^http:(\d+)(\/\S*)?$/.exec(text) ?? [];
  if (port !== undefined && Number(port) >= 1 && Number(port) <= 65_535) {
    return { kind: 'http', port: Number(port), path: path ?? '/' };
  }
  return refuse('ready', text, 'started, log:REGEX or http:PORT/PATH');
}

function requireName(what: string, name: string): string {
  return /^[a-z][a-z0-9-]{0,38}$/.test(name)
    ? name
    : refuse(what, name, 'small letters, digits and dashes, a letter first, at most 39');
}

function requireDuration(what: string, text: string): string {
  try {
    if (parseDurationMs(text) > 0) return text;
  } catch (error) {
    if (!(error instanceof SquallError)) throw error;
  }
  return refuse(what, text, 'a duration such as 10s');
}

function requirePattern(what: string, text: string): string {
  try {
    new RegExp(text);
    return text;
  } catch (error) {
    return refuse(what, text, `a regular expression; ${(error as Error).message}`);
  }
}

function refuse(what: string, given: unknown, expected: string): never {
  throw new SquallError(`--${what} ${String(given)}: not possible; expected ${expected}.`, {
    code: 'bad-answer',
    blame: 'input',
    facts: { what },
  });
}
