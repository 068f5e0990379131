import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../../harness/engine/index.ts';
import type { HostGuardFactory, ResolvedScenario } from '../../../harness/scenario/index.ts';
import { bedFactory } from '../../../harness/session/bed-factory.ts';
import { executeRun, newRunId } from '../../../harness/session/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { LABEL } from '../../../harness/testnet/index.ts';

/** The host is not what these tests are about, and they run beside others. */
const TRUSTED: HostGuardFactory = {
  start: async () => ({ stop: async () => ({ verdict: 'quiet', measures: [], reasons: [] }) }),
};

/** Timeouts of 30 s then pass in under 4 s. */
const WARP = 8;

describe('private routing on real containers', function () {
  this.timeout(600_000);
  let engine: Engine;
  let reportsDir: string;
  before(async () => {
    engine = await findEngine({ yes: true });
  });
  after(() => engine.close());
  beforeEach(() => {
    reportsDir = mkdtempSync(join(tmpdir(), 'squall-smp-'));
  });
  afterEach(() => rmSync(reportsDir, { recursive: true, force: true }));

  async function run(name: string, lists: Readonly<Record<string, readonly (string | number)[]>> = {}) {
    const scenario = (await loadSuite('suites/smp')).scenarios.find(
      (one: ResolvedScenario) => one.name === name,
    );
    if (!scenario) throw new Error(`no scenario "${name}"`);
    const runId = newRunId(new Date());
    const executed = await executeRun({
      selections: [{ scenario, lists, trials: 1 }],
      command: ['run', 'suites/smp'],
      runId,
      seed: '7',
      warp: WARP,
      reportsDir,
      parallelBeds: 1,
      stage: { beds: bedFactory(engine, runId), guard: TRUSTED },
      signal: new AbortController().signal,
    });
    expect(executed.outcome.errors).to.deep.equal([]);
    expect(await engine.listContainers([`${LABEL.run}=${runId}`])).to.deep.equal([]);
    const of = (variant: string) => executed.outcome.trials.find(({ point }) => point['variant'] === variant);
    return { master: of('master'), repick: of('repick'), record: executed.run };
  }

  it('leaves the old agent stuck although P1 reconnects through the black hole, and the new one connects by P2', async () => {
    const { master, repick, record } = await run('reconnects');
    expect(master?.outcome, master?.reasons.join('; ')).to.equal('completed');
    expect(repick?.outcome, repick?.reasons.join('; ')).to.equal('completed');
    for (const trial of [master, repick]) expect(trial?.measures).to.include({ firstPickWasProxy1: 1 });
    expect(master?.measures).to.include({ connected: 0, repicks: 0, exposedProxies: 1 });
    expect(master?.measures['relayReconnects'], 'P1 made new connections to R').to.be.greaterThan(1);
    const [hole] = master?.faults.filter(({ kind }) => kind === 'blackhole-after') ?? [];
    expect(hole, hole?.problems.join('; ')).to.include({ bit: true, gone: true });
    expect(hole?.witness?.counts['swallowedBytes'], 'bytes lost after handshakes').to.be.greaterThan(0);
    expect(repick?.measures).to.include({ connected: 1, streaksForgotten: 1, exposedProxies: 2 });
    expect(
      record.points.map(({ verdict }) => verdict),
      JSON.stringify(record.points.map(({ checks }) => checks.filter(({ verdict }) => verdict !== 'pass'))),
    ).to.deep.equal(['pass', 'pass']);
  });

  it('recovers as the gate asks, in one trial a side', async () => {
    const { master, repick } = await run('contact-joins', { watch: [80_000], picks: [2] });
    expect(master?.measures).to.include({ connected: 0 });
    expect(repick?.measures).to.include({ connected: 1, repicks: 1 });
  });
});
