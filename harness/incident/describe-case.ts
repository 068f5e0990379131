import { formatDurationMs } from '../units/index.ts';
import { lengthOf } from './scenario-of.ts';
import type { Happening, IncidentCase } from './types.ts';

/** A case in one line: `16 member; at 0 ms hold on pick(4,member) for 36 s; watched for 8 s`. */
export function describeCase({ happenings, counts, watchMs, values }: IncidentCase): string {
  const nodes = Object.entries(counts).map(([role, count]) => `${count} ${role}`);
  const known = Object.entries(values).map(([name, value]) => `${name} ${value}`);
  return [
    ...(known.length > 0 ? [known.join(', ')] : []),
    ...(nodes.length > 0 ? [nodes.join(', ')] : []),
    ...(happenings.length > 0 ? happenings.map(describeHappening) : ['nothing happens']),
    `watched for ${formatDurationMs(watchMs)}`,
  ].join('; ');
}

function describeHappening(one: Happening): string {
  const { action, atMs } = one;
  const lengthMs = lengthOf(one);
  return `at ${formatDurationMs(atMs)} ${whatOf(action)}${lengthMs === undefined ? '' : ` for ${formatDurationMs(lengthMs)}`}`;
}

function whatOf(action: Happening['action']): string {
  switch (action.verb) {
    case 'fault': {
      const { kind, on, from, to } = action.fault;
      const between = [from && `from ${from}`, to && `to ${to}`].filter(Boolean).join(' ');
      return `${kind} ${on === undefined ? between : `on ${on}${between ? ` ${between}` : ''}`}`;
    }
    case 'join':
      return `${action.on} join`;
    case 'lift':
      return `${action.id} lifts`;
    case 'admin':
      return `${action.admin.method} ${action.admin.path} on ${action.admin.on}`;
    case 'do': {
      const { action: done, parameters = {} } = action.do;
      const named = Object.entries(parameters).map(([name, value]) => `${name} ${JSON.stringify(value)}`);
      return [done, ...named].join(' ');
    }
    case 'exec':
      return `${action.exec.command.join(' ')} on ${action.exec.on}`;
  }
}
