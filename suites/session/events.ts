/** What clients say (images/session-client/README.md) and what steps note, read in one place; pure over a trial's record. */
import type { RecordedEvent, TrialRecord } from '../../harness/index.ts';

export type Trial = Omit<TrialRecord, 'measures'>;

/** A course is what a row does once the network stands; nothing from before it is counted. */
export const COURSE_BEGAN = 'course.began';
/** What a step of a course found out by asking: a name of `notes.ts` and a number. */
export const COURSE_NOTED = 'course.noted';

/** Who is in the swarm of an account from here on, as the list has it: `account`, `members`. */
export const SWARM_NOTED = 'swarm.noted';

/** All clocks were advanced by `leapMs`. */
export const CLOCK_LEAPT = 'clock.leapt';

/** Everything since the course began; nothing when it never did. */
export function ofCourse(events: readonly RecordedEvent[]): readonly RecordedEvent[] {
  const began = events.findLast(({ event }) => event === COURSE_BEGAN);
  return began ? events.filter(({ atNs }) => atNs >= began.atNs) : [];
}

export const isClient = ({ node }: RecordedEvent): boolean => node.startsWith('client-');

/** Events of clients under one name. */
export function told(events: readonly RecordedEvent[], name: string): readonly RecordedEvent[] {
  return events.filter((event) => event.event === name && isClient(event));
}
