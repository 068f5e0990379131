/**
 * testnet: a bed's nodes from start to removal, with its events, its watchdog and its keeper.
 *
 *   startBed ─▶ watchdog stands ─▶ images, host limits, subnet, network ─▶ agent, nodes (created ahead of started)
 *            ─▶ each node: a race of ready, exited, too late, aborted ─▶ Bed
 *   attachProject ─▶ a running compose project's containers as nodes: read, never created, changed or removed
 *   up ─▶ keeper process (owns bed, agent, watchdog) ◀─ local socket ─▶ status logs exec fault faults lift down
 *   Bed: events, faults, admin, reset, verifyClean, diagnose ─▶ remove: kill all, agent leaves, remove, list again
 *
 * Defaults: 8 containers created or started at once, 8 removed at once, 16 reset requests at once. Times are
 * CLOCK_MONOTONIC in ns (`…Ns`) or durations in ms (`…Ms`). Everything carries the labels of `LABEL` from its creation;
 * nothing without the right label is ever touched, but for the network faults on a project that was attached by its name.
 *
 * Not here: when faults happen (scenario), what they do (fault), files of the record (record).
 */
export type { AdapterReport } from './adapter.ts';
export type { AdminAnswer } from './admin-request.ts';
export { type AttachOptions, attachProject } from './attach-project.ts';
export { Bed, type BedTiming } from './bed.ts';
export type { BedOptions } from './bed-frame.ts';
export type { BedStatus, NodeStatus } from './bed-status.ts';
export { keptFolder } from './carried-files.ts';
export { bedLabels } from './container-spec.ts';
export type { Diagnosis } from './diagnose-node.ts';
export { type ConditionMatcher, type EventListener, EventLog } from './event-log.ts';
export { connectKeeper, type KeeperClient, livingBeds, requireBed } from './keeper-client.ts';
export { type KeeperCard, type KeeperEntry, listKeepers } from './keeper-files.ts';
export type { KeeperOrder } from './keeper-order.ts';
export type { HubLine } from './line-hub.ts';
export { imageText, showControl } from './live-node.ts';
export { matchEvent } from './match-event.ts';
export { nowNs } from './monotonic.ts';
export type { NodeLogCounts } from './node-log.ts';
export { currentOwner, formatOwner, type Owner, type OwnerLife, ownerLife, parseOwner } from './owner.ts';
export type { ResetRequest } from './reset-nodes.ts';
export { restartPlan, variantEnvironment } from './restart-as.ts';
export { createShutdown, SHUTDOWN_SIGNALS, type Shutdown } from './shutdown.ts';
export { type KeeperUp, keepBed, spawnKeeper } from './spawn-keeper.ts';
export { START_CONCURRENCY, type StartBedOptions, startBed } from './start-bed.ts';
export { holdWatchdog, Watchdog, type WatchdogHold } from './start-watchdog.ts';
export { type SweepGroup, type SweepOptions, type SweepReport, sweep } from './sweep.ts';
export { type BedProgress, LABEL, type LineListener, type StartedNode } from './types.ts';
export type { Cleanliness } from './verify-nodes.ts';
