import { plainText } from '../../report/index.ts';
import { formatDurationMs } from '../../units/index.ts';
import { faultLetter } from '../fault-letters.ts';
import type { FaultView, RunView, TrialView } from '../views.ts';

export interface FrameSize {
  readonly columns: number;
  readonly rows: number;
  readonly color: boolean;
}

const BAR_WIDTH = 20;
const PAINT = { bold: '1', dim: '2', red: '31', green: '32', yellow: '33', reverse: '7' } as const;

/** A line in parts, so that what a container said is made plain and cut before any colour is put round it. */
type Span = readonly [text: string, paint?: keyof typeof PAINT];
type Line = readonly Span[];

/** One picture of a run for a terminal: never more lines or columns than there are. */
export function renderFrame(run: RunView, trials: readonly TrialView[], size: FrameSize): string[] {
  const head = [...headLines(run), ...checkLines(run)];
  const room = Math.max(8, Math.floor((size.rows - head.length - 5) / Math.max(1, trials.length)));
  const middle = trials.slice(0, 4).flatMap((trial) => [[] as Line, ...trialLines(trial, size, room)]);
  const more =
    trials.length > 4 ? [[[`and ${trials.length - 4} more trials`, 'dim'] as const] satisfies Line] : [];
  const left = size.rows - head.length - middle.length - more.length - 2;
  const lines = [...head, ...middle, ...more, ...newsLines(run, left)];
  return lines.slice(0, size.rows).map((line) => paintLine(line, size));
}

function headLines(run: RunView): Line[] {
  const { planned, counted, voids, broken, running } = run.trials;
  const took = formatDurationMs(whole(run.elapsedMs));
  const left = run.leftMs === undefined ? '' : `, about ${formatDurationMs(whole(run.leftMs))} left`;
  const state =
    run.life === 'running'
      ? `running for ${took}${left}`
      : run.life === 'ended'
        ? `ended after ${took}`
        : `silent: nobody is seen to work on it (the record covers ${took})`;
  const lines: Line[] = [
    [
      [`${run.suites.join(', ')} `, 'bold'],
      [`${run.runId} `],
      [state, run.life === 'silent' ? 'yellow' : undefined],
    ] as Line,
  ];
  if (planned > 0) {
    const filled = Math.round((Math.min(counted, planned) / planned) * BAR_WIDTH);
    const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR_WIDTH - filled)}`;
    const extra = [
      ...(voids > 0 ? [`${voids} void`] : []),
      ...(broken > 0 ? [`${broken} broken`] : []),
      ...(running > 0 ? [`${running} running`] : []),
    ];
    lines.push([[`${bar} ${[`${counted} of ${planned} trials`, ...extra].join(', ')}`]]);
  }
  return lines;
}

function checkLines({ checks, verdict, life }: RunView): Line[] {
  if (!checks) return [];
  const lines: Line[] = [
    [
      [verdict ? `verdict ${verdict}` : 'checks so far', 'bold'],
      [': '],
      [`✓ ${checks.pass} pass`, 'green'],
      ['  '],
      [`✕ ${checks.fail} fail`, checks.fail > 0 ? 'red' : 'dim'],
      ['  '],
      [`? ${checks.open} ${life === 'ended' ? 'inconclusive' : 'open'}`, 'yellow'],
    ],
  ];
  for (const { title, pointId, sentence } of checks.failing.slice(0, 3)) {
    lines.push([['  ✕ ', 'red'], [`${title} [${pointId}] ${sentence}`]]);
  }
  if (checks.problem !== undefined) lines.push([[`  not judged: ${checks.problem}`, 'yellow']]);
  return lines;
}

function trialLines(trial: TrialView, size: FrameSize, room: number): Line[] {
  const phase = trial.phases.findLast((one) => one.endNs === undefined) ?? trial.phases.at(-1);
  const took = formatDurationMs(whole((trial.lastNs - trial.startNs) / 1e6));
  const whole_ =
    trial.estimatedMs === undefined ? '' : ` of about ${formatDurationMs(whole(trial.estimatedMs))}`;
  const lines: Line[] = [
    [
      [`[${trial.pointId} #${trial.trial}] `, 'bold'],
      [`${trial.scenario} on ${trial.bedId}: ${took}${whole_}`],
    ],
  ];
  if (trial.outcome) lines.push([[`  ${trial.outcome} ${trial.reasons.join('; ')}`]]);
  const phases = trial.phases.flatMap((one, index): Span[] => [
    ...(index > 0 ? [[' ▸ ', 'dim'] as const] : []),
    one === phase && !trial.outcome ? [` ${one.name} `, 'reverse'] : [one.name],
  ]);
  if (phases.length > 0) {
    const step = trial.step
      ? `   ${trial.step.text}, for ${formatDurationMs(whole((trial.lastNs - trial.step.sinceNs) / 1e6))}`
      : '';
    lines.push([['  phase  ', 'dim'], ...phases, [step]]);
  }
  const inForce = trial.faults.filter((fault) => fault.liftedNs === undefined);
  for (const fault of inForce.slice(0, 4)) lines.push(faultLine(fault, trial.lastNs));
  const lifted = trial.faults.length - inForce.length;
  if (inForce.length === 0) {
    lines.push([['  faults ', 'dim'], [lifted > 0 ? `none in force, ${lifted} lifted` : 'none yet']]);
  }
  lines.push(...nodeLines(trial, inForce, size, Math.max(1, room - lines.length - 2)));
  const counts = trial.counts.slice(0, 8).map(({ event, count }) => `${event} ${count}`);
  if (counts.length > 0) lines.push([['  events ', 'dim'], [counts.join(', ')]]);
  return lines;
}

function faultLine(fault: FaultView, nowNs: number): Line {
  const { id, kind, targets, peers, appliedNs, forMs } = fault;
  const age = appliedNs === undefined ? 0 : (nowNs - appliedNs) / 1e6;
  const left =
    forMs === undefined ? 'until lifted' : `${formatDurationMs(whole(Math.max(0, forMs - age)))} left`;
  const on =
    targets.length > 3 ? `${targets.slice(0, 3).join(', ')} … (${targets.length})` : targets.join(', ');
  const towards =
    peers.length === 0 ? '' : ` towards ${peers.length > 3 ? `${peers.length} nodes` : peers.join(', ')}`;
  return [
    ['  fault  ', 'dim'],
    [`${faultLetter(kind)} ${kind}`, 'red'],
    [` ${id} on ${on}${towards}: for ${formatDurationMs(whole(age))}, ${left}`],
  ];
}

/** A mark a node, role by role; a fault shows as its letter. */
function nodeLines(trial: TrialView, inForce: readonly FaultView[], size: FrameSize, room: number): Line[] {
  const roles = new Map<string, Span[]>();
  for (const node of trial.nodes) {
    const fault = inForce.find(({ targets }) => targets.includes(node.name));
    const mark: Span =
      node.state === 'ended'
        ? ['✕', 'red']
        : fault
          ? [faultLetter(fault.kind), 'red']
          : node.state === 'up'
            ? ['●', 'green']
            : ['·', 'dim'];
    roles.set(node.role, [...(roles.get(node.role) ?? []), mark]);
  }
  const lines: Line[] = [];
  for (const [role, marks] of roles) {
    const name = plainText(role, 20);
    const width = Math.max(10, size.columns - 30);
    for (let from = 0; from < marks.length; from += width) {
      const label = from === 0 ? `  ${`${marks.length} ${name}`.padEnd(26)} ` : ' '.repeat(29);
      lines.push([[label], ...marks.slice(from, from + width)]);
    }
  }
  return lines.length <= room
    ? lines
    : [...lines.slice(0, room - 1), [[`  … ${trial.nodes.length} nodes in all`, 'dim']]];
}

function newsLines({ news }: RunView, room: number): Line[] {
  if (room < 2 || news.length === 0) return [];
  const shown = news.slice(-Math.min(room - 1, 12));
  return [[], ...shown.map(({ text }): Line => [[text, 'dim']])];
}

function paintLine(line: Line, { columns, color }: FrameSize): string {
  let left = columns - 1;
  return line
    .map(([text, paint]) => {
      const shown = left > 0 ? plainText(text, left) : '';
      left -= shown.length;
      return color && paint !== undefined && shown !== ''
        ? `\u001b[${PAINT[paint]}m${shown}\u001b[0m`
        : shown;
    })
    .join('')
    .trimEnd();
}

/** Whole seconds are enough for what is watched; below one, ms. */
function whole(durationMs: number): number {
  return durationMs < 1_000 ? Math.round(durationMs) : Math.round(durationMs / 1_000) * 1_000;
}
