import { randomBytes } from 'node:crypto';
import {
  type BoxKey,
  boxWith,
  openClientMessage,
  parseClientMessage,
  SIZE,
  sealClientMessage,
} from '../smp-kit/index.ts';
import { type AgentMessage, parseAgentMessage } from './agent-message.ts';
import type { ConnectionRecord, OutboxItem, OwnQueueRecord } from './connection-record.ts';
import { boxKey, bytesOf, signingKey, textOf } from './keys.ts';
import type { SendRequest } from './wire.ts';

/** Where the agent is to be answered, in a joiner's confirmation. */
export interface ReplyAddress {
  readonly serverName: string;
  readonly server: string;
}

/**
 * An item of the outbox as SEND takes it: sealed from the agent to the other side, so that no server reads it. A
 * confirmation goes to a queue that is not secured yet: it carries both keys, and is not signed.
 * @param reply of a joiner with its own queue
 */
export function sealItem(
  name: string,
  connection: ConnectionRecord,
  item: OutboxItem,
  reply: ReplyAddress | undefined,
): SendRequest {
  const { peer, own } = connection;
  if (!peer) throw new Error(`connection ${connection.id}: seals for nobody`);
  const key = boxKey(peer.ownBoxKey);
  const box = boxWith(key, bytesOf(peer.boxKey));
  if (!box) throw new Error(`connection ${connection.id}: the other side's key is none`);
  const nonce = randomBytes(SIZE.correlationId);
  const isFirst = item.kind === 'confirmation';
  const replyQueue =
    isFirst && reply && own
      ? { ...reply, senderId: own.queue.senderId, boxKey: own.boxPublicKey }
      : undefined;
  const body = Buffer.from(JSON.stringify(contentOf(name, item, replyQueue)));
  const senderKey = isFirst
    ? ({ curve: 'ed25519', bytes: signingKey(peer.senderKey).publicKey } as const)
    : undefined;
  return {
    senderId: peer.senderId,
    senderKey: isFirst ? undefined : peer.senderKey,
    body: sealClientMessage(box, nonce, { senderKey, body }, isFirst ? key.publicKey : undefined),
  };
}

/** What came through a queue: who may send to it from now on, when it says so, and the message. */
export interface Opened {
  readonly message: AgentMessage;
  /** Public X25519 key that the sender's messages are sealed with, as a confirmation says it. */
  readonly senderBoxKey?: string | undefined;
}

/** @returns what it says, or why it is not believed */
export function openBody(own: OwnQueueRecord, body: Uint8Array): Opened | { readonly reason: string } {
  const sealed = parseClientMessage(body);
  if (!sealed) return { reason: 'no message of a client' };
  const { senderDhKey } = sealed;
  const senderBoxKey = senderDhKey ? textOf(senderDhKey) : own.senderBoxKey;
  if (senderBoxKey === undefined) return { reason: 'a message before any confirmation' };
  const box: BoxKey | undefined = boxWith(boxKey(own.boxKey), bytesOf(senderBoxKey));
  const opened = box && openClientMessage(box, sealed);
  if (!opened) return { reason: 'not sealed for this queue' };
  const key = opened.senderKey?.curve === 'ed25519' ? textOf(opened.senderKey.bytes) : undefined;
  const message = parseAgentMessage(opened.body, key);
  if (!message) return { reason: 'no message of an agent' };
  return { message, senderBoxKey: senderDhKey && senderBoxKey };
}

function contentOf(name: string, item: OutboxItem, reply: unknown): unknown {
  if (item.kind === 'confirmation') return { kind: item.kind, name, ...(reply ? { reply } : {}) };
  if (item.kind === 'hello') return { kind: item.kind };
  return { kind: item.kind, message: item.message, place: item.place };
}
