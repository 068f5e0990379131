/**
 * probe: the host as a suspect, watched during every trial.
 *
 *   HostGuards (one a run, with its canary) ─ start(trial) ─▶ HostGuard ─ stop() ─▶ HostRecord: quiet | spoiled | unknown
 *
 * Thresholds are fixed when a guard starts and stand in the record: canary lateness half of the shortest timeout, late by
 * a tenth of it in 2 % of wake-ups, steal 25 % in a sample, neighbour and connection tables 90 %, no engine restart,
 * no backlog drop, 1 % of a node's datagrams lost at its receive buffer, no OOM kill, memory 97 %, clock step 50 ms. CPU
 * use, load and pressure are shown and decide nothing.
 * Not here: what the system under test did (record, check), what the agent measures (fault).
 */
export { type Canary, type CanaryOptions, startCanary } from './canary.ts';
export type { Clocks } from './clock-sources.ts';
export { type HostGuard, type HostGuardOptions, startHostGuard } from './host-guard.ts';
export { type GuardedTrial, HostGuards, type HostGuardsOptions } from './host-guards.ts';
export type { HostSource, ReadText } from './host-source.ts';
export { judgeHost } from './judge-host.ts';
