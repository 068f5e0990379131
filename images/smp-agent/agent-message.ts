/** What agents say to each other, sealed so that servers do not read it. */
export type AgentMessage =
  | {
      readonly kind: 'confirmation';
      /** Who sends it, for the history of messages. */
      readonly name: string;
      /** Public Ed25519 key that the sender signs with once the queue is secured; it travels in the envelope. */
      readonly senderKey: string;
      /** Of a joiner: where it wants to be answered. */
      readonly reply?: ReplyQueue;
    }
  | { readonly kind: 'hello' }
  | { readonly kind: 'message'; readonly message: string; readonly place: number };

export interface ReplyQueue {
  readonly serverName: string;
  readonly server: string;
  readonly senderId: string;
  readonly boxKey: string;
}

const LONGEST_TEXT = 512;

/**
 * @param senderKey the key in the envelope, which a confirmation has to have
 * @returns undefined for anything that is no message
 */
export function parseAgentMessage(bytes: Uint8Array, senderKey?: string): AgentMessage | undefined {
  const content = parsed(bytes);
  if (content?.['kind'] === 'hello') return { kind: 'hello' };
  if (content?.['kind'] === 'message') {
    const { message, place } = content;
    if (!isText(message) || typeof place !== 'number' || !Number.isSafeInteger(place) || place < 1)
      return undefined;
    return { kind: 'message', message, place };
  }
  if (content?.['kind'] !== 'confirmation') return undefined;
  const { name, reply } = content;
  if (!isText(name) || senderKey === undefined) return undefined;
  if (reply === undefined) return { kind: 'confirmation', name, senderKey };
  const queue = replyQueue(reply);
  return queue && { kind: 'confirmation', name, senderKey, reply: queue };
}

function replyQueue(value: unknown): ReplyQueue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { serverName, server, senderId, boxKey } = value as Record<string, unknown>;
  if (!isText(serverName) || !isText(server) || !isText(senderId) || !isText(boxKey)) return undefined;
  return { serverName, server, senderId, boxKey };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value.length > 0 && value.length <= LONGEST_TEXT;
}

function parsed(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    const content: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return typeof content === 'object' && content !== null ? (content as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
