import { type CheckResult, matchesPoint, type PointResult, type RunRecord } from '../record/index.ts';
import { expandGrid, pointId, requireGrid, requireScenario, type ScenarioSpec } from '../scenario/index.ts';

/**
 * Registers a scenario as mocha tests, inside its `describe`: one run of its default grid (`SQUALL_GRID` names another)
 * before the first of them, then an `it` for each check at each point. `SQUALL_TRIALS`, `SQUALL_SEED` and
 * `SQUALL_REPORTS` are the options of that name. The record is the one that `squall run` writes.
 */
export function registerTests(
  spec: ScenarioSpec,
  home: { readonly suite: string; readonly folder: string },
  environment: NodeJS.ProcessEnv = process.env,
): void {
  const scenario = requireScenario(spec, home);
  const gridName = environment['SQUALL_GRID'] ?? scenario.defaultGrid;
  const points = expandGrid(scenario, requireGrid(scenario, gridName), {});
  let run: RunRecord | undefined;

  before(`runs ${scenario.name}`, async function () {
    // Its length is the plan's; every trial has a time budget of its own.
    this.timeout(0);
    const { executeRun } = await import('../session/index.ts');
    const { createShutdown } = await import('../testnet/index.ts');
    using shutdown = createShutdown();
    const trials = environment['SQUALL_TRIALS'];
    const seed = environment['SQUALL_SEED'];
    const executed = await executeRun({
      selections: [{ scenario, grid: gridName, ...(trials !== undefined && { trials: Number(trials) }) }],
      command: ['run', home.folder, '--scenario', scenario.name, '--grid', gridName],
      ...(seed !== undefined && { seed }),
      reportsDir: environment['SQUALL_REPORTS'] ?? 'reports',
      yes: environment['CI'] === 'true',
      signal: shutdown.signal,
    });
    run = executed.run;
    if (executed.outcome.errors.length > 0) throw new Error(executed.outcome.errors.join('\n'));
  });

  for (const point of points) {
    const id = pointId(scenario, point);
    for (const check of scenario.checks.filter((one) => matchesPoint(point, one.where))) {
      it(`${check.title} [${id}]`, () => {
        const found = run?.points.find((one) => one.pointId === id);
        requirePass(
          found,
          found?.checks.find((one) => one.title === check.title),
          id,
        );
      });
    }
  }
}

/** Fail and inconclusive are both red in mocha, which knows no third colour; the messages tell them apart. */
function requirePass(point: PointResult | undefined, result: CheckResult | undefined, id: string): void {
  if (!point || !result) throw new Error(`inconclusive: ${id} was not judged`);
  if (result.verdict === 'pass') return;
  const findings = result.findings
    .slice(0, 10)
    .map(({ subject, observed, expected }) => `\n  ${subject}: ${observed}; expected ${expected}`);
  throw new Error(`${result.verdict}: ${result.sentence}${findings.join('')}`);
}
