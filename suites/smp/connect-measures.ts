/** Whether and when the agent's link became a connection, and what that took of its user. */

import type { MeasurePredicate, RecordedEvent } from '../../harness/index.ts';
import { requiredField } from '../../harness/index.ts';
import { APP, liftedNs, picksIn, registerTrialMeasure, seconds, type Trial } from './events.ts';

/** Steps of the suite say so when what a row measures begins. */
export const ROW_BEGAN = 'row.began';
/** … and when another row begins in the same trial: the link that is joined after the servers were changed. */
export const SECOND_ROW_BEGAN = 'row.began-again';

interface Course {
  readonly connected: number;
  readonly connectedS: number | null;
  /** From the join to the end of the trial, where nothing connected. */
  readonly waitedS: number | null;
  readonly retries: number;
  readonly failures: number;
  /** Whether the app picked another proxy than P1 in it. */
  readonly pickedGood: boolean;
}

/** What happened from a marker on to the app's next connection, or to the end. */
function courseFrom(trial: Trial, events: readonly RecordedEvent[], marker: string): Course | undefined {
  const beganNs = events.findLast(({ event }) => event === marker)?.atNs;
  if (beganNs === undefined) return undefined;
  const later = events.filter(({ atNs }) => atNs >= beganNs);
  const joined = later.find(({ event }) => event === 'join.started');
  const connected = later.find(({ event, node }) => event === 'connection.established' && node === APP);
  const untilNs = connected?.atNs ?? Number.POSITIVE_INFINITY;
  const count = (name: string): number =>
    later.filter(({ event, node, atNs }) => event === name && node === APP && atNs <= untilNs).length;
  return {
    connected: connected ? 1 : 0,
    connectedS: connected && joined ? seconds(connected.atNs - joined.atNs, trial) : null,
    waitedS: !connected && joined ? seconds(trial.endNs - joined.atNs, trial) : null,
    retries: count('retry.tapped'),
    failures: count('join.failed'),
    pickedGood: picksIn(later).some(({ agent, proxy }) => agent === APP && proxy !== 'proxy-1'),
  };
}

/** From the first join after the row began to the app's connection. `retries` stands for unconnected trials as well. */
export const connectMeasures: MeasurePredicate = (trial, events) => {
  const course = courseFrom(trial, events, ROW_BEGAN);
  const connected = course?.connected === 1;
  const switched = events.find(({ event, node }) => event === 'servers.configured' && node === APP);
  const established = events.find(
    ({ event, node, atNs }) =>
      event === 'connection.established' && node === APP && switched !== undefined && atNs >= switched.atNs,
  );
  return {
    rows: course ? 1 : null,
    connected: course?.connected ?? null,
    notConnected: course ? 1 - course.connected : null,
    connectedS: course?.connectedS ?? null,
    waitedS: course?.waitedS ?? null,
    waitedAfterSwitchS:
      switched && course?.connected === 0 ? seconds(trial.endNs - switched.atNs, trial) : null,
    retries: course?.retries ?? null,
    retriesToConnect: connected ? (course?.retries ?? null) : null,
    // How many Retries a user who was not connected had left, and how many attempts had no end: neither an error nor the connection.
    retriesLeft: course ? (connected ? 0 : Number(trial.point['cap'] ?? 0) - course.retries) : null,
    attemptsWithoutEnd: course ? course.retries + 1 - course.failures - course.connected : null,
    goodPickInVain: course ? Number(course.pickedGood && !connected) : null,
    connectedSPerPick:
      course?.connectedS === null || course === undefined
        ? null
        : course.connectedS / Math.max(1, picksIn(events).filter(({ proxy }) => proxy === 'proxy-1').length),
    joinFailures: course?.failures ?? null,
    connectedWithoutRetry: connected ? Number(course?.retries === 0) : null,
    connectedWithoutRetryS: course?.retries === 0 ? course.connectedS : null,
    connectedAfterSwitchS: switched && established ? seconds(established.atNs - switched.atNs, trial) : null,
  };
};

/** The same of the second link of a trial. */
export const secondConnectMeasures: MeasurePredicate = (trial, events) => {
  const course = courseFrom(trial, events, SECOND_ROW_BEGAN);
  return {
    secondRows: course ? 1 : null,
    secondNotConnected: course ? 1 - course.connected : null,
    secondConnected: course?.connected ?? null,
    secondConnectedS: course?.connectedS ?? null,
    secondFailures: course?.failures ?? null,
  };
};

/** From the end of the cuts to the app's connection; negative when it came before. */
export const connectAfterHealMeasures: MeasurePredicate = (trial, events) => {
  const healedNs = liftedNs(trial, 'cut');
  const connected = events.find(({ event, node }) => event === 'connection.established' && node === APP);
  return {
    connectedAfterHealS:
      connected && healedNs !== undefined ? seconds(connected.atNs - healedNs, trial) : null,
  };
};

/** The alerts that a user saw before the servers were changed: by the client's own timeout, and by the proxy's report. */
export const alertMeasures: MeasurePredicate = (trial, events) => {
  const untilNs =
    events.find(({ event }) => event === 'servers.configured')?.atNs ?? Number.POSITIVE_INFINITY;
  const alerts = events.filter(
    ({ event, node, atNs }) => event === 'join.failed' && node === APP && atNs < untilNs,
  );
  const called = (alert: string): RecordedEvent[] =>
    alerts.filter((event) => requiredField(event, 'alert', 'string') === alert);
  const reports = called('Private routing timeout');
  const [first, last] = [reports[0], reports.at(-1)];
  return {
    failuresBeforeSwitch: alerts.length,
    connectionTimeouts: called('Connection timeout').length,
    routingTimeouts: reports.length,
    routingGapS: first && last && first !== last ? seconds(last.atNs - first.atNs, trial) : null,
  };
};

registerTrialMeasure('smp.connect', connectMeasures);
registerTrialMeasure('smp.connect-after-heal', connectAfterHealMeasures);
registerTrialMeasure('smp.second-connect', secondConnectMeasures);
registerTrialMeasure('smp.alerts', alertMeasures);
