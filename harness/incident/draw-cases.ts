import { SquallError } from '../errors/index.ts';
import { stream } from '../random/index.ts';
import { formatDurationMs } from '../units/index.ts';
import { type Compressed, compressPauses } from './compress-pauses.ts';
import { placeEntries } from './place-entries.ts';
import type { Incident, IncidentCase, IncidentValues } from './types.ts';
import { drawValues } from './unknowns.ts';

/** A case with what became of its idle time. */
export interface DrawnCase extends IncidentCase {
  readonly pauses: Omit<Compressed, 'happenings'>;
}

/** `attempts` ways in which the incident may have been, drawn from the seed: unknowns, and how far its times were off. */
export function drawCases(incident: Incident, attempts: number, seed: string): DrawnCase[] {
  const values = drawValues(incident.unknown, attempts, stream(seed, 'unknowns'));
  return values.map((drawn, index) => {
    const off = stream(seed, `times/${index}`);
    // The first attempt takes every time as it was written.
    return caseOf(incident, drawn, (key) => (index === 0 ? 0 : off.derive(key).next() * 2 - 1));
  });
}

/** The incident with these values and these errors of its times, its pauses shortened. */
export function caseOf(
  incident: Incident,
  values: IncidentValues,
  jitter: (key: string) => number,
): DrawnCase {
  const placed = placeEntries(incident, values, jitter, (_index, path, message) => {
    throw new SquallError(`incident ${incident.name}: ${path.join('.')}: ${message}`, {
      code: 'bad-incident',
      blame: 'input',
      facts: { values },
      hint: 'The values drawn for what is not known do not fit together; narrow their ranges.',
    });
  });
  const { happenings, ...pauses } = compressPauses(placed, incident.idleMs);
  return { values, happenings, pauses, watchMs: incident.watchMs, counts: {} };
}

/** What was shortened, for people. */
export function pausesText({ beforeMs, afterMs, pauses }: DrawnCase['pauses'], idleMs: number): string {
  if (pauses === 0) return `the timeline takes ${formatDurationMs(afterMs)}; no pause was shortened`;
  return (
    `the timeline takes ${formatDurationMs(afterMs)} instead of ${formatDurationMs(beforeMs)}: ` +
    `${pauses} pause${pauses === 1 ? '' : 's'} without a fault in force shortened to at most ${formatDurationMs(idleMs)} ` +
    '(`idle: keep`, or `keep: true` at an entry, where idle time matters)'
  );
}
