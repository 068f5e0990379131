import { SquallError } from '../errors/index.ts';
import { connectionReason } from './transport.ts';

/** What the engine's words mean to us. First match wins; wordings of engines 19.03 to 29. */
const MEANINGS: readonly { readonly code: string; readonly pattern: RegExp; readonly hint?: string }[] = [
  {
    // Incident 16: two wordings of one cause.
    code: 'address-pool-exhausted',
    pattern: /non-overlapping IPv4 address pool|predefined address pools have been fully subnetted/i,
    hint: 'Remove unused networks (`squall sweep` removes ours), or give the engine more address pools.',
  },
  { code: 'subnet-overlap', pattern: /Pool overlaps with other one|networks have overlapping/i },
  { code: 'address-in-use', pattern: /Address already in use/i },
  { code: 'network-not-found', pattern: /network \S+ not found|could not find network|No such network/i },
  {
    code: 'registry-unauthorized',
    pattern: /unauthorized|authentication required|no basic auth credentials|may require 'docker login'/i,
    hint: 'Log in with `docker login REGISTRY` (its credentials are used here too), and look whether the name is right.',
  },
  {
    code: 'image-not-found',
    pattern: /No such image|image .* not found|manifest unknown|pull access denied/i,
  },
  {
    code: 'registry-unreachable',
    pattern:
      /(dial tcp|lookup|Client\.Timeout|TLS handshake timeout|context deadline exceeded|connection refused).*|no such host/i,
    hint: 'No image registry answers the engine: build the image here, or load it into the engine first.',
  },
  { code: 'path-not-found', pattern: /could not find the file/i },
  { code: 'name-conflict', pattern: /name "?\S+"? is already in use|already in use by container/i },
  { code: 'container-not-running', pattern: /is not running|not running|is paused/i },
  { code: 'removal-in-progress', pattern: /removal of container .* is already in progress/i },
  { code: 'network-in-use', pattern: /has active endpoints/i },
  { code: 'image-in-use', pattern: /image is being used|must be forced|unable to (remove|delete)/i },
  { code: 'client-too-old', pattern: /client version .* is too (old|new)/i },
];

const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ENOENT',
  'ECONNRESET',
  'EPIPE',
  'EACCES',
  'ENOTFOUND',
  'ETIMEDOUT',
]);

interface EngineFailure {
  readonly statusCode?: number;
  readonly code?: string;
  readonly message?: string;
  readonly json?: { readonly message?: string } | null;
}

/** dockerode wraps the engine's sentence in its own; the bare sentence is in the parsed body. */
function engineText(failure: EngineFailure): string {
  const wrapped = /^\(HTTP code \d+\) .*? - ([\s\S]*?)\s*$/.exec(failure.message ?? '')?.[1];
  return (failure.json?.message ?? wrapped ?? failure.message ?? 'no reason given').trim();
}

function codeFor(failure: EngineFailure, text: string, what: string): string {
  // Only what the engine itself said is matched; a failed connection to it has no status.
  if (failure.statusCode === undefined && UNREACHABLE.has(failure.code ?? '')) return 'engine-unreachable';
  if (/socket hang up|aborted/i.test(text) && failure.statusCode === undefined) return 'engine-unreachable';
  const meaning = MEANINGS.find((candidate) => candidate.pattern.test(text));
  if (meaning) return meaning.code;
  if (failure.statusCode === 404) return what.startsWith('image') ? 'image-not-found' : 'container-not-found';
  return 'engine-refused';
}

/** The error to throw for what an engine call failed with. `what` is its subject: `container member-3`. */
export function toEngineError(what: string, failure: unknown): SquallError {
  if (failure instanceof SquallError) return failure;
  const known = (failure ?? {}) as EngineFailure;
  const text = known.statusCode === undefined ? connectionReason(failure) : engineText(known);
  const code = codeFor(known, known.statusCode === undefined ? (known.message ?? text) : text, what);
  const hint = MEANINGS.find((meaning) => meaning.code === code)?.hint;
  return new SquallError(`${what}: the engine says: ${text}`, {
    code,
    facts: { status: known.statusCode, systemCode: known.code },
    ...(hint ? { hint } : {}),
    cause: failure,
  });
}

/** True for an engine error with one of these codes. */
export function hasCode(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof SquallError && codes.includes(error.code);
}
