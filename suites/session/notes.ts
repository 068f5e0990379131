/** What steps find out by asking, each under a name of its own, so that a bound over it can be checked at load. */
import { type MeasureSpec, type RecordedEvent, registerMeasure, requiredField } from '../../harness/index.ts';
import { COURSE_NOTED, ofCourse, type Trial } from './events.ts';

/** Name → what it is, and its unit. */
export const NOTES = {
  answered: ['Requests answered with success', 'requests'],
  unanswered: ['Requests that failed', 'requests'],
  hanging: ['Requests without an end', 'requests'],
  askedOld: ['Requests at the swarm that the account has left', 'requests'],
  underWay: ['Requests still under way at the end', 'requests'],
  codedVerifications: ['Verifications that ended with an error code', 'verifications'],
  stormAnswers: ['Requests that the storm answered', 'requests'],
  stormsOn: ['Nodes that storm on', 'nodes'],
  overridden: ['Accounts with an override at the end', 'accounts'],
  impureMemos: ['Memos that differ from the calculation', 'accounts'],
  ageChecks: ['Look-ups that checked the age of the pool', 'checks'],
  refreshesAwaited: ['Refreshes asked for by somebody who waits for the end', 'refreshes'],
  results: ['Parts of an answer', 'parts'],
  warnings: ['Warnings that the library would log', 'lines'],
  infoLines: ['Lines at info', 'lines'],
  poolSize: ['Nodes in the pool', 'nodes'],
  waiting: ['Callbacks that still wait', 'callbacks'],
  fetches: ['Node lists asked for', 'requests'],
  struckNodes: ['Nodes with strikes that count', 'nodes'],
  struckLater: ['Nodes with strikes that count, two days later', 'nodes'],
  outHours: ['Hours from its first strike to the last look at which a node could not be had', 'h'],
  strikesAgain: ['Failures that struck it out again', 'failures'],
  edgeKept: ['Paths that begin with the first hop of before', 'paths'],
  answeredLater: ['Requests answered with success in the end', 'requests'],
  stuckHours: ['Hours until the account could be used', 'h'],
  routerReady: ['Routers that finished their set-up', 'routers'],
  reached: ['Nodes of the swarm that were asked', 'nodes'],
  rightAccount: ['Overrides of the account that was rejected', 'accounts'],
  randomNodes: ['Random nodes that were had', 'nodes'],
  resyncRunning: ['Clock resyncs that did not end', 'resyncs'],
  missing: ['Messages that members miss', 'messages'],
  takenByLeaver: ['Messages that a member took before it knew that it had left', 'messages'],
  surplus: ['Messages that members have too many', 'messages'],
  received: ['Messages that the owner read', 'messages'],
} as const satisfies Readonly<Record<string, readonly [title: string, unit: string]>>;

export type NoteName = keyof typeof NOTES;

export const noteMeasureSpecs: readonly MeasureSpec[] = Object.entries(NOTES).map(
  ([name, [title, unit]]) => ({
    name,
    title,
    unit,
  }),
);

/** The sum of what was noted under each name; null where nothing was. */
export function noteMeasures(_: Trial, events: readonly RecordedEvent[]): Record<NoteName, number | null> {
  const noted = ofCourse(events).filter(({ event }) => event === COURSE_NOTED);
  const sumOf = (name: string): number | null => {
    const values = noted
      .filter(({ fields }) => fields['name'] === name)
      .map((event) => requiredField(event, 'value', 'number'));
    return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0);
  };
  return Object.fromEntries(Object.keys(NOTES).map((name) => [name, sumOf(name)])) as Record<
    NoteName,
    number | null
  >;
}

registerMeasure('session.notes', noteMeasures);
