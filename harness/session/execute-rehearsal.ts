import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { basename, dirname, resolve } from 'node:path';
import { releaseSentence } from '../compare/index.ts';
import type { EngineInfo } from '../engine/index.ts';
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
  nameSides,
  type RehearsalResult,
  type Room,
  rehearsalRows,
  rehearsalScenario,
  requireRoom,
  SIDE,
  timeLeftText,
  WaveJudge,
} from '../rehearsal/index.ts';
import { broadcast, plainText, textTable } from '../report/index.ts';
import type {
  ParameterLists,
  PlannedPoint,
  ResolvedScenario,
  RunPlan,
  ScenarioSelection,
} from '../scenario/index.ts';
import type { RehearsalSpec } from '../topology/index.ts';
import { checkPlan } from './check-plan.ts';
import { type ExecutedRun, executeRun, type RunRequest } from './execute-run.ts';
import { makePlan } from './make-plan.ts';
import { planCosts } from './plan-costs.ts';

export interface RehearsalRequest extends Omit<RunRequest, 'selections' | 'judge' | 'warp'> {
  /** The topology's file and its `rehearsal`. */
  readonly topology: string;
  readonly spec: RehearsalSpec;
  /** What makes a wave. */
  readonly scenario: ResolvedScenario;
  readonly baseline: string;
  readonly candidates: readonly string[];
  /** In place of the topology's. */
  readonly waves?: number;
  readonly mostWaves?: number;
  /** No round begins after so long; the one that has begun is ended. */
  readonly budgetMs?: number;
  /** Parameters of the scenario; several values are conditions under which all sides run. */
  readonly lists?: ParameterLists;
  readonly nowMs: () => number;
  /** What is free; of this host when absent. */
  readonly room?: () => Room;
}

export interface ExecutedRehearsal extends Omit<ExecutedRun, 'summary'> {
  readonly result: RehearsalResult;
  /** The sentence, the table, and what to sign off. */
  readonly text: string;
}

/** The file beside run.json that says what to do, for programs. */
export const REHEARSAL_FILE = 'rehearsal.json';

/** What a rehearsal would take. Nothing is started. @throws SquallError (input) as `executeRehearsal` */
export async function planRehearsal(
  request: RehearsalRequest,
): Promise<{ readonly forecast: Forecast; readonly room: Room; readonly plan: RunPlan }> {
  const { selection, spec } = select(request);
  const plan = makePlan({ ...request, selections: [selection] });
  checkPlan(plan);
  const costs = await planCosts(plan, request.parallelBeds ?? 1, request.reportsDir);
  const sides = 1 + request.candidates.length;
  const share = spec.waves / spec.mostWaves;
  const nodes = Math.max(...plan.points.map(({ topology }) => topology.nodes.length));
  const limits = Math.max(...plan.points.map(memoryOf));
  const forecast = {
    sides,
    conditions: plan.points.length / sides,
    waves: spec.waves,
    mostWaves: spec.mostWaves,
    nodes,
    firstLookMs: costs.durationMs * share,
    mostMs: costs.durationMs,
    // What the nodes may take at most is a better guess than what a node of ours takes, where the topology says it.
    memoryBytes: Math.max(costs.memoryBytes, limits),
    recordBytes: costs.diskBytes,
    waveBytes: (spec.diskPerWave ?? 0) * (request.parallelBeds ?? 1),
    basis: costs.basis,
  };
  return { forecast, room: await roomReader(request).read(), plan };
}

function memoryOf({ topology }: PlannedPoint): number {
  // A limit is what a node must not pass; half of it is what such nodes were seen to need.
  return topology.nodes.reduce((sum, { resources }) => sum + (resources.memoryBytes ?? 0) / 2, 0);
}

/**
 * Plays waves of all sides in turns until the comparison is clear, a key is lost, or the budget or the room ends; then
 * judges, writes the reports, and says what to do.
 * @throws SquallError (input) for a wrong rehearsal, or `no-room`
 */
export async function executeRehearsal(request: RehearsalRequest): Promise<ExecutedRehearsal> {
  const { observer, nowMs, budgetMs } = request;
  const { forecast, room, plan: draft } = await planRehearsal(request);
  const { selection, spec } = select(request);
  const least = {
    ...(spec.abort.diskFree !== undefined && { diskFreeBytes: spec.abort.diskFree }),
    ...(spec.abort.memoryFree !== undefined && { memoryFreeBytes: spec.abort.memoryFree }),
  };
  for (const line of describeForecast(forecast, room).trimEnd().split('\n')) observer?.noted?.(line);
  requireRoom(forecast, room, least);
  const untilMs = budgetMs === undefined ? Number.POSITIVE_INFINITY : nowMs() + budgetMs;
  const reader = roomReader(request);
  const waves = new WaveJudge({
    scenario: plannedOf(draft.record),
    pointIds: draft.points.map(({ pointId }) => pointId),
    lookAt: looksAt(spec.waves, spec.mostWaves, spec.looks),
    noLoss: spec.noLoss,
    hasTime: () => nowMs() < untilMs,
    room: reader.read,
    least,
  });
  const pace = new Pace(nowMs, () => waves.progress.rounds);
  let why = 'all waves that there may be were played';
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
        if (decision.action === 'stop') why = decision.why;
        else
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
  const result = await resultOf(executed, draft, executed.outcome.aborted ? 'it was interrupted' : why);
  await writeAtomically(`${executed.dir}/${REHEARSAL_FILE}`, `${JSON.stringify(result, undefined, 2)}\n`);
  return { ...executed, result, text: textOf(result, draft.record) };
}

function select(request: RehearsalRequest): {
  readonly selection: ScenarioSelection;
  readonly spec: RehearsalSpec;
} {
  const waves = request.waves ?? request.spec.waves;
  const mostWaves = Math.max(waves, request.mostWaves ?? request.spec.mostWaves);
  for (const [option, value] of [
    ['waves', waves],
    ['most-waves', mostWaves],
  ] as const) {
    if (Number.isInteger(value) && value >= 2) continue;
    throw new SquallError(`--${option} ${value}: expected a whole number from 2.`, {
      code: `bad-${option}`,
      blame: 'input',
    });
  }
  const spec = { ...request.spec, waves, mostWaves };
  const sides = nameSides(request.baseline, request.candidates);
  const scenario = rehearsalScenario(request.scenario, spec, sides, basename(request.topology));
  return {
    spec,
    selection: {
      scenario: { ...scenario, folder: dirname(resolve(request.topology)) },
      trials: mostWaves,
      atLeast: waves,
      ...(request.lists && { lists: request.lists }),
    },
  };
}

function plannedOf({ scenarios }: PlanRecord): PlannedScenario {
  const [scenario] = scenarios;
  if (scenario) return scenario;
  throw new SquallError('rehearse: the plan has no scenario.', { code: 'empty-plan' });
}

/** What is free where records go and, from when an engine of this host is found, where it keeps its data: the lesser. */
function roomReader(request: RehearsalRequest): {
  read(): Promise<Room>;
  watch(engine: Pick<EngineInfo, 'host' | 'dataRoot'>): void;
} {
  const folders = [request.reportsDir];
  return {
    async read() {
      if (request.room) return request.room();
      const free = await Promise.all(folders.map((folder) => freeBytesOf(existsSync(folder) ? folder : '.')));
      return { diskFreeBytes: Math.min(...free), memoryFreeBytes: freemem() };
    },
    watch({ host, dataRoot }) {
      if (host === 'this' && existsSync(dataRoot)) folders.push(dataRoot);
      else request.observer?.noted?.('the engine keeps its data on another host, whose disk is not watched');
    },
  };
}

async function freeBytesOf(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
}

/** What a round takes, from those that this call has played: of a rehearsal that is resumed, those before are left out. */
class Pace {
  readonly #nowMs: () => number;
  readonly #rounds: () => number;
  #began: { readonly atMs: number; readonly rounds: number } | undefined;

  constructor(nowMs: () => number, rounds: () => number) {
    this.#nowMs = nowMs;
    this.#rounds = rounds;
  }

  /** With the first wave of this call. */
  begin(): void {
    this.#began ??= { atMs: this.#nowMs(), rounds: this.#rounds() };
  }

  get facts(): { readonly roundMs?: number } {
    if (!this.#began) return {};
    const played = this.#rounds() - this.#began.rounds;
    return played > 0 ? { roundMs: (this.#nowMs() - this.#began.atMs) / played } : {};
  }
}

async function resultOf({ run, dir }: ExecutedRun, draft: RunPlan, why: string): Promise<RehearsalResult> {
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
    largestWave: { nodes, roles },
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
    `Largest wave: ${result.largestWave.nodes} nodes (${roles.join(', ')}). It ended because ${plainText(result.why, 500)}. * decides, with losses; p of the others is adjusted for their number.`,
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
