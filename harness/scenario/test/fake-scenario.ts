import {
  fillOverrides,
  planRun,
  type ResolvedScenario,
  type RunPlan,
  requireScenario,
  type ScenarioSelection,
  type ScenarioSpec,
} from '../index.ts';
import { fakeTopology } from './fake-topology.ts';

/** A small scenario with an outage and two variants; tests change what they are about. */
export function scenarioSpec(changes: Partial<ScenarioSpec> = {}): ScenarioSpec {
  return {
    name: 'outage',
    description: 'cuts members off',
    topology: 'fake',
    parameters: {
      cutoff: { type: 'integer', description: 'members cut off', default: 1, minimum: 1 },
      outage: { type: 'duration', description: 'how long', default: '40s' },
      variant: {
        type: 'choice',
        description: 'which library',
        default: 'shipped',
        choices: ['shipped', 'both'],
      },
    },
    grids: {
      default: { description: 'both variants', axes: { cutoff: [1, 2], variant: ['shipped', 'both'] } },
    },
    defaultGrid: 'default',
    trials: 2,
    bed: 'reuse',
    phases: [
      {
        name: 'fault',
        steps: [{ fault: { kind: 'hold', id: 'cut', on: 'pick(${cutoff},member)', for: '${outage}' } }],
      },
      { name: 'recovery', steps: [{ wait: '30s' }] },
    ],
    measure: [],
    measures: [],
    checks: [
      { check: 'no-event', title: 'nobody dies', kind: 'invariant', parameters: { event: 'member.dead' } },
    ],
    ...changes,
  };
}

export function scenario(changes: Partial<ScenarioSpec> = {}): ResolvedScenario {
  return requireScenario(scenarioSpec(changes), { suite: 'fake' });
}

/** A plan of it, with the fake topology and a fixed seed. */
export function fakePlan(
  selections: readonly ScenarioSelection[],
  options: { readonly seed?: string; readonly warp?: number; readonly runId?: string } = {},
): RunPlan {
  return planRun(selections, {
    runId: options.runId ?? '20260101-000000-test',
    seed: options.seed ?? '7',
    warp: options.warp ?? 1,
    squallVersion: '0.0.0',
    startedAt: '2026-01-01T00:00:00.000Z',
    command: ['run', 'fake'],
    host: { cpus: 2, cpuModel: 'fake', memoryBytes: 1, kernel: 'fake', engine: 'fake', node: 'fake' },
    resolveTopology: (one, point, { seed }) =>
      fakeTopology({ ...fillOverrides(one, point), ...(seed !== undefined && { seed }) }),
  });
}
