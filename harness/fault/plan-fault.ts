import { closest } from 'fastest-levenshtein';
import { SquallError } from '../errors/index.ts';
import type { FaultRequest } from './fault-request.ts';
import type { PlannedBed } from './planned-bed.ts';
import { FAULT_REFERENCE, type FaultReference } from './reference/fault-reference.ts';
import { FAULT_KINDS, type FaultKind, type FaultPlan } from './types.ts';

type Settings = Readonly<Record<string, string | number | boolean>>;

/**
 * Request → plan: kind known, settings validated with their defaults and warped, selectors resolved to nodes.
 * Every problem is reported in one error. @throws SquallError `bad-fault`, `zero-targets` (input)
 */
export function planFault(bed: Pick<PlannedBed, 'select'>, id: string, request: FaultRequest): FaultPlan {
  const reference = requireKind(request.kind);
  const problems = [...linkProblems(request, reference)];
  const warp = request.warp ?? 1;
  const settings = resolveSettings(reference, request.settings ?? {}, warp, problems);
  if (request.on !== undefined && request.from !== undefined) {
    problems.push('"on" and "from" name the same thing; give one');
  }
  const selector = request.on ?? request.from;
  if (selector === undefined) problems.push('no target; give "on", or "from" and "to"');
  if (!(request.forMs === undefined || (Number.isFinite(request.forMs) && request.forMs >= 0))) {
    problems.push(`"for" is ${request.forMs} ms; expected a length of 0 or more`);
  }
  if (problems.length > 0 || selector === undefined) throw badFault(request.kind, problems);
  const targets = bed.select(selector, request.seed);
  if (targets.length === 0) throw zeroTargets(request.kind, selector);
  // Drawn apart from the targets, or `pick(1,x)` at both ends would always be the same node.
  const peers = request.to === undefined ? [] : bed.select(request.to, `${request.seed}/to`);
  if (request.to !== undefined && peers.length === 0) throw zeroTargets(request.kind, request.to);
  return {
    id,
    kind: request.kind,
    selector: request.to === undefined ? selector : `${selector} -> ${request.to}`,
    targets,
    peers,
    direction: request.direction ?? 'both',
    protocol: request.protocol ?? (reference.maker === 'toxiproxy' ? 'tcp' : 'all'),
    ports: request.ports ?? [],
    ...(request.forMs === undefined ? {} : { forMs: request.forMs / warp }),
    seed: request.seed,
    settings,
    ...(request.mustShow === undefined ? {} : { mustShow: request.mustShow }),
  };
}

/** Settings of a kind with defaults filled in, durations divided and rates multiplied by the warp. @throws SquallError `bad-fault` (input) */
export function faultSettings(kind: FaultKind, given: Readonly<Record<string, unknown>>, warp = 1): Settings {
  const problems: string[] = [];
  const settings = resolveSettings(requireKind(kind), given, warp, problems);
  if (problems.length > 0) throw badFault(kind, problems);
  return settings;
}

function requireKind(kind: string): FaultReference {
  const reference = FAULT_REFERENCE[kind as FaultKind];
  if (reference) return reference;
  throw new SquallError(`fault "${kind}": no such kind; did you mean "${closest(kind, [...FAULT_KINDS])}"?`, {
    code: 'bad-fault',
    blame: 'input',
    hint: 'Run `squall fault --help` for the list.',
  });
}

function* linkProblems(request: FaultRequest, reference: FaultReference): Generator<string> {
  const given = {
    to: request.to !== undefined,
    direction: request.direction !== undefined,
    protocol: request.protocol !== undefined,
    ports: (request.ports ?? []).length > 0,
  };
  for (const [name, isGiven] of Object.entries(given)) {
    const fits = reference.link.some((option) => option === name);
    const harmless = name === 'protocol' && reference.maker === 'toxiproxy' && request.protocol === 'tcp';
    if (isGiven && !fits && !harmless) {
      const why =
        name === 'protocol' && reference.maker === 'toxiproxy'
          ? `Toxiproxy carries TCP only; use drop, loss or delay for ${request.protocol}`
          : `it means nothing for ${request.kind}`;
      yield `"${name}" cannot be given: ${why}`;
    }
  }
  for (const port of request.ports ?? []) {
    if (!Number.isInteger(port) || port < 1 || port > 65_535) yield `port ${port}; expected 1 to 65535`;
  }
}

function resolveSettings(
  reference: FaultReference,
  given: Readonly<Record<string, unknown>>,
  warp: number,
  problems: string[],
): Settings {
  const known = Object.keys(reference.settings);
  for (const key of Object.keys(given)) {
    if (known.includes(key)) continue;
    const meant = known.length === 0 ? 'it takes none' : `did you mean "${closest(key, known)}"?`;
    problems.push(`setting "${key}" is unknown; ${meant}`);
  }
  const resolved: Record<string, string | number | boolean> = {};
  for (const [key, setting] of Object.entries(reference.settings)) {
    const value = given[key] ?? setting.default;
    if (value === undefined) {
      problems.push(`setting "${key}" (${setting.unit}) is missing: ${setting.description}`);
      continue;
    }
    const result = setting.schema.safeParse(value);
    if (!result.success) {
      problems.push(`setting "${key}": ${result.error.issues.map((issue) => issue.message).join('; ')}`);
      continue;
    }
    const plain = result.data as string | number | boolean;
    resolved[key] = typeof plain === 'number' ? warped(plain, setting.warp, warp) : plain;
  }
  return resolved;
}

function warped(value: number, rule: 'divide' | 'multiply' | 'none', warp: number): number {
  if (rule === 'divide') return value / warp;
  return rule === 'multiply' ? value * warp : value;
}

function badFault(kind: string, problems: readonly string[]): SquallError {
  return new SquallError(`fault ${kind}: ${problems.join('; ')}`, {
    code: 'bad-fault',
    blame: 'input',
    facts: { problems },
    hint: `Run \`squall fault ${kind} --help\` for its settings.`,
  });
}

function zeroTargets(kind: string, selector: string): SquallError {
  return new SquallError(`fault ${kind}: selector "${selector}" matches no node; expected at least one`, {
    code: 'zero-targets',
    blame: 'input',
    facts: { selector },
    hint: 'Run `squall status` for the names of the nodes.',
  });
}
