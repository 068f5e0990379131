import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import type { FaultPlan } from '../index.ts';
import { ToxiproxyServer } from '../index.ts';
import { faultSettings } from '../plan-fault.ts';
import { type ControlChannel, silent } from '../toxiproxy/control-channel.ts';
import { toxicsOf } from '../toxiproxy/toxic-attributes.ts';
import { refuseUnsupported } from '../toxiproxy/toxiproxy-version.ts';

interface StoredProxy {
  name: string;
  listen: string;
  upstream: string;
  enabled: boolean;
  toxics: { name: string; attributes: Record<string, number> }[];
}

/** A control port that keeps proxies in memory, as the server's does. */
class FakeControl {
  readonly proxies = new Map<string, StoredProxy>();
  readonly calls: string[] = [];
  /** Answers that a test puts in the way; taken from the front, `silence` is none in time. */
  readonly inTheWay: ({ status: number; body: string } | 'silence')[] = [];
  version = '{"version":"2.12.0"}';
  knowsHoleAfter = true;

  readonly channel: ControlChannel = async (method, path, body, deadlineMs) => {
    this.calls.push(`${method} ${path}`);
    const other = path === '/version' ? undefined : this.inTheWay.shift();
    if (other === 'silence') throw silent(method, path, deadlineMs);
    return other ?? this.#answer(method, path, body);
  };

  #answer(method: string, path: string, body: unknown): { status: number; body: string } {
    const ok = (value: unknown) => ({ status: 200, body: JSON.stringify(value) });
    const missing = { status: 404, body: '{"error":"proxy not found","status":404}' };
    if (path === '/version') return { status: 200, body: this.version };
    if (path === '/toxic-types') {
      return this.knowsHoleAfter
        ? ok({ types: ['hole_after', 'latency'] })
        : { status: 404, body: '404 page not found' };
    }
    if (path === '/proxies' && method === 'GET') return ok(Object.fromEntries(this.proxies));
    if (path === '/proxies') {
      const proxy = { toxics: [], ...(body as Omit<StoredProxy, 'toxics'>) };
      this.proxies.set(proxy.name, proxy);
      return ok(proxy);
    }
    const [, , name, , toxicName] = path.split('/');
    const proxy = this.proxies.get(name ?? '');
    if (!proxy) return missing;
    if (method === 'DELETE') {
      if (toxicName) proxy.toxics = proxy.toxics.filter((toxic) => toxic.name !== toxicName);
      else this.proxies.delete(proxy.name);
      return { status: 204, body: '' };
    }
    if (path.endsWith('/toxics')) {
      proxy.toxics.push(body as StoredProxy['toxics'][number]);
      return ok(body);
    }
    if (method === 'POST') Object.assign(proxy, body);
    return ok(proxy);
  }
}

function connect(control: FakeControl): Promise<ToxiproxyServer> {
  return ToxiproxyServer.connect({
    name: 'toxiproxy-1',
    containerId: 'c',
    address: '198.18.0.9',
    pid: 1,
    control: control.channel,
  });
}

const SPEC = { name: 'bed.link.a.b.1', listenPort: 10_000, upstream: '198.18.0.2:1', enabled: true };
const LATENCY = {
  name: 't',
  type: 'latency',
  stream: 'upstream',
  toxicity: 1,
  attributes: { latency: 5 },
} as const;

async function failure(work: Promise<unknown>): Promise<SquallError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).to.be.instanceOf(SquallError);
  return error as SquallError;
}

describe('ToxiproxyServer', () => {
  it('makes a proxy switched off, adds its toxics, then switches it on (incident 4)', async () => {
    const control = new FakeControl();
    const server = await connect(control);
    control.calls.length = 0;
    await server.createProxy({ ...SPEC, toxics: [LATENCY] });
    expect(control.calls).to.deep.equal([
      'GET /proxies/bed.link.a.b.1',
      'POST /proxies',
      'POST /proxies/bed.link.a.b.1/toxics',
      'POST /proxies/bed.link.a.b.1',
    ]);
    expect((await server.proxies()).get(SPEC.name)).to.deep.include({
      enabled: true,
      listen: '0.0.0.0:10000',
    });
  });

  it('deletes a stale proxy of the same name first, with its toxics (incident 6)', async () => {
    const control = new FakeControl();
    const server = await connect(control);
    await server.createProxy({ ...SPEC, toxics: [LATENCY] });
    await server.createProxy({ ...SPEC, toxics: [] });
    expect(control.proxies.get(SPEC.name)?.toxics).to.deep.equal([]);
  });

  it('leads a proxy somewhere else and leaves it as it is otherwise', async () => {
    const control = new FakeControl();
    const server = await connect(control);
    await server.createProxy({ ...SPEC, toxics: [LATENCY] });
    await server.repoint(SPEC.name, '198.18.0.7:22101');
    const proxy = (await server.proxies()).get(SPEC.name);
    expect(proxy).to.deep.include({ enabled: true, listen: '0.0.0.0:10000', upstream: '198.18.0.7:22101' });
    expect(proxy?.toxics.map(({ name }) => name)).to.deep.equal([LATENCY.name]);
  });

  it('leaves nothing of a proxy whose toxics could not be added', async () => {
    const control = new FakeControl();
    const server = await connect(control);
    const missing = { status: 404, body: '{"error":"proxy not found"}' };
    const made = { status: 201, body: JSON.stringify({ ...SPEC, listen: 'x', toxics: [] }) };
    control.inTheWay.push(missing, made, {
      status: 400,
      body: '{"error":"invalid toxic type","status":400}',
    });
    const error = await failure(server.createProxy({ ...SPEC, toxics: [LATENCY] }));
    expect(error.message).to.match(/answered 400: invalid toxic type$/);
    expect(control.proxies.size).to.equal(0);
  });

  it('refuses a name with a slash, which the server would answer with 404', async () => {
    const server = await connect(new FakeControl());
    expect((await failure(server.createProxy({ ...SPEC, name: 'a/b', toxics: [] }))).code).to.equal(
      'toxiproxy-name',
    );
  });

  it('is wedged when it does not answer within the deadline, and is not spoken to again', async () => {
    const control = new FakeControl();
    const server = await connect(control);
    const heard: SquallError[] = [];
    server.onWedged((error) => heard.push(error));
    control.inTheWay.push('silence');
    expect((await failure(server.proxies())).code).to.equal('toxiproxy-wedged');
    const calls = control.calls.length;
    expect((await failure(server.proxies())).blame).to.equal('void');
    expect(control.calls.length).to.equal(calls);
    expect(heard).to.have.lengthOf(1);
  });

  it('is wedged when it answers 503 twice in a row, and not before', async () => {
    const control = new FakeControl();
    const server = await connect(control);
    const unavailable = { status: 503, body: '' };
    control.inTheWay.push(unavailable);
    expect((await failure(server.proxies())).code).to.equal('toxiproxy-refused');
    await server.proxies();
    control.inTheWay.push(unavailable, unavailable);
    expect((await failure(server.proxies())).code).to.equal('toxiproxy-refused');
    expect((await failure(server.proxies())).code).to.equal('toxiproxy-wedged');
  });

  it('knows a server that lacks our toxic', async () => {
    const control = new FakeControl();
    control.knowsHoleAfter = false;
    expect((await connect(control)).hasHoleAfter).to.equal(false);
  });

  it('refuses a server of an unsupported version at once (incident 2)', async () => {
    const control = new FakeControl();
    control.version = '2.1.0';
    expect((await failure(connect(control))).message).to.match(
      /says version "2.1.0"; expected 2.12.0 or newer/,
    );
  });
});

describe('refuseUnsupported', () => {
  for (const answer of ['2.12.0', '{"version": "2.12.1"}', 'v2.13.0', '2.20.0']) {
    it(`takes ${answer}`, () => {
      expect(() => refuseUnsupported(answer)).to.not.throw();
    });
  }
  for (const answer of ['2.11.9', '2.5.0', '1.12.0', '3.0.0', 'git', '', '{"version":', '<html>']) {
    it(`refuses ${JSON.stringify(answer)}`, () => {
      expect(() => refuseUnsupported(answer))
        .to.throw(SquallError)
        .with.property('code', 'toxiproxy-version');
    });
  }
});

describe('toxicsOf', () => {
  const plan = (kind: FaultPlan['kind'], settings: Record<string, unknown>): FaultPlan => ({
    id: 'f',
    kind,
    selector: 'a',
    targets: ['a'],
    peers: ['b'],
    direction: 'both',
    protocol: 'tcp',
    ports: [1],
    seed: 's',
    settings: faultSettings(kind, settings),
  });

  for (const [kind, settings, toxic] of [
    ['blackhole-stream', {}, { type: 'timeout', attributes: { timeout: 0 } }],
    ['blackhole-after', { bytes: '1KiB' }, { type: 'hole_after', attributes: { bytes: 1_024 } }],
    ['reset', { afterMs: '1s' }, { type: 'reset_peer', attributes: { timeout: 1_000 } }],
    ['slow', { latencyMs: 1.4, jitterMs: 2 }, { type: 'latency', attributes: { latency: 1, jitter: 2 } }],
    ['throttle', { bytesPerSecond: '64KB' }, { type: 'bandwidth', attributes: { rate: 64 } }],
    ['limit', { bytes: 7 }, { type: 'limit_data', attributes: { bytes: 7 } }],
    [
      'slice',
      { averageBytes: 10, variationBytes: 5, delayUs: 20 },
      { type: 'slicer', attributes: { average_size: 10, size_variation: 5, delay: 20 } },
    ],
  ] as const) {
    it(`speaks Toxiproxy's units for ${kind}`, () => {
      expect(toxicsOf(plan(kind, settings))[0]).to.deep.include(toxic);
    });
  }

  it('stands in both streams, or in the one that was asked for', () => {
    const streams = (stream: string) =>
      toxicsOf(plan('slow', { latencyMs: 1, stream })).map((toxic) => toxic.stream);
    expect(streams('both')).to.deep.equal(['upstream', 'downstream']);
    expect(streams('upstream')).to.deep.equal(['upstream']);
  });

  it('is no toxic at all for a share of nothing (incident 3)', () => {
    expect(toxicsOf(plan('slow', { latencyMs: 1, shareRatio: 0 }))).to.deep.equal([]);
  });
});
