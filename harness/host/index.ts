/**
 * host: the machine under the beds, read, raised where allowed, and diagnosed.
 *
 *     readHost ─▶ planLimits(needs) ─▶ raiseHostLimits (announced, in the ledger) ─▶ restoreHostLimits
 *
 * Limits are raised, never lowered, except by undoing our own raise. Not here: watching the host while a trial runs
 * (probe).
 */
export { type HostFiles, realHostFiles } from './host-files.ts';
export { type HostNeeds, neighbourThresholds } from './limits.ts';
export { type RaisedLimit, type RaiseOptions, raiseHostLimits, restoreHostLimits } from './raise-limits.ts';
export { type HostReadings, neighbourEntriesInUse, readHost } from './read-host.ts';
