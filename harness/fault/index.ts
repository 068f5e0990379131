/**
 * fault: leases that disturb a bed and can show that they did.
 *
 *   FaultRequest ──plan──▶ FaultPlan ──apply──▶ lease: undo registered, armed, in force ──▶ lifted, verified ──▶ FaultRecord
 *
 * Makers: the packet agent (one container a bed, spoken to over its standard input), the engine (process and resource
 * faults), Toxiproxy (one server a bed, reached by redirection), the node itself (421 storms). A fault that cannot be
 * shown to have bitten, or to be gone, says so in its record; the trial is then inconclusive, never passed.
 *
 * Not here: when a fault happens (scenario), which nodes a selector means (topology), what its effect means (check).
 */

export type { FaultStatus } from './active-fault.ts';
export {
  AGENT_DEADLINES_MS,
  AgentClient,
  type AgentHttpRequest,
  type AgentNode,
} from './agent/agent-client.ts';
export {
  type CaptureOptions,
  type CaptureResult,
  capturePackets,
  type PacketCapture,
} from './agent/capture-packets.ts';
export { FakeAgent, type FakeTraffic } from './agent/fake-agent.ts';
export type { AgentEvent, AgentHello, RedirectRule, WireFault } from './agent/protocol.ts';
export { connectFakeAgent, type StartAgentOptions, startAgent } from './agent/start-agent.ts';
export { checkFaultPlan } from './check-fault-plan.ts';
export { createFaultBoard } from './create-fault-board.ts';
export type { FaultBedPort, FaultNode } from './fault-bed-port.ts';
export type { AppliedFault, BoardEvent, FaultBoard } from './fault-board.ts';
export type { FaultRequest } from './fault-request.ts';
export { faultSettings, planFault } from './plan-fault.ts';
export type { PlannedBed, PlannedNode } from './planned-bed.ts';
export { FAULT_REFERENCE, type FaultMaker, type FaultReference } from './reference/fault-reference.ts';
export { controlByUrl } from './toxiproxy/control-channel.ts';
export type { StandingLink } from './toxiproxy/route-table.ts';
export { type StartToxiproxyOptions, startToxiproxy } from './toxiproxy/start-toxiproxy.ts';
export { ToxiproxyServer, type ToxiproxyServerOptions } from './toxiproxy/toxiproxy-server.ts';
export { ToxiproxySupply, type ToxiproxySupplyOptions } from './toxiproxy/toxiproxy-supply.ts';
export {
  type Direction,
  FAULT_KINDS,
  type FaultInstants,
  type FaultKind,
  type FaultLease,
  type FaultPlan,
  type FaultProvider,
  type Protocol,
} from './types.ts';
