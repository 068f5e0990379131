import { randomBytes } from 'node:crypto';
import { x25519Key } from '../../../harness/identity/index.ts';
import {
  type AuthorizationKey,
  authorize,
  type Command,
  encodeBlock,
  encodeCommand,
  encodeSigned,
  NOTHING,
  parseBlock,
  parseServerMessage,
  publicPart,
  type ServerAddress,
} from '../../smp-kit/index.ts';
import { signingKey } from './in-process.ts';
import { RawClient } from './raw-client.ts';

/** A queue with its recipient's session, whose authorized blocks strangers may get hold of. */
export class RawQueue {
  readonly senderId: Uint8Array;
  readonly #recipientId: Uint8Array;
  readonly #owner: RawClient;
  readonly #key: AuthorizationKey;

  private constructor(
    owner: RawClient,
    key: AuthorizationKey,
    ids: { recipientId: Uint8Array; senderId: Uint8Array },
  ) {
    this.#owner = owner;
    this.#key = key;
    this.#recipientId = ids.recipientId;
    this.senderId = ids.senderId;
  }

  static async make(address: ServerAddress): Promise<RawQueue> {
    const owner = await RawClient.join(address);
    const key = signingKey();
    const command: Command = {
      tag: 'NEW',
      recipientKey: publicPart(key),
      recipientDhKey: x25519Key(randomBytes(32)).publicKey,
      basicAuth: undefined,
      subscribe: false,
      senderSecures: false,
    };
    owner.stream.send(authorized(owner, key, command, NOTHING));
    const answer = parseBlock((await owner.stream.next()) ?? NOTHING)?.[0];
    const message = parseServerMessage(answer?.content ?? NOTHING);
    if (typeof message === 'string' || message.tag !== 'IDS') throw new Error('no queue was given');
    return new RawQueue(owner, key, {
      recipientId: Uint8Array.from(message.recipientId),
      senderId: Uint8Array.from(message.senderId),
    });
  }

  /** A block with the recipient's command, authorized for the recipient's own session. */
  authorized(command: Command): Uint8Array {
    return authorized(this.#owner, this.#key, command, this.#recipientId);
  }

  /** Ends it, and its session. @returns what the server says */
  async remove(): Promise<string> {
    const said = await this.#owner.askBlock(this.authorized({ tag: 'DEL' }));
    this.#owner.close();
    await this.#owner.stream.closed;
    return said;
  }
}

function authorized(
  { hello }: RawClient,
  key: AuthorizationKey,
  command: Command,
  entityId: Uint8Array,
): Uint8Array {
  const correlationId = randomBytes(24);
  const content = encodeCommand(command);
  const signed = encodeSigned({ correlationId, entityId, content });
  // A signature needs no key of the server's.
  const authorization = authorize(key, NOTHING, { sessionId: hello.sessionId, correlationId, signed });
  return encodeBlock([{ authorization, correlationId, entityId, content }]);
}
