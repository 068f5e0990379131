import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { counts } from '../check/index.ts';
import { type ExitCode, strongestExit } from '../errors/index.ts';
import {
  hasEnoughPower,
  judgeMutants,
  MUTATION_HEADER,
  type MutantTrials,
  type MutationReport,
  mutationRows,
  notCovered,
} from '../mutation/index.ts';
import { type ExpectationSpec, type PlanRecord, type RunRecord, writeAtomically } from '../record/index.ts';
import {
  type JudgedRun,
  judgeAndReport,
  renderMutationElements,
  renderMutationHtml,
  textTable,
} from '../report/index.ts';
import type { ScenarioSelection, TrialJudge } from '../scenario/index.ts';
import { type ExecutedRun, executeRun, type RunRequest } from './execute-run.ts';
import { makePlan } from './make-plan.ts';
import { mutantSources } from './mutant-sources.ts';
import { type KnownMutant, type MutantClaim, mutatedName, mutationSelections } from './mutants.ts';
import { trialJudge } from './trial-judge.ts';

export interface MutationRequest extends Omit<RunRequest, 'selections' | 'judge' | 'keepOnFailure'> {
  readonly claims: readonly MutantClaim[];
  /** Trials of each mutant and control, in place of the scenarios' own numbers. */
  readonly trials?: number;
  /** Mutants that no scenario claims. */
  readonly uncovered?: readonly KnownMutant[];
  /** Score that is enough, 0..1; every survivor fails when absent. */
  readonly threshold?: number;
  /** Gives the controls and the mutants their warps; all run at real speed when absent. */
  readonly pace?: (selections: readonly ScenarioSelection[]) => readonly ScenarioSelection[];
}

export interface ExecutedMutation {
  readonly report: MutationReport;
  /** Table and sentences for a console. */
  readonly text: string;
  readonly dir: string;
  readonly reports: readonly string[];
  readonly exitCode: ExitCode;
}

/** Runs the designated scenario of each mutant with the fix on and with the mutant, and says which mutants were killed. */
export async function executeMutation(request: MutationRequest): Promise<ExecutedMutation> {
  const { claims, trials, uncovered, threshold, pace, ...rest } = request;
  const atRealSpeed = mutationSelections(claims, trials);
  const selections = pace ? pace(atRealSpeed) : atRealSpeed;
  const judge = stopWhenClear(trialJudge(makePlan({ ...rest, selections }).record), claims);
  const executed = await executeRun({ ...rest, selections, judge });
  const { report, reports } = await judgeMutation(executed, claims, {
    ...(uncovered && { uncovered }),
    ...(threshold !== undefined && { threshold }),
  });
  const rows = mutationRows(report);
  // What each says is a sentence too long for a column.
  const table = textTable(
    MUTATION_HEADER.slice(0, -1),
    rows.map((row) => row.slice(0, -1)),
  );
  const sentences = [...rows.map((row) => `- ${row.at(-1)}`), '', report.sentence];
  const broken = executed.outcome.errors.length > 0 ? [executed.exitCode] : [];
  return {
    report,
    text: `${table.trimEnd()}\n\n${sentences.join('\n')}\n`,
    dir: executed.dir,
    reports,
    exitCode: strongestExit([report.exitCode, ...broken]),
  };
}

/** The mutants of a finished run, with the run judged again by what was expected of them, and its reports. */
export interface JudgedMutation {
  readonly report: MutationReport;
  readonly run: RunRecord;
  readonly reports: readonly string[];
}

/**
 * Says of each claim's mutant what became of it, and writes that beside the record: `mutation.json`, `mutation.html` with the
 * matrix, and `mutation-elements.json` in the schema that viewers of mutation tests read.
 */
export async function judgeMutation(
  executed: ExecutedRun,
  claims: readonly MutantClaim[],
  options: Pick<MutationRequest, 'uncovered' | 'threshold'> = {},
): Promise<JudgedMutation> {
  const trials = (some: readonly MutantClaim[]) => some.map((claim) => trialsOf(claim, executed.run));
  const report = judgeMutants(trials(claims.filter((claim) => !claim.other)), {
    others: trials(claims.filter((claim) => claim.other)),
    uncovered: (options.uncovered ?? []).map(notCovered),
    ...(options.threshold !== undefined && { threshold: options.threshold }),
  });
  const { run, paths } = await expectDeaths(executed, claims, report);
  const files = {
    'mutation.json': `${JSON.stringify(report, undefined, 2)}\n`,
    'mutation.html': renderMutationHtml(report, run),
    'mutation-elements.json': renderMutationElements(report, mutantSources(report.mutants), run),
  };
  for (const [name, text] of Object.entries(files)) await writeAtomically(join(executed.dir, name), text);
  return { report, run, reports: [...paths, join(executed.dir, 'mutation.html')] };
}

/**
 * One failure kills a mutant, a trial that does not end does, and once so many trials have passed that its fault would have
 * shown, it survives: more trials would only cost time. Controls run to their number.
 */
export function stopWhenClear(judge: TrialJudge, claims: readonly MutantClaim[]): TrialJudge {
  const mutated = new Map(claims.map((claim) => [mutatedName(claim), claim]));
  return {
    decide: (point, trials) => {
      const claim = mutated.get(point.scenario.name);
      if (!claim) return judge.decide(point, trials);
      const counted = trials.filter(counts);
      if (counted.some((trial) => judge.failed(point, trial)))
        return { action: 'stop', why: 'the mutant is killed' };
      if (hasEnoughPower(counted.length, claim.showRate))
        return { action: 'stop', why: 'the mutant survives: its fault would have shown' };
      return judge.decide(point, trials);
    },
    answered: (point, trial) => mutated.has(point.scenario.name) && trial.hung === true,
    failed: judge.failed,
    ...(judge.needsEvents && { needsEvents: judge.needsEvents }),
  };
}

function trialsOf(claim: MutantClaim, run: RunRecord): MutantTrials {
  const { mutant, image, fix, rule, scenario, showRate } = claim;
  const at = (name: string, variant: unknown) =>
    run.points.find(
      (point) =>
        point.suite === scenario.suite &&
        point.scenario === name &&
        point.point['variant'] === variant &&
        Object.entries(claim.controlPoint).every(
          ([key, value]) => key === 'variant' || point.point[key] === value,
        ),
    );
  return {
    mutant,
    image,
    fix,
    rule,
    suite: scenario.suite,
    scenario: scenario.name,
    ...(showRate !== undefined && { showRate }),
    control: at(scenario.name, claim.controlPoint['variant']),
    mutated: at(mutatedName(claim), mutant),
  };
}

/**
 * A mutant must fail, and one failing check is enough. The record is given that expectation, so that its reports show a
 * killed mutant as what was wanted and a survivor as the failure. Of one too rare for its trials nothing is expected.
 */
async function expectDeaths(
  executed: ExecutedRun,
  claims: readonly MutantClaim[],
  report: MutationReport,
): Promise<JudgedRun> {
  const file = join(executed.dir, 'plan.json');
  const plan = JSON.parse(await readFile(file, 'utf8')) as PlanRecord;
  const results = [...report.mutants, ...(report.others ?? [])];
  const clear = new Set(
    claims
      .filter(({ mutant, scenario, other }) =>
        results.some(
          (one) =>
            one.mutant === mutant &&
            one.scenario === scenario.name &&
            (one.fate === 'killed' || (one.fate === 'survived' && !other)),
        ),
      )
      .map(mutatedName),
  );
  const scenarios = plan.scenarios.map((scenario) => {
    if (!clear.has(scenario.scenario)) return scenario;
    const expectations = executed.run.points
      .filter((point) => point.scenario === scenario.scenario && point.suite === scenario.suite)
      .flatMap((point) => expectedDeaths(point.checks));
    const points = scenario.points.map((point) => ({ ...point, clearEarly: true }));
    return { ...scenario, points, expectations };
  });
  await writeAtomically(file, `${JSON.stringify({ ...plan, scenarios }, undefined, 2)}\n`);
  return await judgeAndReport(executed.dir, { checks: 'recorded' });
}

function expectedDeaths(checks: RunRecord['points'][number]['checks']): ExpectationSpec[] {
  const ofSystem = checks.filter((check) => check.kind !== 'guard' && check.check !== 'published');
  const failed = ofSystem.filter((check) => check.rawVerdict === 'fail');
  return (failed.length > 0 ? failed : ofSystem.slice(0, 1)).map((check) => ({
    where: {},
    check: check.title,
    outcome: 'fail' as const,
    reason: 'A mutant must fail its designated scenario.',
  }));
}
