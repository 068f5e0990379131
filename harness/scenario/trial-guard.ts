import { describeError } from '../errors/index.ts';
import type { HostRecord } from '../record/index.ts';
import { parseDurationMs } from '../units/index.ts';
import type { HostGuard, HostGuardFactory } from './ports.ts';
import type { ScenarioSpec } from './types.ts';

/** For the host guard, when the scenario does not say what its system's shortest timeout is. */
const DEFAULT_SHORTEST_TIMEOUT_MS = 500;

/** Of the system under test, in real time: the host guard is held against it. */
export function shortestTimeoutMs(scenario: ScenarioSpec, warp: number): number {
  const statedMs =
    scenario.shortestTimeout === undefined
      ? DEFAULT_SHORTEST_TIMEOUT_MS
      : parseDurationMs(scenario.shortestTimeout);
  return statedMs / warp;
}

/** The guard of a trial, or why there is none: the host is then unknown, and the trial void. */
export async function startGuard({
  guard,
  ...watch
}: Parameters<HostGuardFactory['start']>[0] & { readonly guard: HostGuardFactory }): Promise<
  HostGuard | string
> {
  try {
    return await guard.start(watch);
  } catch (error) {
    return describeError(error);
  }
}

/** The guard's word on the host, with what other beds did in this one's critical windows. */
export async function stopGuard(
  guard: HostGuard | string,
  disturbances: readonly string[],
): Promise<HostRecord> {
  const host = await readGuard(guard);
  const overruns = {
    name: 'work of other beds in a critical window',
    value: disturbances.length,
    unit: '',
    threshold: 0,
    exceeded: disturbances.length > 0,
  };
  return {
    verdict: overruns.exceeded ? 'spoiled' : host.verdict,
    measures: [...host.measures, overruns],
    reasons: [...host.reasons, ...disturbances],
  };
}

async function readGuard(guard: HostGuard | string): Promise<HostRecord> {
  if (typeof guard === 'string') return { verdict: 'unknown', measures: [], reasons: [guard] };
  try {
    return await guard.stop();
  } catch (error) {
    return { verdict: 'unknown', measures: [], reasons: [`the host guard broke: ${describeError(error)}`] };
  }
}
