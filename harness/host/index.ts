/**
 * host: the machine under the beds, read, raised where allowed, and diagnosed.
 *
 *     readHost ─▶ planLimits(needs) ─▶ raiseHostLimits (announced, in the ledger) ─▶ restoreHostLimits
 *
 *     search + readings + kernel + agent's findings + leftovers ─▶ diagnose ─▶ DoctorReport
 *
 * Limits are raised, never lowered, except by undoing our own raise. Not here: watching the host while a trial runs
 * (probe).
 */
export { bedNeeds, REFERENCE_BED } from './bed-needs.ts';
export {
  type AgentFindings,
  type Capability,
  type FaultAvailability,
  judgeCapabilities,
  judgeFaults,
  requireNetworkFaults,
} from './capabilities.ts';
export {
  type Advice,
  type DiagnoseInput,
  type DoctorReport,
  diagnose,
  type Leftover,
} from './diagnose.ts';
export { type HostFiles, realHostFiles } from './host-files.ts';
export { type KernelConfig, parseKernelConfig, readKernelConfig } from './kernel-config.ts';
export { type HostNeeds, neighbourThresholds } from './limits.ts';
export { type RaisedLimit, type RaiseOptions, raiseHostLimits, restoreHostLimits } from './raise-limits.ts';
export { type HostReadings, neighbourEntriesInUse, readHost } from './read-host.ts';
export { restorePackages } from './restore-packages.ts';
