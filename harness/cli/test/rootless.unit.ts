import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type FakeDaemon, ordinaryDaemon } from '../../engine/test/fake-daemon.ts';
import { SquallError } from '../../errors/index.ts';
import { requireScenario } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { executeRun } from '../../session/index.ts';
import { squallHere } from './in-process.ts';

describe('a rootless engine', function () {
  // The first call loads what it stands on; a busy machine takes its time.
  this.timeout(60_000);
  let daemon: FakeDaemon;
  let dir: string;
  const named = process.env['DOCKER_HOST'];

  beforeEach(async () => {
    daemon = await ordinaryDaemon({ info: { SecurityOptions: ['name=seccomp', 'name=rootless'] } }).start();
    process.env['DOCKER_HOST'] = daemon.endpoint;
    dir = mkdtempSync(join(tmpdir(), 'squall-rootless-'));
  });
  afterEach(async () => {
    if (named === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = named;
    rmSync(dir, { recursive: true });
    await daemon[Symbol.asyncDispose]();
  });

  /** It was asked who it is, and nothing was listed, built, created or started. */
  function expectRefused(error: unknown): void {
    expect(error).to.be.instanceOf(SquallError);
    expect(error).to.include({ code: 'engine-rootless', blame: 'input' });
    expect((error as SquallError).message)
      .to.match(/rootless/)
      .and.to.include(daemon.endpoint);
    expect((error as SquallError).hint).to.include('DOCKER_HOST');
    expect(daemon.asked).to.not.be.empty;
    for (const asked of daemon.asked) expect(asked).to.match(/^GET \S*\/(version|info|_ping)$/);
  }

  it('is refused by a run before an image or a record is made', async () => {
    const scenario = requireScenario(scenarioSpec({ topology: 'memberlist-16' }), { suite: 'fake' });
    const reportsDir = join(dir, 'reports');
    const signal = new AbortController().signal;
    const error = await executeRun({ selections: [{ scenario }], command: [], reportsDir, signal }).catch(
      (thrown: unknown) => thrown,
    );
    expectRefused(error);
    expect(existsSync(reportsDir)).to.equal(false);
  });

  it('is refused by `up` before a keeper is started', async () => {
    const { error } = await squallHere('up', 'topologies/memberlist-16.yaml');
    expectRefused(error);
  });
});
