import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { parseGate } from '../../gate/index.ts';
import { type HostGuardFactory, type ResolvedScenario, requireScenario } from '../../scenario/index.ts';
import { loadSuite } from '../../suite/index.ts';
import { LABEL } from '../../testnet/index.ts';
import { bedFactory } from '../bed-factory.ts';
import { executeGate, newRunId } from '../index.ts';

/** The host is not what these tests are about, and they run beside others. */
const TRUSTED: HostGuardFactory = {
  start: async () => ({ stop: async () => ({ verdict: 'quiet', measures: [], reasons: [] }) }),
};

describe('the harness as a subject, on real containers', () => {
  let engine: Engine;
  let reportsDir: string;
  before(async () => {
    engine = await findEngine({ yes: true });
  });
  after(() => engine.close());
  beforeEach(() => {
    reportsDir = mkdtempSync(join(tmpdir(), 'squall-subject-'));
  });
  afterEach(() => rmSync(reportsDir, { recursive: true, force: true }));

  async function gate(scenario: ResolvedScenario) {
    const runId = newRunId(new Date());
    const executed = await executeGate({
      config: parseGate('quick: [{suite: subject}]', 'gate.yaml'),
      mode: 'quick',
      suiteOf: () => [scenario],
      mutants: [],
      command: ['gate', '--quick'],
      runId,
      seed: '7',
      reportsDir,
      parallelBeds: 1,
      stage: { beds: bedFactory(engine, runId), guard: TRUSTED },
      today: '2026-11-30',
      signal: new AbortController().signal,
    });
    expect(await engine.listContainers([`${LABEL.run}=${runId}`]), 'what is left').to.deep.equal([]);
    return executed;
  }

  const canary = async (): Promise<ResolvedScenario> =>
    (await loadSuite('suites/canary')).scenarios[0] as ResolvedScenario;

  it('sees the canary die', async () => {
    const { exitCode, text } = await gate(await canary());
    expect(exitCode, text).to.equal(0);
  });

  it('is caught by the canary when nobody is killed', async () => {
    const one = await canary();
    const idle = { ...one, phases: one.phases.filter(({ name }) => name !== 'fault') };
    const { exitCode, result } = await gate(idle);
    expect(exitCode).to.equal(1);
    expect(result.lines.filter((line) => line.verdict === 'fail').map((line) => line.check)).to.deep.equal([
      'nobody is called dead',
    ]);
  });

  it('calls a fault inconclusive that meets no packet', async () => {
    const one = await canary();
    const { expect: _expect, ...rest } = one;
    const toothless = requireScenario(
      {
        ...rest,
        phases: [
          ...one.phases.filter(({ name }) => name === 'warm-up'),
          {
            name: 'fault',
            // Nobody talks to the discard port.
            steps: [
              { fault: { kind: 'drop', id: 'cut', on: 'member-1', protocol: 'udp', ports: [9], for: '3s' } },
            ],
          },
        ],
      },
      { suite: 'subject' },
    );
    const { exitCode, result } = await gate(toothless);
    expect(exitCode).to.equal(2);
    expect(result.lines.map((line) => line.sentence).join('\n')).to.include('not seen to act');
  });
});
