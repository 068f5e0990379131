import type { PoolNode } from './pool-node.ts';
import { readAnswer } from './read-answer.ts';
import { type ClientRequest, failure, type OnAnswer } from './request.ts';
import type { RouterPorts } from './router-ports.ts';
import { undecrypted } from './unauthenticated.ts';

export interface SealedWay {
  readonly route: 'onion' | 'proxied';
  readonly relays: readonly PoolNode[];
  /** Whom we are connected to. */
  readonly via: PoolNode;
}

type Ports = Pick<RouterPorts, 'rules' | 'transport' | 'seal'>;

/** Sends a request that only its destination can read, and believes an answer only when it decrypts. */
export function sendSealed(ports: Ports, way: SealedWay, request: ClientRequest, onAnswer: OnAnswer): void {
  const { transport, seal, rules } = ports;
  const { blob, open } = seal(way.relays, request.to, request.method, request.params);
  transport.call(way.via, { kind: 'onion', blob }, request.timeoutMs, (result) => {
    if (!('answer' in result)) {
      onAnswer(failure(result.status, result.message, result));
      return;
    }
    const opened = open(result.answer);
    if (opened.authentic) onAnswer(readAnswer(opened.status, opened.body));
    else onAnswer(undecrypted(rules, way.route, { ...result.answer, reason: opened.reason }));
  });
}
