import { readFileSync } from 'node:fs';
import { type Incident, parseIncident } from '../index.ts';

/** The incident that the tests of this room tell variations of. */
export const RACK = readFileSync(new URL('./rack.incident.yaml', import.meta.url), 'utf8');

export function incidentOf(text: string, imports: Readonly<Record<string, string>> = {}): Incident {
  return parseIncident(text, 'suites/rack.incident.yaml', (name) => {
    const found = imports[name];
    if (found === undefined) throw new Error('no such file');
    return found;
  });
}

/** A short incident with this timeline. */
export function withTimeline(timeline: string, more = ''): string {
  return [
    'name: short',
    'description: for a test',
    'topology: memberlist-16',
    'symptoms: [{title: nobody dies, check: no-event, parameters: {event: member.dead}}]',
    more,
    'timeline:',
    timeline,
  ].join('\n');
}
