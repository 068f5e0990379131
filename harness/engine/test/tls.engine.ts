import { expect } from 'chai';
import { connectEngine } from '../connect-engine.ts';
import { findEngine } from '../find-engine.ts';
import { outputOf, startTestEngine, type TestEngine } from './test-engine.ts';
import { startTlsFront, type TlsFront } from './tls-front.ts';

/** The real engine behind TCP with TLS that asks for a certificate, as a remote engine is reached. */
describe('an engine over TCP with TLS', function () {
  this.timeout(60_000);
  let test: TestEngine;
  let front: TlsFront;
  let endpoint: string;
  let certificates: string;

  before(async () => {
    test = await startTestEngine();
    front = await startTlsFront(test.engine.info.endpoint.replace('unix://', ''));
    ({ endpoint, certificates } = front);
  });
  after(async () => {
    await test.end();
    await front[Symbol.asyncDispose]();
  });

  it('is found by DOCKER_HOST, DOCKER_TLS_VERIFY and DOCKER_CERT_PATH, and known to be this machine', async () => {
    const environment = { DOCKER_HOST: endpoint, DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: certificates };
    const engine = await findEngine({ environment });
    engine.close();
    expect(engine.info).to.include({ origin: 'DOCKER_HOST', endpoint, host: 'this' });
  });

  it('carries logs, attach with half-close, and exec', async () => {
    const engine = await connectEngine(endpoint, { certificatesDir: certificates, tls: true });
    const talker = await engine.createContainer(test.talker(['say', 'one', 'err:two']));
    await engine.startContainer(talker);
    expect(await outputOf(engine, talker)).to.deep.equal({ stdout: ['one'], stderr: ['two'] });
    const echo = await engine.createContainer(test.talker(['echo'], { openStdin: true }));
    const attached = await engine.attach(echo);
    await engine.startContainer(echo);
    attached.write('hello');
    const lines = attached.lines[Symbol.asyncIterator]();
    expect((await lines.next()).value).to.equal('echo hello');
    expect((await engine.exec(echo, ['/talker', 'say', 'x'])).stdout).to.equal('x');
    attached.endInput();
    expect((await lines.next()).value).to.equal('goodbye');
    engine.close();
  });

  it('is refused without a certificate, at once', async () => {
    const outcome = await connectEngine(endpoint, { tls: true }).catch((error: unknown) => error);
    expect(outcome).to.include({ code: 'engine-endpoint-refused', blame: 'input' });
    const plain = await connectEngine(endpoint).catch((error: unknown) => error);
    expect(plain).to.include({ code: 'engine-unreachable' });
  });
});
