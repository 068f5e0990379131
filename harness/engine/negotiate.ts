import { SquallError } from '../errors/index.ts';
import { connectionReason, get, type Transport } from './transport.ts';

/** API versions that this code was written against: engines 19.03 (1.40) to 28 (1.51). */
export const OUR_API = { min: '1.40', max: '1.51' } as const;

/** How long an engine may take to say who it is. */
const VERSION_DEADLINE_MS = 10_000;

/** What an engine says about itself, and the version spoken with it. */
export interface Negotiated {
  readonly apiVersion: string;
  readonly version: string;
  readonly minApiVersion: string;
  readonly maxApiVersion: string;
  readonly os: string;
  readonly arch: string;
  readonly kernel: string;
}

/** Negative when a is older than b. Versions are MAJOR.MINOR. */
export function compareApiVersions(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}

/**
 * The version to speak: the lower of our newest and the engine's newest, if the engine and we still know it.
 * @throws SquallError `engine-api-mismatch`, naming both ranges.
 */
export function chooseApiVersion(engine: {
  readonly min: string;
  readonly max: string;
  readonly version: string;
}): string {
  const chosen = compareApiVersions(engine.max, OUR_API.max) < 0 ? engine.max : OUR_API.max;
  if (compareApiVersions(chosen, engine.min) < 0 || compareApiVersions(chosen, OUR_API.min) < 0) {
    const engineIsOlder = compareApiVersions(engine.max, OUR_API.min) < 0;
    throw new SquallError(
      `engine ${engine.version}: speaks API ${engine.min} to ${engine.max}; Squall speaks ${OUR_API.min} to ${OUR_API.max}`,
      {
        code: 'engine-api-mismatch',
        facts: { engine, ours: OUR_API },
        hint: engineIsOlder ? 'Use an engine of version 19.03 or newer.' : 'Update Squall.',
      },
    );
  }
  return chosen;
}

interface VersionAnswer {
  readonly Version?: string;
  readonly ApiVersion?: string;
  readonly MinAPIVersion?: string;
  readonly Os?: string;
  readonly Arch?: string;
  readonly KernelVersion?: string;
}

function parseVersion(body: string): VersionAnswer | undefined {
  try {
    const answer = JSON.parse(body) as VersionAnswer;
    return typeof answer.ApiVersion === 'string' ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** The lowest version that a "client version … is too old" answer asks for. */
export function minimumAskedFor(body: string): string | undefined {
  return /[Mm]inimum supported API version is (\d+\.\d+)/.exec(body)?.[1];
}

/**
 * Asks /version without a version in the path, which every engine answers; a gateway that insists on one names its
 * minimum in a 400, and is then asked again with that.
 * @throws SquallError `engine-unreachable`, `engine-api-mismatch`
 */
export async function negotiate(transport: Transport, signal?: AbortSignal): Promise<Negotiated> {
  const deadline = AbortSignal.timeout(VERSION_DEADLINE_MS);
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline;
  const ask = async (path: string) => {
    try {
      return await get(transport, path, either);
    } catch (cause) {
      signal?.throwIfAborted();
      const reason = deadline.aborted
        ? `no answer within ${VERSION_DEADLINE_MS} ms`
        : connectionReason(cause);
      throw new SquallError(`engine ${transport.endpoint.text}: cannot be reached: ${reason}`, {
        code: 'engine-unreachable',
        facts: { endpoint: transport.endpoint.text },
        cause,
      });
    }
  };
  let reply = await ask('/version');
  const minimum = reply.status === 400 ? minimumAskedFor(reply.body) : undefined;
  if (minimum) reply = await ask(`/v${minimum}/version`);
  const answer = reply.status === 200 ? parseVersion(reply.body) : undefined;
  if (!answer) {
    throw new SquallError(
      `engine ${transport.endpoint.text}: answered /version with HTTP ${reply.status} and no version; expected a Docker engine`,
      { code: 'engine-unreachable', facts: { status: reply.status, body: reply.body.slice(0, 500) } },
    );
  }
  const max = answer.ApiVersion ?? '0';
  const min = answer.MinAPIVersion ?? minimum ?? '1.12';
  return {
    apiVersion: chooseApiVersion({ min, max, version: answer.Version ?? 'of unknown version' }),
    version: answer.Version ?? 'unknown',
    minApiVersion: min,
    maxApiVersion: max,
    os: answer.Os ?? 'unknown',
    arch: answer.Arch ?? 'unknown',
    kernel: answer.KernelVersion ?? 'unknown',
  };
}
