import { access, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { SquallError } from '../errors/index.ts';
import { LineFile } from './line-file.ts';
import { redactEvent, redactPlan } from './redact.ts';
import { openTrial, type TrialLimits, type TrialWriter } from './trial-writer.ts';
import type { PlanRecord, RecordedEvent } from './types.ts';
import { swapLatest, writeAtomically } from './write-atomically.ts';

/** What the harness tells of a run is on the disk so soon, for those who watch it from there. */
const FLUSH_AFTER_MS = 200;

/** Writes what is the run's own: the plan, the harness's timeline, and `latest`. */
export class RunWriter {
  readonly dir: string;
  readonly plan: PlanRecord;
  readonly #events: LineFile;
  #finished = false;

  /** Use `createRun`. */
  constructor(dir: string, plan: PlanRecord, eventsBytes: number) {
    this.dir = dir;
    this.plan = plan;
    this.#events = new LineFile(join(dir, 'events.jsonl'), {
      startBytes: eventsBytes,
      flushAfterMs: FLUSH_AFTER_MS,
    });
  }

  /** An event of the harness's timeline; false asks the caller to wait for `drained`. */
  event(event: RecordedEvent): boolean {
    return this.#events.write(`${JSON.stringify(redactEvent(event))}\n`);
  }

  async drained(): Promise<void> {
    await this.#events.drained();
  }

  openTrial(
    trial: { readonly pointId: string; readonly trial: number },
    limits: Partial<TrialLimits> = {},
  ): Promise<TrialWriter> {
    return openTrial(this.dir, trial, limits);
  }

  /** Ends the timeline and points `latest` at this run; called for aborted runs too. Can be called twice. */
  async finish(): Promise<void> {
    if (this.#finished) return;
    this.#finished = true;
    try {
      await this.#events.close({ durable: true });
    } finally {
      await swapLatest(this.dir);
    }
  }
}

/**
 * Makes a run's folder with its plan.json, or goes on with one that is there (`resume`): the plan is then replaced and
 * the timeline appended to.
 * @param dir - the run's own folder, `reports/<runId>`
 * @throws SquallError `run-exists`, `run-not-found`, `point-id-clash`
 */
export async function createRun(
  dir: string,
  plan: PlanRecord,
  options: { readonly resume?: boolean } = {},
): Promise<RunWriter> {
  refuseClashes(plan);
  const planFile = join(dir, 'plan.json');
  const exists = await access(planFile).then(
    () => true,
    () => false,
  );
  if (exists && !options.resume) {
    throw new SquallError(`run ${plan.runId}: ${dir} holds a run already`, {
      code: 'run-exists',
      blame: 'input',
      hint: 'Go on with it by --resume, or move it away.',
    });
  }
  if (!exists && options.resume) {
    throw new SquallError(`run ${plan.runId}: ${dir} holds no run to resume`, {
      code: 'run-not-found',
      blame: 'input',
      hint: 'Start it without --resume.',
    });
  }
  await mkdir(join(dir, 'trials'), { recursive: true });
  const written = redactPlan(plan);
  await writeAtomically(planFile, `${JSON.stringify(written, undefined, 2)}\n`);
  const timeline = await stat(join(dir, 'events.jsonl')).catch(() => undefined);
  return new RunWriter(dir, written, timeline?.size ?? 0);
}

/** Point ids name folders, so one id may stand for one point of one scenario in a run. */
function refuseClashes(plan: PlanRecord): void {
  const owners = new Map<string, string>();
  for (const scenario of plan.scenarios) {
    for (const { pointId } of scenario.points) {
      const owner = owners.get(pointId);
      if (owner !== undefined) {
        throw new SquallError(
          `plan: point id "${pointId}" stands for a point of "${owner}" and of "${scenario.scenario}"; expected one each`,
          { code: 'point-id-clash', hint: 'Begin point ids with the scenario where a run has several.' },
        );
      }
      owners.set(pointId, scenario.scenario);
    }
  }
}
