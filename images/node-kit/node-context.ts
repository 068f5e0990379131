import type { LeapingClock } from '../../harness/clock/index.ts';
import type { SeededStream } from '../../harness/random/index.ts';
import type { AdminHandler } from './admin-answer.ts';
import type { Settings } from './settings.ts';

/** What a node is given to live with. */
export interface NodeContext {
  readonly name: string;
  readonly role: string;
  /** Address to listen on and to send from. */
  readonly address: string;
  /** Further addresses, one for each client inside the node. */
  readonly fleet: readonly string[];
  readonly variant: string;
  readonly seed: string;
  /** How many resets there were. */
  readonly epoch: number;
  readonly settings: Settings;
  /** Runs at the warp; every interval and timeout of the node goes through it. */
  readonly clock: LeapingClock;
  /** The stream of one concern of this node. */
  chance(concern: string): SeededStream;
  /** @param event past tense, dotted: `relay.refused` */
  emit(event: string, fields?: Readonly<Record<string, unknown>>): void;
  /** Free text for a person, on stderr. */
  log(text: string): void;
  /** Aborted when the node is to end: by a reset, by SIGTERM. */
  readonly signal: AbortSignal;
}

/** A node that has started. */
export interface RunningNode {
  /** What `/state` shows besides what the kit itself knows. */
  state?(): Readonly<Record<string, unknown>>;
  /** Admin requests of the node's own: `POST /storm`, `GET /pool`. */
  readonly handlers?: Readonly<Record<string, AdminHandler>>;
  /** Last words; what is still open afterwards is cut off. */
  stop?(): Promise<void>;
}

/** Starts the node; the kit says `ready` when it resolves. */
export type StartNode = (node: NodeContext) => Promise<RunningNode>;
