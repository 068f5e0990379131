import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { ensureImage } from '../../image/index.ts';
import { bedLabels, currentOwner } from '../../testnet/index.ts';
import { type Canary, HostGuards, startCanary, startHostGuard } from '../index.ts';

describe('the canary on a real engine', function () {
  this.timeout(120_000);

  let engine: Engine;
  let image: string;
  let canary: Canary | undefined;
  const runId = `test-canary-${process.pid}`;

  before(async () => {
    engine = await findEngine({});
    ({ reference: image } = await ensureImage(engine, { kind: 'ours', name: 'canary' }));
  });

  afterEach(async () => {
    await canary?.stop();
    canary = undefined;
  });

  after(async () => {
    const left = await engine.listContainers([`squall.run=${runId}`]);
    engine.close();
    expect(left).to.deep.equal([]);
  });

  const start = (): Promise<Canary> =>
    startCanary({
      engine,
      image,
      name: `squall-canary-${process.pid}`,
      labels: bedLabels({ runId, bedId: 'host', owner: currentOwner(), kind: 'helper' }),
      signal: AbortSignal.timeout(60_000),
    });

  it('gives the host guard every wake-up of a trial', async () => {
    canary = await start();
    const guard = await startHostGuard({ shortestTimeoutMs: 60_000, pids: () => [], canary });
    const { measures, reasons } = await guard.stop();
    const lateness = measures.find((measure) => measure.name === 'canary lateness');
    expect(lateness, reasons.join('; ')).to.include({ threshold: 30_000, exceeded: false });
    // A timer of a real kernel is never early and never exactly on time.
    expect(lateness?.value).to.be.above(0);
  });

  it('reads the very clock that our own events carry: hrtime is CLOCK_MONOTONIC', async () => {
    const before = Number(process.hrtime.bigint());
    canary = await start();
    const [first = '{}'] = (await engine.readLogs(canary.containerId, 1_000)).filter((line) =>
      line.includes('ready'),
    );
    // The canary asks the kernel for CLOCK_MONOTONIC itself (clock_gettime), without any runtime between.
    const { monoNs } = JSON.parse(first) as { monoNs: number };
    expect(monoNs).to.be.within(before, Number(process.hrtime.bigint()));
  });

  it('suffers when its container is stopped from running, and the trial is spoiled', async () => {
    canary = await start();
    const guard = await startHostGuard({ shortestTimeoutMs: 200, pids: () => [], canary });
    await engine.pauseContainer(canary.containerId);
    await new Promise((resolve) => setTimeout(resolve, 700));
    await engine.unpauseContainer(canary.containerId);
    const record = await guard.stop();
    expect(record.verdict).to.equal('spoiled');
    expect(record.reasons.join('\n')).to.match(/canary lateness: [\d.]+ ms; expected at most 100/);
  });

  it('is known to be gone when somebody removes it, so that the host’s verdict is unknown', async () => {
    canary = await start();
    const guard = await startHostGuard({ shortestTimeoutMs: 60_000, pids: () => [], canary });
    await engine.removeContainer(canary.containerId);
    const record = await guard.stop();
    expect(record.verdict).to.equal('unknown');
    expect(record.reasons.join('\n')).to.match(/the canary is gone/);
  });

  it('serves all trials of a run, is replaced when it has died, and leaves nothing behind', async () => {
    const guards = new HostGuards({
      engine,
      canaryImage: async () => image,
      runId,
      labels: { 'squall.run': runId },
    });
    const trial = {
      bed: { nodes: () => [] },
      shortestTimeoutMs: 60_000,
      signal: AbortSignal.timeout(60_000),
    };
    const canaries = async () => (await engine.listContainers([`squall.run=${runId}`])).map(({ id }) => id);
    try {
      const [first, second] = await Promise.all([guards.start(trial), guards.start(trial)]);
      const [shared, ...others] = await canaries();
      expect(others).to.deep.equal([]);
      const { measures } = await first.stop();
      expect(measures.find(({ name }) => name === 'engine restarts')).to.include({
        value: 0,
        exceeded: false,
      });
      await engine.removeContainer(shared ?? '');
      expect(await second.stop()).to.include({ verdict: 'unknown' });
      await (await guards.start(trial)).stop();
      expect(await canaries()).to.have.length(1);
    } finally {
      await guards.stop();
    }
    expect(await canaries()).to.deep.equal([]);
  });
});
