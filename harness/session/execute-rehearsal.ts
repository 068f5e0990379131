import { releaseSentence } from '../compare/index.ts';
import { EXIT, type ExitCode, SquallError } from '../errors/index.ts';
import {
  type NodeRecord,
  type PlannedScenario,
  type PlanRecord,
  readRun,
  readTrial,
  writeAtomically,
} from '../record/index.ts';
import {
  describeForecast,
  type Forecast,
  imagesOf,
  looksAt,
  Pace,
  type RehearsalResult,
  rehearsalRows,
  requireRoom,
  SIDE,
  smallerText,
  timeLeftText,
  WaveJudge,
} from '../rehearsal/index.ts';
import { broadcast, plainText, textTable } from '../report/index.ts';
import type { RunPlan } from '../scenario/index.ts';
import { type ExecutedRun, executeRun } from './execute-run.ts';
import {
  fitRehearsal,
  leastOf,
  type PlannedRehearsal,
  type RehearsalRequest,
  selectWaves,
  sizesOf,
} from './plan-rehearsal.ts';
import { roomReader } from './rehearsal-room.ts';

export interface ExecutedRehearsal extends Omit<ExecutedRun, 'summary'> {
  readonly result: RehearsalResult;
  /** The sentence, the table, and what to sign off. */
  readonly text: string;
}

/** The file beside run.json that says what to do, for programs. */
export const REHEARSAL_FILE = 'rehearsal.json';

/**
 * Plays waves of all sides in turns until the comparison is clear, a key is lost, or the budget or the room ends; then
 * judges, writes the reports, and says what to do. The waves are as large as the host takes them, where the topology says
 * how they may be made smaller: there is room for them, and its guard does not void every one.
 * @throws SquallError (input) for a wrong rehearsal, or `no-room`
 */
export async function executeRehearsal(request: RehearsalRequest): Promise<ExecutedRehearsal> {
  const { nowMs, budgetMs, observer } = request;
  const untilMs = budgetMs === undefined ? Number.POSITIVE_INFINITY : nowMs() + budgetMs;
  let fit = await fitRehearsal(request, sizesOf(request));
  for (;;) {
    const { sized, planned, left } = fit;
    const played = await playRehearsal(sized, planned, { untilMs, maySmaller: left.length > 0 });
    if (!played.tooLarge) return played.executed;
    const { forecast } = planned;
    const because = forecast.smaller ?? { askedNodes: forecast.nodes, why: played.why };
    observer?.noted?.(
      `a wave of ${forecast.nodes} nodes is too large: ${played.why}; a smaller one is tried`,
    );
    fit = await fitRehearsal(request, left, because);
  }
}

/** One size of wave to its end. */
async function playRehearsal(
  request: RehearsalRequest,
  { forecast, room, plan: draft }: PlannedRehearsal,
  how: { readonly untilMs: number; readonly maySmaller: boolean },
): Promise<{ readonly executed: ExecutedRehearsal; readonly tooLarge: boolean; readonly why: string }> {
  const { observer, nowMs, budgetMs } = request;
  const { untilMs, maySmaller } = how;
  const { selection, spec } = selectWaves(request);
  const least = leastOf(spec);
  for (const line of describeForecast(forecast, room).trimEnd().split('\n')) observer?.noted?.(line);
  requireRoom(forecast, room, least);
  const reader = roomReader(request);
  const waves = new WaveJudge({
    scenario: plannedOf(draft.record),
    pointIds: draft.points.map(({ pointId }) => pointId),
    lookAt: looksAt(spec.waves, spec.mostWaves, spec.looks),
    noLoss: spec.noLoss,
    hasTime: () => nowMs() < untilMs,
    room: reader.read,
    least,
    maySmaller,
  });
  const pace = new Pace(nowMs, () => waves.progress.rounds);
  let why = 'all waves that there may be were played';
  let tooLarge = false;
  const executed = await executeRun({
    ...request,
    observer: broadcast([...(observer ? [observer] : []), { trialStarted: () => pace.begin() }], (problem) =>
      observer?.noted?.(problem),
    ),
    selections: [selection],
    parallelBeds: request.parallelBeds ?? 1,
    onEngine: reader.watch,
    judge: {
      asksAlways: true,
      decide: async ({ pointId }, trials) => {
        const decision = await waves.decide(pointId, trials);
        if (decision.action === 'stop') {
          why = decision.why;
          tooLarge ||= decision.tooLarge === true;
        } else
          observer?.noted?.(
            timeLeftText({
              ...waves.progress,
              ...pace.facts,
              mostRounds: spec.mostWaves,
              ...(budgetMs !== undefined && { budgetLeftMs: untilMs - nowMs() }),
            }),
          );
        return decision;
      },
      failed: (_point, trial) => spec.noLoss.some((measure) => Number(trial.measures[measure] ?? 0) > 0),
    },
  });
  if (executed.outcome.aborted) why = 'it was interrupted';
  const result = await resultOf(executed, draft, why, forecast.smaller);
  await writeAtomically(`${executed.dir}/${REHEARSAL_FILE}`, `${JSON.stringify(result, undefined, 2)}\n`);
  const text = textOf(result, draft.record);
  return { executed: { ...executed, result, text }, tooLarge: tooLarge && !executed.outcome.aborted, why };
}

function plannedOf({ scenarios }: PlanRecord): PlannedScenario {
  const [scenario] = scenarios;
  if (scenario) return scenario;
  throw new SquallError('rehearse: the plan has no scenario.', { code: 'empty-plan' });
}

async function resultOf(
  { run, dir }: ExecutedRun,
  draft: RunPlan,
  why: string,
  smaller: Forecast['smaller'],
): Promise<RehearsalResult> {
  const nodes = Math.max(0, ...draft.points.map(({ topology }) => topology.nodes.length));
  const roles: Record<string, number> = {};
  for (const { role } of draft.points.find(({ topology }) => topology.nodes.length === nodes)?.topology
    .nodes ?? [])
    roles[role] = (roles[role] ?? 0) + 1;
  return {
    sentence: releaseSentence(run, (await readRun(dir)).plan.scenarios),
    verdict: run.verdict,
    why,
    comparisons: run.comparisons ?? [],
    images: imagesOf(await onePlayedOf(dir)),
    largestWave: { nodes, roles, ...(smaller && { smaller }) },
  };
}

/** A finished wave of each side, from the record: a rehearsal that was resumed may have played none of them itself. */
async function onePlayedOf(
  dir: string,
): Promise<readonly { readonly side: string; readonly nodes: readonly NodeRecord[] }[]> {
  const { trials } = await readRun(dir);
  const first = new Map(trials.filter(({ finished }) => finished).map((trial) => [trial.pointId, trial]));
  const played = await Promise.all([...first.values()].map((ref) => readTrial(ref.dir)));
  return played.map(({ point, nodes }) => ({ side: String(point[SIDE]), nodes }));
}

/** The sentence first, then a table a candidate, then what ran. */
function textOf(result: RehearsalResult, plan: PlanRecord): string {
  const { measures } = plannedOf(plan);
  const tables = result.comparisons.map((one) => {
    const { header, rows } = rehearsalRows(one, measures);
    return textTable(
      header.map((cell) => plainText(cell)),
      rows.map((row) => row.map((cell) => plainText(cell))),
      { rightFrom: 1 },
    );
  });
  const roles = Object.entries(result.largestWave.roles).map(([role, count]) => `${count} ${role}`);
  return [
    plainText(result.sentence, 2_000),
    ...tables,
    `Largest wave: ${result.largestWave.nodes} nodes (${roles.join(', ')})${plainText(smallerText(result.largestWave.smaller), 500)}. It ended because ${plainText(result.why, 500)}. * decides, with losses; the others are adjusted for their number.`,
    result.images
      .map(({ side, role, image, imageId }) => plainText(`${side}: ${role} ran ${image} ${imageId}`, 300))
      .join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

/** Of a rehearsal that was judged: the run's own, which losses and the primary measure decide. */
export function rehearsalExit({ exitCode, run }: ExecutedRehearsal): ExitCode {
  return (run.comparisons ?? []).length === 0 && exitCode === EXIT.pass ? EXIT.inconclusive : exitCode;
}
