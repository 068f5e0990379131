/** What became of the remembered proxies: picks, streaks, who was forgotten and why, who learnt of a destination. */

import type { MeasurePredicate, RecordedEvent } from '../../harness/index.ts';
import { requiredField } from '../../harness/index.ts';
import {
  APP,
  changesIn,
  failedForwardsIn,
  isAgent,
  liftedNs,
  picksIn,
  registerTrialMeasure,
  seconds,
  type Trial,
} from './events.ts';

/** Distinct proxies that learnt of one destination, at most over the agents and destinations of a trial; 0: none did. */
function exposedIn(events: readonly RecordedEvent[]): number {
  const proxies = new Map<string, Set<string>>();
  for (const event of events) {
    if (event.event !== 'proxy.exposed' || !isAgent(event)) continue;
    const key = `${event.node} ${requiredField(event, 'destination', 'string')}`;
    proxies.set(key, (proxies.get(key) ?? new Set()).add(requiredField(event, 'proxy', 'string')));
  }
  return Math.max(0, ...[...proxies.values()].map((set) => set.size));
}

/** Unwarped seconds for which each proxy that was forgotten for its failures had been the choice. */
function keptForS(trial: Trial, events: readonly RecordedEvent[]): number[] {
  const picks = picksIn(events);
  return changesIn(events)
    .filter(({ what, reason }) => what === 'forgotten' && reason === 'streak')
    .flatMap(({ agent, destination, proxy, atNs }) => {
      const chosen = picks.findLast(
        (pick) =>
          pick.agent === agent &&
          pick.destination === destination &&
          pick.proxy === proxy &&
          pick.atNs <= atNs,
      );
      return chosen ? [seconds(atNs - chosen.atNs, trial)] : [];
    });
}

/**
 * Choices and streaks of all agents of a trial. A change `by` another proxy than the entry's is one that a guard ought to
 * have stopped; `late` counts the results that came after their proxy had been replaced, stopped or not.
 */
export const choiceMeasures: MeasurePredicate = (trial, events) => {
  const picks = picksIn(events);
  const changes = changesIn(events);
  // A lost session is answered by one more try through the same proxy, so that it is no failure of the forward.
  const failed = failedForwardsIn(events).filter(({ error }) => error !== 'PROXY NO_SESSION');
  const first = picks.find(({ agent }) => agent === APP);
  const forgotten = (reason: string): number =>
    changes.filter((change) => change.what === 'forgotten' && change.reason === reason).length;
  const strangers = changes.filter(({ proxy, by }) => proxy !== by);
  const ignored = events.filter((event) => event.event === 'late.ignored' && isAgent(event));
  const kept = keptForS(trial, events);
  return {
    firstPickWasProxy1: first ? Number(first.proxy === 'proxy-1') : null,
    picks: picks.length,
    repicks: Math.max(
      0,
      picks.length - new Set(picks.map((pick) => `${pick.agent} ${pick.destination}`)).size,
    ),
    repicksOfFailed: picks.filter(({ sameAgain, byRetry }) => sameAgain && !byRetry).length,
    recordedRetries: picks.filter(({ byRetry }) => byRetry).length,
    streaksStarted: changes.filter(({ what }) => what === 'started').length,
    streaksKept: changes.filter(({ what }) => what === 'kept').length,
    streaksCleared: changes.filter(({ what }) => what === 'cleared').length,
    streaksForgotten: forgotten('streak'),
    forgottenConnect: forgotten('connect'),
    forgottenPrxy: forgotten('prxy'),
    forgottenDisconnect: forgotten('disconnect'),
    forgotten: changes.filter(({ what }) => what === 'forgotten').length,
    strangersChanges: strangers.length,
    late: ignored.length + strangers.length,
    keptForS: kept,
    firstKeptS: kept[0] ?? null,
    longestKeptS: kept.length > 0 ? Math.max(...kept) : null,
    failedForwards: failed.length,
    failedAtClient: failed.filter(({ hop }) => hop === 'client').length,
    failedAtProxy: failed.filter(({ hop }) => hop === 'proxy').length,
    failedAtRelay: failed.filter(({ hop }) => hop === 'relay').length,
    failedThroughGood: failed.filter(({ proxy }) => proxy !== 'proxy-1').length,
    exposedProxies: exposedIn(events),
    sessionsRemoved: events.filter((event) => event.event === 'session.removed' && isAgent(event)).length,
  };
};

/** From the failure that began the streak to the one that forgot the proxy, for the first that was forgotten so. */
export const streakLengthMeasures: MeasurePredicate = (trial, events) => {
  const changes = changesIn(events);
  const forgotten = changes.find(({ what, reason }) => what === 'forgotten' && reason === 'streak');
  const began = changes.findLast(
    ({ what, proxy, atNs }) => what === 'started' && proxy === forgotten?.proxy && atNs <= forgotten.atNs,
  );
  return {
    streakLengthS: forgotten && began ? seconds(forgotten.atNs - began.atNs, trial) : null,
  };
};

/** Connections of the servers to the relay, and what the servers said of them. */
export const relayMeasures: MeasurePredicate = (trial, events) => {
  const ofProxy1 = events.filter(({ node }) => node === 'proxy-1');
  const connected = ofProxy1.filter(({ event }) => event === 'relay.connected');
  const failed = ofProxy1.filter(({ event }) => event === 'relay.failed');
  const healedNs = liftedNs(trial, 'cut');
  const after = healedNs === undefined ? undefined : connected.find(({ atNs }) => atNs >= healedNs);
  return {
    relayConnects: connected.length,
    relayReconnects: Math.max(0, connected.length - 1),
    relayFailures: failed.length,
    relayFailuresCached: failed.filter(({ fields }) => fields['cached'] === true).length,
    relayReconnectedAfterHealS:
      after && healedNs !== undefined ? seconds(after.atNs - healedNs, trial) : null,
  };
};

registerTrialMeasure('smp.choice', choiceMeasures);
registerTrialMeasure('smp.streak-length', streakLengthMeasures);
registerTrialMeasure('smp.relay', relayMeasures);
