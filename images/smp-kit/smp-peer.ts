import type { X25519Key } from '../../harness/identity/index.ts';
import type { BlockStream } from './block-stream.ts';
import type { BoxKey } from './box.ts';
import { unlessTooLong } from './byte-writer.ts';
import { encodeServerMessage, type ServerMessage } from './server-message.ts';
import { encodeBlock, NOTHING, parseBlock, type ReceivedTransmission } from './transmission.ts';

const TOO_LONG: ServerMessage = { tag: 'ERR', error: { tag: 'LARGE_MSG' } };

export interface PeerFacts {
  readonly sessionId: Uint8Array;
  readonly version: number;
  /** The server's key of this session. */
  readonly serverKey: X25519Key;
  /** When the client is a proxy. */
  readonly proxyBox: BoxKey | undefined;
  /** The client's address and port. */
  readonly from: string;
}

/** A client as its server sees it, after the handshake. */
export class SmpPeer {
  readonly facts: PeerFacts;
  /** Resolves with what ended it. */
  readonly closed: Promise<string>;
  readonly #stream: BlockStream;

  constructor(stream: BlockStream, facts: PeerFacts) {
    this.#stream = stream;
    this.facts = facts;
    this.closed = stream.closed;
  }

  get isClosed(): boolean {
    return this.#stream.isClosed;
  }

  /**
   * The transmissions of the next block, undefined for one that is none, once there is room for answers; undefined after
   * the last block. A block that is no batch counts as one transmission that is none.
   */
  async next(): Promise<readonly (ReceivedTransmission | undefined)[] | undefined> {
    await this.#stream.room();
    const block = await this.#stream.next();
    return block && (parseBlock(block) ?? [undefined]);
  }

  /**
   * Answers a command, or says something of its own accord when there is no correlation id. What does not fit a block, such
   * as what a proxy hands on from a relay that is not to be trusted, becomes ERR LARGE_MSG.
   */
  send(message: ServerMessage, entityId: Uint8Array = NOTHING, correlationId: Uint8Array = NOTHING): void {
    const blockOf = (some: ServerMessage): Uint8Array =>
      encodeBlock([{ authorization: NOTHING, correlationId, entityId, content: encodeServerMessage(some) }]);
    this.#stream.send(unlessTooLong(() => blockOf(message)) ?? blockOf(TOO_LONG));
  }

  close(reason: string): void {
    this.#stream.close(reason);
  }
}
