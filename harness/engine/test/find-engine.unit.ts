import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { whyNotEmbedded } from '../embedded-start.ts';
import { findEngine, searchEngine } from '../find-engine.ts';
import { FakeDaemon, ordinaryDaemon } from './fake-daemon.ts';

async function failureOf(action: Promise<unknown>): Promise<SquallError> {
  try {
    await action;
  } catch (error) {
    if (error instanceof SquallError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('finding an engine', () => {
  let home: string;
  const nowhere = () => join(home, 'no-docker.sock');
  const environment = (more: Record<string, string> = {}) => ({
    HOME: home,
    SQUALL_ENGINE_HOME: join(home, 'own'),
    PATH: '/nowhere',
    ...more,
  });

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'squall-home-'));
  });
  afterEach(() => {
    rmSync(home, { recursive: true, force: true });
  });

  function writeContext(name: string, host: string): void {
    const id = createHash('sha256').update(name).digest('hex');
    mkdirSync(join(home, '.docker', 'contexts', 'meta', id), { recursive: true });
    writeFileSync(join(home, '.docker', 'config.json'), JSON.stringify({ currentContext: name }));
    const meta = { Name: name, Endpoints: { docker: { Host: host } } };
    writeFileSync(join(home, '.docker', 'contexts', 'meta', id, 'meta.json'), JSON.stringify(meta));
  }

  it('takes DOCKER_HOST before a context and the default socket', async () => {
    await using named = await ordinaryDaemon({ version: '1.named' }).start();
    await using usual = await ordinaryDaemon({ version: '2.usual' }).start();
    writeContext('lab', usual.endpoint);
    const search = await searchEngine({
      environment: environment({ DOCKER_HOST: named.endpoint }),
      defaultSocket: usual.socket,
    });
    search.engine?.close();
    expect(search.engine?.info).to.include({ origin: 'DOCKER_HOST', version: '1.named' });
  });

  it('takes the current context when DOCKER_HOST names nothing, and says so', async () => {
    await using lab = await ordinaryDaemon().start();
    writeContext('lab', lab.endpoint);
    const search = await searchEngine({
      environment: environment({ DOCKER_HOST: '' }),
      defaultSocket: nowhere(),
    });
    search.engine?.close();
    expect(search.engine?.info.origin).to.equal('context');
    expect(search.trace[0]).to.include({
      strategy: 'DOCKER_HOST',
      outcome: 'not-applicable',
      reason: 'DOCKER_HOST is set but empty, which names nothing',
    });
  });

  it('takes DOCKER_CONTEXT before the configured context', async () => {
    await using lab = await ordinaryDaemon().start();
    writeContext('lab', lab.endpoint);
    writeFileSync(join(home, '.docker', 'config.json'), JSON.stringify({ currentContext: 'default' }));
    const search = await searchEngine({
      environment: environment({ DOCKER_CONTEXT: 'lab' }),
      defaultSocket: nowhere(),
    });
    search.engine?.close();
    expect(search.engine?.info.origin).to.equal('context');
  });

  it('refuses a context that is not there instead of looking elsewhere', async () => {
    await using usual = await ordinaryDaemon().start();
    const error = await failureOf(
      findEngine({ environment: environment({ DOCKER_CONTEXT: 'gone' }), defaultSocket: usual.socket }),
    );
    expect(error.code).to.equal('docker-context-unreadable');
    expect(error.message).to.match(/docker context "gone": has no docker endpoint/);
  });

  it('tries nothing else when a named engine fails', async () => {
    await using usual = await ordinaryDaemon().start();
    const named = environment({ DOCKER_HOST: `unix://${nowhere()}` });
    const error = await failureOf(findEngine({ environment: named, defaultSocket: usual.socket, yes: true }));
    expect(error.message).to.match(
      /there is no such socket \(named by the user, so nothing else was tried\)/,
    );
    expect(usual.asked).to.deep.equal([]);
  });

  it('refuses an ssh engine with its one reason, as a wrong input', async () => {
    const error = await failureOf(
      findEngine({ environment: environment({ DOCKER_HOST: 'ssh://me@lab' }), defaultSocket: nowhere() }),
    );
    expect(error).to.include({ code: 'engine-endpoint-refused', blame: 'input' });
    expect(error.message).to.match(/cannot be reached over ssh/);
  });

  it('finds a rootless engine by XDG_RUNTIME_DIR before the default socket', async () => {
    await using rootless = await ordinaryDaemon({ info: { SecurityOptions: ['name=rootless'] } }).start();
    await using usual = await ordinaryDaemon().start();
    const search = await searchEngine({
      environment: environment({ XDG_RUNTIME_DIR: rootless.directory }),
      defaultSocket: usual.socket,
    });
    search.engine?.close();
    expect(search.engine?.info).to.include({ origin: 'rootless', rootless: true });
  });

  it('finds Docker Desktop by its socket in the home directory', async () => {
    await using desktop = await ordinaryDaemon({ info: { OperatingSystem: 'Docker Desktop' } }).start();
    mkdirSync(join(home, '.docker', 'run'), { recursive: true });
    symlinkSync(desktop.socket, join(home, '.docker', 'run', 'docker.sock'));
    const search = await searchEngine({ environment: environment(), defaultSocket: nowhere() });
    search.engine?.close();
    expect(search.engine?.info).to.include({ origin: 'desktop', host: 'vm' });
  });

  it('finds an engine of ours that runs already, without being allowed to start one', async () => {
    await using own = await ordinaryDaemon().start();
    mkdirSync(join(home, 'own'), { recursive: true });
    symlinkSync(own.socket, join(home, 'own', 'engine.sock'));
    const engine = await findEngine({ environment: environment(), defaultSocket: nowhere() });
    engine.close();
    expect(engine.info.origin).to.equal('embedded');
  });

  it('starts nothing unasked, and shows everything that it tried', async () => {
    const error = await failureOf(findEngine({ environment: environment(), defaultSocket: nowhere() }));
    expect(error.code).to.equal('engine-not-found');
    for (const strategy of ['DOCKER_HOST', 'context', 'rootless', 'default', 'desktop', 'embedded']) {
      expect(error.message).to.include(`  ${strategy}: `);
    }
    expect(error.hint).to.match(/--yes|Install/);
  });

  it('asks the person at the terminal once, where it could start one, and takes no for an answer', async () => {
    const asked: string[] = [];
    const ask = async (question: string) => {
      asked.push(question);
      return false;
    };
    const able = { ...environment(), PATH: process.env['PATH'] };
    const error = await failureOf(findEngine({ environment: able, defaultSocket: nowhere(), ask }));
    const obstacle = whyNotEmbedded(able);
    expect(asked).to.have.length(obstacle ? 0 : 1);
    expect(error.message).to.include(obstacle?.why ?? 'it was declined');
  });

  it('can be aborted while an engine does not answer', async () => {
    await using silent = await new FakeDaemon(() => undefined).start();
    const signal = AbortSignal.timeout(50);
    const outcome = await findEngine({
      environment: environment(),
      defaultSocket: silent.socket,
      signal,
    }).catch((error: unknown) => error);
    expect((outcome as Error).name).to.equal('TimeoutError');
  });
});
