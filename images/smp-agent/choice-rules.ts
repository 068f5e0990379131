import type { Settings } from '../node-kit/index.ts';

/** The fix, each piece a switch; the names are those of image.json. */
export const FIXES = [
  'forgetOnConnectFailure',
  'ignoreWaiterTimeout',
  'forgetOnStreak',
  'clearOnSuccess',
  'clearOnRelayError',
  'clearOnProtocolError',
  'guardFailure',
  'guardSuccess',
  'guardDisconnect',
  'guardPrxy',
  'removeDeadSession',
  'retryRecordsNoChoice',
  'keepOnHostError',
] as const;

export type FixName = (typeof FIXES)[number];

/** What decides about a remembered proxy. */
export type ChoiceRules = Readonly<Record<FixName, boolean>> & {
  /** Age of a streak from which on one more failure forgets the proxy. */
  readonly proxyFailureIntervalMs: number;
  /** The proxy that was forgotten for a failure is left out of the next pick, where another can be picked. */
  readonly excludeFailed: boolean;
  /** A streak that saw no failure for longer than this begins anew with the next one; 0: it never expires. */
  readonly streakExpiryMs: number;
  /** A forward that the client itself gave up counts as a failure of the proxy. */
  readonly countClientTimeouts: boolean;
};

export function choiceRules(settings: Settings): ChoiceRules {
  const switches = Object.fromEntries(FIXES.map((fix) => [fix, settings.yes(fix)])) as Record<
    FixName,
    boolean
  >;
  return {
    ...switches,
    proxyFailureIntervalMs: settings.number('proxyFailureIntervalMs'),
    excludeFailed: settings.yes('excludeFailed'),
    streakExpiryMs: settings.number('streakExpiryMs'),
    countClientTimeouts: settings.yes('countClientTimeouts'),
  };
}
