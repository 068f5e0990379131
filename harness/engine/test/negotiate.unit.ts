import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { connectEngine } from '../connect-engine.ts';
import { chooseApiVersion, compareApiVersions, OUR_API } from '../negotiate.ts';
import { FakeDaemon, json, ordinaryDaemon } from './fake-daemon.ts';

async function failureOf(endpoint: string): Promise<SquallError> {
  try {
    const engine = await connectEngine(endpoint);
    engine.close();
  } catch (error) {
    if (error instanceof SquallError) return error;
    throw error;
  }
  throw new Error('it connected');
}

describe('speaking to an engine', () => {
  it('takes the lower of both newest API versions', () => {
    const engine = (min: string, max: string) => ({ min, max, version: 'x' });
    expect(chooseApiVersion(engine('1.12', '1.41'))).to.equal('1.41');
    expect(chooseApiVersion(engine('1.44', '1.52'))).to.equal(OUR_API.max);
    expect(compareApiVersions('1.9', '1.41')).to.be.below(0);
  });

  it('names both ranges when there is no common version', () => {
    const newer = () => chooseApiVersion({ min: '1.99', max: '1.120', version: '99.0' });
    expect(newer).to.throw(/99\.0: speaks API 1\.99 to 1\.120; Squall speaks 1\.40 to 1\.51/);
    expect(() => chooseApiVersion({ min: '1.12', max: '1.24', version: '1.12' })).to.throw(
      /speaks API 1\.12 to 1\.24/,
    );
  });

  it("asks for the version first and never below the engine's minimum", async () => {
    await using daemon = await ordinaryDaemon({ version: '29.0.0', api: '1.52', minApi: '1.44' }).start();
    const engine = await connectEngine(daemon.endpoint);
    engine.close();
    expect(engine.info).to.include({ version: '29.0.0', apiVersion: OUR_API.max, minApiVersion: '1.44' });
    expect(daemon.asked[0]).to.equal('GET /version');
    expect(daemon.asked[1]).to.equal(`GET /v${OUR_API.max}/info`);
  });

  it('asks again when a gateway refuses an unversioned call as too old', async () => {
    await using daemon = await new FakeDaemon((request, response) => {
      const message = 'client version 1.24 is too old. Minimum supported API version is 1.44, please upgrade';
      if (request.url === '/version') json(response, 400, { message });
      else if (request.url === '/v1.44/version') json(response, 200, { Version: '29', ApiVersion: '1.52' });
      else json(response, 200, {});
    }).start();
    const engine = await connectEngine(daemon.endpoint);
    engine.close();
    expect(engine.info.minApiVersion).to.equal('1.44');
  });

  it('says what is there instead of an engine', async () => {
    await using daemon = await new FakeDaemon((_request, response) => response.end('hello')).start();
    const error = await failureOf(daemon.endpoint);
    expect(error.code).to.equal('engine-unreachable');
    expect(error.message).to.match(
      /answered \/version with HTTP 200 and no version; expected a Docker engine/,
    );
  });

  it('says that nothing is there, and why', async () => {
    expect((await failureOf('unix:///nowhere/docker.sock')).message).to.match(/there is no such socket/);
    expect((await failureOf('tcp://127.0.0.1:9')).message).to.match(/nothing listens there/);
  });

  it('knows a rootless engine and one in another kernel', async () => {
    await using rootless = await ordinaryDaemon({
      info: { SecurityOptions: ['name=seccomp', 'name=rootless'] },
    }).start();
    const first = await connectEngine(rootless.endpoint);
    first.close();
    expect(first.info.rootless).to.equal(true);
    await using desktop = await ordinaryDaemon({ info: { OperatingSystem: 'Docker Desktop' } }).start();
    const second = await connectEngine(desktop.endpoint);
    second.close();
    expect(second.info.host).to.equal('vm');
  });

  it('does not follow DOCKER_HOST behind the back of its caller', async () => {
    await using daemon = await ordinaryDaemon().start();
    const before = process.env['DOCKER_HOST'];
    process.env['DOCKER_HOST'] = 'tcp://192.0.2.1:2375';
    try {
      const engine = await connectEngine(daemon.endpoint);
      engine.close();
      expect(engine.info.endpoint).to.equal(daemon.endpoint);
    } finally {
      if (before === undefined) delete process.env['DOCKER_HOST'];
      else process.env['DOCKER_HOST'] = before;
    }
  });
});
