import { expect } from 'chai';
import { addressEnvironment, connectTo, engineAddress } from '../engine-address.ts';
import { findEngine } from '../find-engine.ts';
import { type FakeDaemon, ordinaryDaemon } from './fake-daemon.ts';
import { startTlsFront, type TlsFront } from './tls-front.ts';

describe('an engine over TLS that a context names', () => {
  let daemon: FakeDaemon;
  let front: TlsFront;
  before(async () => {
    daemon = await ordinaryDaemon().start();
    front = await startTlsFront(daemon.socket);
  });
  after(async () => {
    await front[Symbol.asyncDispose]();
    await daemon[Symbol.asyncDispose]();
  });

  const find = async () => {
    const engine = await findEngine({ environment: { DOCKER_CONFIG: front.dockerConfig, HOME: '/nowhere' } });
    engine.close();
    return engine.info;
  };

  it('is found with the certificates of the context', async () => {
    const info = await find();
    expect(info).to.include({ origin: 'context', endpoint: front.endpoint });
    expect(info.certificatesDir).to.match(/\/contexts\/tls\/[0-9a-f]{64}\/docker$/);
  });

  it('is reached again by its address alone, as a process of ours that was handed it does', async () => {
    const address = JSON.parse(JSON.stringify(engineAddress(await find())));
    const engine = await connectTo(address);
    engine.close();
    expect(engine.info).to.include({ endpoint: front.endpoint, version: '20.10.24' });
    const bare = await connectTo({ endpoint: front.endpoint }).catch((error: unknown) => error);
    expect(bare).to.include({ code: 'engine-unreachable' });
  });

  it('is told to other programs with its certificates', async () => {
    const { certificatesDir = '' } = await find();
    expect(addressEnvironment(await find())).to.deep.equal({
      DOCKER_HOST: front.endpoint,
      DOCKER_TLS_VERIFY: '1',
      DOCKER_CERT_PATH: certificatesDir,
    });
    expect(addressEnvironment({ endpoint: daemon.endpoint })).to.deep.equal({ DOCKER_HOST: daemon.endpoint });
  });
});
