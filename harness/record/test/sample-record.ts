/** Hand-made records for tests. Synthetic: no container ever ran for them. */
import { type PlanRecord, RECORD_VERSION, type TrialRecord } from '../index.ts';

export function samplePlan(changes: Partial<PlanRecord> = {}): PlanRecord {
  return {
    recordVersion: RECORD_VERSION,
    runId: 'run-1',
    squallVersion: '0.0.0-synthetic',
    startedAt: '2026-01-02T03:04:05.000Z',
    command: ['run', 'suites/synthetic', '--seed', '7'],
    seed: '7',
    warp: 1,
    host: {
      cpus: 2,
      cpuModel: 'synthetic',
      memoryBytes: 8 * 1024 ** 3,
      kernel: '6.1.0',
      engine: '20.10.24',
      node: '20.20.2',
    },
    scenarios: [],
    ...changes,
  };
}

export function sampleTrial(changes: Partial<TrialRecord> = {}): TrialRecord {
  return {
    recordVersion: RECORD_VERSION,
    runId: 'run-1',
    suite: 'synthetic',
    scenario: 'outage',
    point: { cutoff: 8 },
    pointId: 'cutoff=8',
    trial: 1,
    seed: '7/cutoff=8/1',
    warp: 1,
    bed: { id: 'bed-1', reused: false, trialOnBed: 1 },
    startedAt: '2026-01-02T03:04:05.000Z',
    startNs: 1_000_000_000,
    endNs: 101_000_000_000,
    overheadMs: 1_500,
    outcome: 'completed',
    reasons: [],
    nodes: [
      {
        name: 'member-1',
        role: 'member',
        image: 'squall/synthetic',
        imageId: 'sha256:0',
        address: '198.18.0.2',
        containerId: '0',
      },
    ],
    phases: [
      { name: 'warm-up', startNs: 1_000_000_000, endNs: 11_000_000_000 },
      { name: 'fault', startNs: 11_000_000_000, endNs: 51_000_000_000 },
      { name: 'recovery', startNs: 51_000_000_000, endNs: 101_000_000_000 },
    ],
    faults: [],
    steps: [],
    host: { verdict: 'quiet', measures: [], reasons: [] },
    cleanAfter: true,
    measures: {},
    checks: [],
    expectations: [],
    events: { count: 0, lost: 0, truncated: false },
    ...changes,
  };
}
