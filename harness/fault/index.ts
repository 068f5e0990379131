/** fault: leases that disturb a bed and can show that they did (packet agent, process, Toxiproxy, resources). */
export {
  type Direction,
  FAULT_KINDS,
  type FaultKind,
  type FaultLease,
  type FaultPlan,
  type FaultProvider,
  type Protocol,
} from './types.ts';
