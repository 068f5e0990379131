import type { RecordedEvent } from '../../record/index.ts';
import { plainText } from '../../report/index.ts';
import { formatDurationMs } from '../../units/index.ts';

const TOLD = new Set(['phase.began', 'fault.applied', 'fault.lifted', 'fault.problem', 'agent.lost']);

/** An event as one line for people where there is no screen to draw on; undefined for what they need not read. */
export function plainLine(
  { node, event, atNs, fields }: RecordedEvent,
  trialKey: string | undefined,
  beganNs: number,
): string | undefined {
  const text = wordsOf(event, fields);
  const told =
    trialKey === undefined
      ? event === 'run.began' || event === 'run.ended' || text !== ''
      : TOLD.has(event) || event.startsWith('node.');
  if (!told) return undefined;
  const at = formatDurationMs(Math.max(0, Math.round((atNs - beganNs) / 1e6))).padStart(12);
  const subject =
    trialKey === undefined ? labelOf(fields) : `[${trialKey}] ${node === 'harness' ? '' : `${node} `}`;
  return plainText(`${at}  ${subject}${event}${text === '' ? '' : ` ${text}`}`, 400);
}

function labelOf({ pointId, trial }: RecordedEvent['fields']): string {
  return typeof pointId === 'string' ? `[${pointId}${typeof trial === 'number' ? `#${trial}` : ''}] ` : '';
}

function wordsOf(event: string, fields: RecordedEvent['fields']): string {
  const { text, phase, id, kind, targets, bit, gone } = fields;
  if (typeof text === 'string' && text !== '') return text;
  if (event === 'trial.started') return 'now';
  if (typeof phase === 'string') return phase;
  if (event === 'fault.applied')
    return `${id} ${kind} on ${Array.isArray(targets) ? targets.length : '?'} nodes`;
  if (event === 'fault.lifted')
    return `${id}, ${bit ? 'seen to act' : 'not seen to act'}, ${gone ? 'gone' : 'not seen to be gone'}`;
  return '';
}
