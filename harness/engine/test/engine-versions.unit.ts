import { expect } from 'chai';
import { connectEngine } from '../connect-engine.ts';
import { OUR_API } from '../negotiate.ts';
import { FakeDaemon, json } from './fake-daemon.ts';

/** Engines and the newest and oldest API that they speak: release notes of moby, and of Docker for 20.10. */
const ENGINES = [
  { version: '20.10.24', api: '1.41', min: '1.12' },
  { version: '23.0.6', api: '1.42', min: '1.12' },
  { version: '24.0.9', api: '1.43', min: '1.12' },
  { version: '25.0.5', api: '1.44', min: '1.24' },
  { version: '26.1.4', api: '1.45', min: '1.24' },
  { version: '27.5.1', api: '1.47', min: '1.24' },
  { version: '28.0.4', api: '1.48', min: '1.24' },
  { version: '28.5.2', api: '1.51', min: '1.24' },
  { version: '29.0.0', api: '1.52', min: '1.44' },
  { version: '29.9.9', api: '1.59', min: '1.44' },
] as const;

type Engine = (typeof ENGINES)[number];

const older = (a: string, b: string): boolean => Number(a.split('.')[1]) < Number(b.split('.')[1]);

/** Answers as an engine of that version does; paths without its API, or with one that it does not know, are refused. */
function daemonOf({ version, api, min }: Engine) {
  const bodies: unknown[] = [];
  const daemon = new FakeDaemon(async (request, response) => {
    const [, asked, path = ''] = /^(?:\/v(\d+\.\d+))?(\/[^?]*)/.exec(request.url ?? '') ?? [];
    let text = '';
    for await (const chunk of request) text += String(chunk);
    if (text) bodies.push(JSON.parse(text));
    if (asked !== undefined && older(asked, min)) {
      const message = `client version ${asked} is too old. Minimum supported API version is ${min}, please upgrade`;
      return json(response, 400, { message });
    }
    if (asked !== undefined && older(api, asked)) {
      const message = `client version ${asked} is too new. Maximum supported API version is ${api}`;
      return json(response, 400, { message });
    }
    const known: Readonly<Record<string, unknown>> = {
      '/version': { Version: version, ApiVersion: api, MinAPIVersion: min, Os: 'linux', Arch: 'amd64' },
      '/info': { OperatingSystem: 'Test OS', NCPU: 2, MemTotal: 1e9 },
      // From 1.44 on the engine leaves out what is empty; from 1.52 on `VirtualSize`, `GraphDriver` and more.
      '/containers/json': [
        { Id: 'c1', Names: ['/one'], State: 'running', Image: 'x', ImageID: 'sha256:1', Created: 5 },
      ],
      '/networks': [{ Id: 'n1', Name: 'one', Created: '2026-11-30T00:00:00Z', IPAM: { Config: null } }],
      '/volumes': { Volumes: null },
      '/images/json': [{ Id: 'sha256:1', Size: 7, RepoTags: null, Labels: null }],
      '/images/x/json': { Id: 'sha256:1' },
      '/networks/create': { Id: 'n2', Warning: '' },
      '/containers/create': { Id: 'c2', Warnings: [] },
    };
    if (path in known) return json(response, path.endsWith('/create') ? 201 : 200, known[path]);
    return json(response, 404, { message: 'page not found' });
  });
  return { daemon, bodies };
}

for (const engine of ENGINES) {
  describe(`engine ${engine.version} (API ${engine.api})`, () => {
    it('is spoken to in the newest API that both know, from the first call on, and what it leaves out is nothing', async () => {
      const { daemon, bodies } = daemonOf(engine);
      await using _ = await daemon.start();
      const connected = await connectEngine(daemon.endpoint);
      try {
        const expected = older(engine.api, OUR_API.max) ? engine.api : OUR_API.max;
        expect(connected.info).to.include({ version: engine.version, apiVersion: expected });
        expect(await connected.listContainers(['a=b'])).to.deep.equal([
          {
            id: 'c1',
            name: 'one',
            state: 'running',
            image: 'x',
            imageId: 'sha256:1',
            labels: {},
            createdAtMs: 5_000,
          },
        ]);
        expect((await connected.listNetworks([]))[0]).to.deep.include({
          name: 'one',
          subnets: [],
          labels: {},
        });
        expect(await connected.listVolumes([])).to.deep.equal([]);
        expect(await connected.listImages([])).to.deep.equal([
          { id: 'sha256:1', tags: [], sizeBytes: 7, labels: {} },
        ]);
        expect(await connected.imageLabels('x')).to.deep.equal({});
        expect(await connected.imageId('not-there')).to.equal(undefined);
        const subnet = { subnet: '198.18.0.0/20', gateway: '198.18.0.1' };
        expect(await connected.createNetwork({ name: 'n', labels: {}, ...subnet })).to.equal('n2');
        const spec = { name: 'c', hostname: 'c', image: 'x', environment: {}, labels: {} };
        expect(await connected.createContainer(spec)).to.equal('c2');
        expect(bodies).to.have.length(2);
        const versions = new Set(daemon.asked.slice(1).map((line) => /\/v(\d+\.\d+)\//.exec(line)?.[1]));
        expect([...versions]).to.deep.equal([expected]);
        expect(daemon.asked[0]).to.equal('GET /version');
      } finally {
        connected.close();
      }
    });
  });
}
