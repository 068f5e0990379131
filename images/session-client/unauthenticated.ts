import type { ClientRules } from './client-rules.ts';
import { ERROR } from './errors.ts';
import { type Answer, failure } from './request.ts';

/** Statuses that make the client act; they count only when it is the destination that says them. */
const ACTING = [406, 421, 425];

/** An answer that does not open: what was sent, and why it cannot be the destination's word. */
export interface Unopened {
  readonly status: number;
  readonly body: Uint8Array;
  readonly reason: string;
}

const SAID_BYTES_MAX = 200;

type Rules = Pick<
  ClientRules,
  | 'onionMustDecrypt'
  | 'proxiedMustDecrypt'
  | 'directStatusActs'
  | 'tunnelStatusActs'
  | 'sentStatusInMessage'
  | 'otherStatusesPass'
>;

/**
 * What an answer is that does not decrypt: anybody on the way may have given it. The three statuses that would make us act
 * become an error of their own; all others stay, since they tell what is wrong with the path.
 */
export function undecrypted(
  rules: Rules,
  route: 'onion' | 'proxied',
  { status, body, reason }: Unopened,
): Answer {
  const mustDecrypt = route === 'onion' ? rules.onionMustDecrypt : rules.proxiedMustDecrypt;
  const hides = (ACTING.includes(status) && mustDecrypt) || !rules.otherStatusesPass;
  const sent = rules.sentStatusInMessage ? ` with status ${status}` : '';
  // Relays say in it which node they miss; it names nodes to blame, never nodes to use.
  const said = Buffer.from(body.subarray(0, SAID_BYTES_MAX)).toString('utf8');
  return failure(
    hides ? ERROR.UNAUTHENTICATED_RESPONSE : status,
    `not the destination's answer (${reason}), sent${sent}: ${said}`,
  );
}

/** Straight and through a tunnel the connection itself says who answers: the status acts. */
export function authenticated(rules: Rules, answer: Answer, route: 'direct' | 'tunnel'): Answer {
  const acts = route === 'direct' ? rules.directStatusActs : rules.tunnelStatusActs;
  if (acts || !ACTING.includes(answer.status)) return answer;
  return failure(ERROR.UNAUTHENTICATED_RESPONSE, `status ${answer.status} over ${route}`);
}
