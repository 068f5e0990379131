import type { Settings } from '../node-kit/index.ts';

/** Every rule is a switch; the names are those of image.json, the words those of rules.json. */
export const RULES = [
  // Start
  'shareLimit',
  'nearestFirst',
  'answeringFirst',
  'preferenceOrder',
  'parkUnderEach',
  'wakeByDistance',
  'moveOnByShare',
  // Silence
  'silenceHandling',
  'wakeOnSilence',
  'laterAnswerSpares',
  'answerClears',
  'answerClearsOlderOnly',
  'newerFailureRefreshes',
  'olderFailureIgnored',
  'marksExpire',
  'markLifetimeFloor',
  // Answers
  'countEarlyAnswers',
  'anyPayloadAnswers',
  'localFailureSpares',
  // Parked keys and sources
  'parkKeepsTried',
  'parkKeepsReservation',
  'parkedCountInBound',
  'returnWithoutSource',
  'returnWhenFull',
  'triedCountInCap',
  'capFitsRound',
  'boundRetryMerge',
  // Table
  'evictIdleOnly',
  'overflowCountsSilent',
  'overflowExpires',
  // What ends
  'departureReleases',
  'cancelReleases',
  'failureReleases',
  'releaseGateOnStop',
  // Busy
  'busyGrows',
  'busyCapped',
  'busyNeverShortened',
  'busyReportsRemaining',
  'busyLastForNew',
  'busyLastForRetries',
  'busyWaitCutShort',
  'busyEvicts',
] as const;

export type RuleName = (typeof RULES)[number];

export type FetchRules = Readonly<Record<RuleName, boolean>>;

export function fetchRules(settings: Pick<Settings, 'yes'>): FetchRules {
  return Object.fromEntries(RULES.map((rule) => [rule, settings.yes(rule)])) as FetchRules;
}
