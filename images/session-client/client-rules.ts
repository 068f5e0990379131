import type { Settings } from '../node-kit/index.ts';

/** Every rule is a switch; the names are those of image.json, the words those of rules.json. */
export const RULES = [
  // Redirects
  'followRedirects',
  'readKeysOnly',
  'followPartlyKnown',
  'refreshWhenShort',
  'refreshWhenShortAndKnown',
  'fullSwarmAsksNothing',
  'ignoreCalculatedSwarm',
  'limitNeverRefuses',
  'limitAsksForRefresh',
  'countPerAccount',
  'countSaturates',
  'countOutlivesAnswers',
  'overridesApart',
  'refreshDropsOverrides',
  'refreshResetsCounts',
  'overrideHasNoId',
  'everyLookupChecksAge',
  'failUnresolved',
  'retryResolvesAccount',
  'quietRedirects',
  'limitWarnsOnce',
  'unknownWarnsEachTime',
  // invalidate_swarm
  'refreshOnEvidence',
  'intervalDoubles',
  'intervalCapped',
  'doubleOnlyAfterRun',
  'declineYoungPool',
  'quietResetsInterval',
  'abandonedKeepsStep',
  // Batches
  'readSubResults',
  'attributeByPosition',
  'ignoreDifferingEcho',
  'acceptWithoutEcho',
  'recordBeforeAnything',
  'mixedReachHandling',
  'retrySingleAccount',
  'retryAtMostOnce',
  'severalAreNotRetried',
  'answeredAreNotRetried',
  'oneRefreshPerResponse',
  'fallbackFillsUnnamed',
  'fallbackKeepsNamed',
  // Unauthenticated answers
  'onionMustDecrypt',
  'proxiedMustDecrypt',
  'directStatusActs',
  'tunnelStatusActs',
  'sentStatusInMessage',
  'otherStatusesPass',
  'unlistedStatusSparesPath',
  // Strikes
  'expiryInCount',
  'expiryInUsable',
  'expiryInUnused',
  'expiryInSwarm',
  'pruneOnStrike',
  'neverFailedStays',
  'permanentStrikesOut',
  // Edge nodes
  'struckEdgeLosesRole',
  'lostRoleStaysLost',
  'edgeExpires',
  'poolKeepsStruckEdge',
  'rotationReadsStrikes',
  // Refresh callback
  'answerSuspended',
  'answerNoCandidates',
  'answerNoFetcher',
  'answerRunOut',
  'resyncEndsOnFailure',
  'setupEndsOnFailure',
  'randomNodesAnswerEmpty',
  'namedInsufficientPath',
  'namedInsufficientProxyFailed',
  'namedInsufficientProxyEmpty',
  'randomNodesCheckFirst',
  'pathChecksFirst',
  'proxyChecksFirst',
  // Suspend and close
  'suspendGuard',
  'refuseWhileSuspended',
  'takePendingFirst',
  'closeIsNoEvidence',
  'closedIsNotSuspended',
  'reentrantVerifyFails',
  'handshakeTimeoutSpared',
  'codeZeroStrikes',
  'routerSuspendsFirst',
  'routerClosesFirst',
  'suspendFlushesStrikes',
  'suspendAbandonsRefresh',
  'lateFetchKeepsOut',
  'lateRestartKeepsOut',
  'noRestartOnResume',
  'suspendForgetsFailures',
  // Refreshing
  'presenceThreshold',
  'minimumPoolSize',
] as const;

export type RuleName = (typeof RULES)[number];

export type ClientRules = Readonly<Record<RuleName, boolean>>;

export function clientRules(settings: Settings): ClientRules {
  return Object.fromEntries(RULES.map((rule) => [rule, settings.yes(rule)])) as ClientRules;
}
