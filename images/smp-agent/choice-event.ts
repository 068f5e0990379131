/**
 * What became of a request, as far as the choice of its proxy is concerned. `proxy` is the one that the request went
 * through, which by the time of its end need not be the chosen one any more.
 */
export interface ChoiceEvent {
  readonly kind: ChoiceEventKind;
  readonly destination: string;
  readonly proxy: string;
}

export const CHOICE_EVENT_KINDS = [
  /** The connection to the proxy failed, for the one who made it or for those who waited for it. */
  'connect-failed',
  /** The connection that somebody else was making took longer than this request would wait. */
  'waiter-timed-out',
  /** PRXY failed otherwise than by a host or version error; the client's own timeout is one of these. */
  'prxy-failed',
  /** The proxy says that the relay's host cannot be used by it, or not at this version. */
  'prxy-host-error',
  /** `PROXY BROKER e` in answer to a forward, other than a host error. */
  'forward-failed',
  'forward-host-error',
  /** No answer to a forward within the client's own wait. */
  'forward-timed-out',
  'forward-succeeded',
  /** The relay's own error came back inside the response. */
  'relay-error',
  /** `PROXY PROTOCOL e`: the relay answered the proxy with an error. */
  'protocol-error',
  /** The connection to the proxy was lost; said for each destination that it had a session to. */
  'disconnected',
] as const;

export type ChoiceEventKind = (typeof CHOICE_EVENT_KINDS)[number];

/** What guards an event: the entry has to name the proxy that the event is about. */
export type GuardedSite = 'failure' | 'success' | 'disconnect' | 'prxy';

export const SITE_OF: Readonly<Record<ChoiceEventKind, GuardedSite>> = {
  'connect-failed': 'failure',
  'waiter-timed-out': 'failure',
  'forward-failed': 'failure',
  'forward-host-error': 'failure',
  'forward-timed-out': 'failure',
  'prxy-failed': 'prxy',
  'prxy-host-error': 'prxy',
  'forward-succeeded': 'success',
  'relay-error': 'success',
  'protocol-error': 'success',
  disconnected: 'disconnect',
};
