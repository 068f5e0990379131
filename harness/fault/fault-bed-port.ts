import type { Engine } from '../engine/index.ts';
import type { AgentClient } from './agent/agent-client.ts';
import type { PlannedBed, PlannedNode } from './planned-bed.ts';
import type { FaultMaker } from './reference/fault-reference.ts';
import type { ToxiproxyServer } from './toxiproxy/toxiproxy-server.ts';

/** A living node as faults see it. */
export interface FaultNode extends PlannedNode {
  readonly containerId: string;
  readonly pid: number;
  /** When its process was seen to run (CLOCK_MONOTONIC), where the bed knows. */
  readonly startedNs?: number;
  readonly address: string;
  /** Further addresses, of the clients inside it. */
  readonly fleetAddresses?: readonly string[];
}

/** What the fault board needs of a bed, and nothing more. The testnet room fills it. */
export interface FaultBedPort extends PlannedBed {
  readonly bedId: string;
  readonly engine: Engine;
  readonly agent: AgentClient;
  nodes(): readonly FaultNode[];
  /** Whose faults this bed can take; all where it does not say. */
  readonly makers?: readonly FaultMaker[];
  /** After a restart: reads the node's new PID from the engine and gives it to the agent. */
  refreshNode(name: string, signal?: AbortSignal): Promise<FaultNode>;
  /** Exits of this node are expected until `until` is called: they are the fault's doing, not a crash. */
  expectExit?(name: string): () => void;
  /** The bed's one Toxiproxy server, started on first use. */
  toxiproxy(signal?: AbortSignal): Promise<ToxiproxyServer>;
  adminRequest(
    node: string,
    method: 'GET' | 'POST',
    path: string,
    body?: unknown,
    signal?: AbortSignal,
  ): Promise<{ readonly status: number; readonly body: string }>;
  /** Starts the node again as another variant or version; absent where the bed cannot. */
  restartAs?(
    name: string,
    as: { readonly variant?: string; readonly image?: string },
    signal?: AbortSignal,
  ): Promise<FaultNode>;
}
