import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import Dockerode from 'dockerode';
import { describeError } from '../../errors/index.ts';
import { DockerImages } from '../docker-images.ts';
import { findCredentials, registryHost } from '../registry-credentials.ts';
import { FakeDaemon, json } from './fake-daemon.ts';

const SECRET = 'hunter2:with-a-colon';
const encoded = (name: string): string => Buffer.from(`${name}:${SECRET}`).toString('base64');

describe('credentials of a registry', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-docker-config-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const configure = (config: unknown): void =>
    writeFileSync(join(folder, 'config.json'), typeof config === 'string' ? config : JSON.stringify(config));
  const find = (reference: string) => findCredentials(reference, { DOCKER_CONFIG: folder, PATH: folder });
  const helper = (script: string): void => {
    writeFileSync(join(folder, 'docker-credential-ring'), `#!/bin/sh\n${script}\n`);
    chmodSync(join(folder, 'docker-credential-ring'), 0o755);
  };

  for (const [reference, host] of [
    ['debian:12', 'https://index.docker.io/v1/'],
    ['library/debian', 'https://index.docker.io/v1/'],
    ['docker.io/library/debian', 'https://index.docker.io/v1/'],
    ['localhost/x', 'localhost'],
    ['registry.example:5000/team/x@sha256:abc', 'registry.example:5000'],
  ] as const) {
    it(`are those of ${host} for ${reference}`, () => expect(registryHost(reference)).to.equal(host));
  }

  it('are none without a configuration, or for a registry that nobody logged in to', async () => {
    expect(await find('registry.example/x')).to.equal(undefined);
    configure({ auths: { 'other.example': { auth: encoded('me') } } });
    expect(await find('registry.example/x')).to.equal(undefined);
  });

  it('are what `docker login` wrote, whichever way it wrote the address', async () => {
    for (const name of ['registry.example', 'https://registry.example', 'https://registry.example/v1/']) {
      configure({ auths: { [name]: { auth: encoded('me') } } });
      expect(await find('registry.example/x')).to.deep.equal({
        username: 'me',
        password: SECRET,
        serveraddress: 'registry.example',
      });
    }
    configure({ auths: { 'https://index.docker.io/v1/': { identitytoken: 'token' } } });
    expect(await find('debian')).to.include({ identitytoken: 'token' });
  });

  it('are asked of the helper that is named for the registry, or for all', async () => {
    helper(`read host; [ "$host" = registry.example ] && echo '{"Username":"ring","Secret":"s3"}'`);
    configure({ credHelpers: { 'registry.example': 'ring' } });
    expect(await find('registry.example/x')).to.include({ username: 'ring', password: 's3' });
    helper(`echo '{"Username":"<token>","Secret":"t"}'`);
    configure({ credsStore: 'ring' });
    expect(await find('debian')).to.include({ identitytoken: 't' });
  });

  it('are none when the helper has none', async () => {
    helper('echo "credentials not found in native keychain"; exit 1');
    configure({ credsStore: 'ring' });
    expect(await find('debian')).to.equal(undefined);
  });

  it('are told to be unusable without showing any of them', async () => {
    helper(`echo '{"Secret":"${SECRET}"'; exit 3`);
    for (const config of [
      { credsStore: 'ring' },
      { credsStore: 'nowhere' },
      `{"auths": "${SECRET}"}`,
      `{ "${SECRET}`,
    ]) {
      configure(config);
      const failure = await find('debian').catch((error: unknown) => error);
      expect(failure).to.include({ code: 'registry-credentials', blame: 'input' });
      expect(describeError(failure)).to.not.include('hunter2');
    }
  });

  it('go to the engine with the pull and with the question whether there is something to pull', async () => {
    const headers: unknown[] = [];
    await using daemon = await new FakeDaemon((request, response) => {
      const header = request.headers['x-registry-auth'];
      headers.push(header && JSON.parse(Buffer.from(String(header), 'base64').toString()));
      if (request.method === 'POST') response.end('{"status":"done"}\n');
      else json(response, 200, {});
    }).start();
    configure({ auths: { 'registry.example': { auth: encoded('me') } } });
    const before = process.env['DOCKER_CONFIG'];
    process.env['DOCKER_CONFIG'] = folder;
    try {
      const images = new DockerImages(new Dockerode({ socketPath: daemon.socket }));
      await images.pull('registry.example/team/x:1', () => undefined);
      expect(await images.whyNotPullable('registry.example/team/x:1')).to.equal(undefined);
      await images.pull('debian:12', () => undefined);
    } finally {
      if (before === undefined) delete process.env['DOCKER_CONFIG'];
      else process.env['DOCKER_CONFIG'] = before;
    }
    const sent = { username: 'me', password: SECRET, serveraddress: 'registry.example' };
    expect(headers).to.deep.equal([sent, sent, undefined]);
    expect(daemon.asked[0]).to.include('fromImage=registry.example%2Fteam%2Fx');
  });
});
