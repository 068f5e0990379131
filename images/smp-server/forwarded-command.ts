import {
  answerNonce,
  boxWith,
  encodeServerMessage,
  NOTHING,
  openForwarded,
  type PeerFacts,
  type ReceivedTransmission,
  type ServerMessage,
  type SmpError,
  sealForwarded,
  unwrapCommand,
  wrapAnswer,
} from '../smp-kit/index.ts';
import type { QueueCommands } from './queue-commands.ts';
import { receiveCommand, refusal } from './received-command.ts';

/**
 * The relay's side of RFWD: opens both boxes, answers the sender's command, and closes both boxes over the answer. An error
 * of the command goes into the boxes, where the proxy cannot read it; an error of the boxes is told to the proxy.
 */
export function answerForwarded(
  queues: QueueCommands,
  proxy: PeerFacts,
  rfwd: { readonly sealed: Uint8Array; readonly correlationId: Uint8Array },
): ServerMessage {
  if (!proxy.proxyBox) {
    const broker = { tag: 'TRANSPORT', transport: 'NO_AUTH' } as const;
    return refusal({ tag: 'PROXY', proxy: { tag: 'BROKER', broker } });
  }
  const forwarded = unwrapCommand(proxy.proxyBox, rfwd.correlationId, rfwd.sealed);
  if (forwarded === 'CRYPTO') return refusal({ tag: 'CRYPTO' });
  if (forwarded === 'SYNTAX') return refusal({ tag: 'CMD', command: 'SYNTAX' });
  const box = boxWith(proxy.serverKey, forwarded.commandKey);
  if (!box) return refusal({ tag: 'CRYPTO' });
  const transmission = openForwarded(box, forwarded.correlationId, forwarded.sealed);
  if (typeof transmission === 'string') return refusal({ tag: transmission });
  const { correlationId, entityId } = transmission;
  const content = encodeServerMessage(answerTo(queues, proxy, transmission));
  const answer = { authorization: NOTHING, correlationId, entityId, content };
  const sealed = sealForwarded(box, answerNonce(forwarded.correlationId), answer);
  return {
    tag: 'RRES',
    sealed: wrapAnswer(proxy.proxyBox, rfwd.correlationId, forwarded.correlationId, sealed),
  };
}

function answerTo(
  queues: QueueCommands,
  { sessionId, serverKey }: PeerFacts,
  transmission: ReceivedTransmission,
): ServerMessage {
  const received = receiveCommand(transmission, { sessionId, serverKey });
  if ('tag' in received) return refusal(received satisfies SmpError);
  return queues.answerSender(received) ?? refusal({ tag: 'CMD', command: 'PROHIBITED' });
}
