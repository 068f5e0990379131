import type { OwnQueue } from './wire.ts';

/**
 * `invited` a link waits to be joined · `joining` a join is under way or waits for Retry · `confirmed` the other side has
 * been told and has yet to answer · `answering` the other side is known, keys and hellos are on their way · `established`.
 */
export type ConnectionStatus = 'invited' | 'joining' | 'confirmed' | 'answering' | 'established';

/** A queue of the agent's own, where the other side sends to. */
export interface OwnQueueRecord {
  readonly server: string;
  readonly queue: OwnQueue;
  /** X25519; what the other side sends is sealed to it. */
  readonly boxKey: string;
  readonly boxPublicKey: string;
  /** The other side's public X25519 key, once it has said it. */
  senderBoxKey?: string;
  /** Public Ed25519 key of the sender, to be given to the server by KEY. */
  secureWith?: string;
  secured: boolean;
}

/** A queue of the other side, where the agent sends to. */
export interface PeerQueueRecord {
  readonly server: string;
  readonly senderId: string;
  /** Public X25519 key of the recipient. */
  readonly boxKey: string;
  /** The agent's private keys for it: X25519 for sealing, Ed25519 for signing once the queue is secured. */
  readonly ownBoxKey: string;
  readonly senderKey: string;
}

export type OutboxKind = 'confirmation' | 'hello' | 'message';

export interface OutboxItem {
  readonly kind: OutboxKind;
  /** Id of a message, as the history has it. */
  readonly message?: string;
  /** Place of a message in its connection, from 1. */
  readonly place?: number;
  readonly sinceWallMs: number;
  /** An attempt ended so that it may have arrived. */
  doubtful?: boolean;
}

/** One connection to another agent, as it is stored. */
export interface ConnectionRecord {
  readonly id: string;
  readonly side: 'holder' | 'joiner';
  /** Of a joiner. */
  readonly link?: string;
  readonly interactive: boolean;
  status: ConnectionStatus;
  own?: OwnQueueRecord;
  peer?: PeerQueueRecord;
  peerName?: string;
  /** Attempts to join, and how many of them were a tap on Retry. */
  attempts: number;
  retries: number;
  lastError?: string;
  /** When the other side came, or the agent began to join. */
  sinceWallMs?: number;
  sentPlaces: number;
  receivedPlaces: number;
  readonly outbox: OutboxItem[];
}
