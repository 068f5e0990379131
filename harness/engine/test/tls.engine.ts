import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer, type Server } from 'node:tls';
import { expect } from 'chai';
import { identityOf, issueCertificate } from '../../identity/index.ts';
import { connectEngine } from '../connect-engine.ts';
import { findEngine } from '../find-engine.ts';
import { outputOf, startTestEngine, type TestEngine } from './test-engine.ts';

/** The real engine behind TCP with TLS that asks for a certificate, as a remote engine is reached. */
describe('an engine over TCP with TLS', function () {
  this.timeout(60_000);
  let test: TestEngine;
  let server: Server;
  let certificates: string;
  let endpoint: string;

  before(async () => {
    test = await startTestEngine();
    const authority = { commonName: 'test authority', key: identityOf('tls', 'authority').ed25519 };
    const ca = issueCertificate({ ...authority, authority: true });
    const issue = (name: string, hosts: readonly string[]) =>
      issueCertificate({ commonName: name, key: identityOf('tls', name).ed25519, hosts, issuer: authority });
    const [own, client] = [issue('engine', ['127.0.0.1']), issue('client', ['client'])];
    certificates = mkdtempSync(join(tmpdir(), 'squall-tls-'));
    writeFileSync(join(certificates, 'ca.pem'), ca.pem);
    writeFileSync(join(certificates, 'cert.pem'), client.pem);
    writeFileSync(join(certificates, 'key.pem'), client.keyPem);
    const socket = test.engine.info.endpoint.replace('unix://', '');
    server = createServer(
      {
        key: own.keyPem,
        cert: own.pem,
        ca: ca.pem,
        requestCert: true,
        allowHalfOpen: true,
        rejectUnauthorized: true,
      },
      (caller) => {
        const engine = connect({ path: socket, allowHalfOpen: true });
        caller.pipe(engine).pipe(caller);
        for (const side of [caller, engine]) {
          side.on('error', () => {
            caller.destroy();
            engine.destroy();
          });
        }
      },
    );
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    endpoint = `tcp://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(async () => {
    await test.end();
    server.close();
    rmSync(certificates, { recursive: true, force: true });
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
