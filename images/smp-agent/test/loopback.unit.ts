import { expect } from 'chai';
import { type LeapingClock, manualClock } from '../../../harness/clock/index.ts';
import { stream } from '../../../harness/random/index.ts';
import { readSettings } from '../../node-kit/settings.ts';
import { formatServerAddress, serverIdentity } from '../../smp-kit/index.ts';
import serverImage from '../../smp-server/image.json' with { type: 'json' };
import { readRules } from '../../smp-server/server-options.ts';
import { startSmpServer } from '../../smp-server/start-server.ts';
import { Agent } from '../agent.ts';
import { agentRules, keepAliveRules } from '../agent-rules.ts';
import { AgentStore } from '../agent-store.ts';
import { choiceRules } from '../choice-rules.ts';
import image from '../image.json' with { type: 'json' };
import { MessageHistory } from '../message-history.ts';
import { readAddress, smpWire } from '../smp-wire.ts';
import { seedWhere } from './agent-bed.ts';
import { BlackHole, PAST_THE_HANDSHAKES_BYTES } from './black-hole.ts';
import type { Told } from './choice-fixture.ts';

const HOSTS = {
  R: '127.0.4.1',
  P1: '127.0.4.11',
  P2: '127.0.4.12',
  app: '127.0.4.21',
  contact: '127.0.4.22',
};
const RUN = 'loopback';
/** A step of the clock, and how often the event loop turns in it: a TLS handshake needs some ten. */
const STEP_MS = 1_000;
const TURNS = 25;

/** Real servers and agents in this process, over TLS on loopback, on a clock that is led. */
class LoopbackBed {
  readonly clock: LeapingClock = manualClock({ wallMs: 1_700_000_000_000 });
  readonly told: (Told & { readonly by: string; readonly atMs: number })[] = [];
  readonly #enders: (() => Promise<void> | void)[] = [];

  async serve(name: keyof typeof HOSTS): Promise<number> {
    const server = await startSmpServer({
      identity: serverIdentity(RUN, name),
      host: HOSTS[name],
      port: 0,
      rules: readRules(readSettings(serverImage, {}).settings),
      clock: this.clock,
      emit: (event, fields = {}) => this.#tell(name, event, fields),
    });
    this.#enders.push(() => server.close());
    return server.port;
  }

  /** A server, and the hole in front of it through which everybody reaches it. */
  async serveBehindHole(name: keyof typeof HOSTS): Promise<BlackHole> {
    const hole = await BlackHole.inFrontOf(HOSTS[name], { host: HOSTS[name], port: await this.serve(name) });
    this.#enders.push(() => hole.close());
    return hole;
  }

  agent(name: 'app' | 'contact', servers: readonly string[], environment: Record<string, string>): Agent {
    const { settings } = readSettings(image, environment);
    const emit = (event: string, fields: Readonly<Record<string, unknown>>) =>
      this.#tell(name, event, fields);
    const seed = environment['SQUALL_SEED'] ?? '';
    const record = { life: 0, lastConnection: 0, servers, proxies: servers, addresses: {}, connections: [] };
    const agent = new Agent({
      name,
      clock: this.clock,
      rules: agentRules(settings),
      choiceRules: choiceRules(settings),
      store: new AgentStore({ path: '', tag: '' }, record),
      history: new MessageHistory(emit, name, 0),
      wire: smpWire({
        clock: this.clock,
        seed: RUN,
        localAddress: HOSTS[name],
        basicAuth: undefined,
        keepAlive: keepAliveRules(settings),
      }),
      readAddress: readAddress(RUN),
      proxyChance: stream(seed, `${name}/proxy`),
      serverChance: stream(seed, `${name}/servers`),
      emit,
      log: () => undefined,
    });
    this.#enders.push(() => agent.end());
    return agent;
  }

  /** Lets time pass until it is so, at most `withinMs`. */
  async pass(withinMs: number, isSo: () => boolean = () => false, stepMs = STEP_MS): Promise<void> {
    const endMs = this.clock.nowMs() + withinMs;
    while (!isSo() && this.clock.nowMs() < endMs) {
      await this.clock.leap(stepMs);
      for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  events(by: string, name: string) {
    return this.told.filter((one) => one.by === by && one.event === name);
  }

  async close(): Promise<void> {
    for (const end of this.#enders.splice(0).reverse()) await end();
  }

  #tell(by: string, event: string, fields: Readonly<Record<string, unknown>>): void {
    this.told.push({ ...fields, event, by, atMs: this.clock.nowMs() });
  }
}

describe('agents and servers over TLS on loopback', function () {
  this.timeout(60_000);
  let bed: LoopbackBed;
  beforeEach(() => {
    bed = new LoopbackBed();
  });
  afterEach(() => bed.close());

  const seed = seedWhere(([first, second]) => first === 'P1' && second === 'P2', ['P1', 'P2']);

  /** R behind the hole, which has P1's connections alone; the app at P1 and P2, the contact at R. */
  async function blackHoled(variant: string) {
    const hole = await bed.serveBehindHole('R');
    hole.holes.set(HOSTS.P1, PAST_THE_HANDSHAKES_BYTES);
    const [p1, p2] = [await bed.serve('P1'), await bed.serve('P2')];
    const servers = [`P1@${HOSTS.P1}:${p1}`, `P2@${HOSTS.P2}:${p2}`];
    const app = bed.agent('app', servers, { SQUALL_VARIANT: variant, SQUALL_SEED: seed });
    const never = { SQUALL_VARIANT: 'master', SQUALL_PROXY_MODE: 'never' };
    const contact = bed.agent('contact', [`R@${HOSTS.R}:${hole.port}`], never);
    const linking = app.link();
    await bed.pass(5_000, () => bed.events('app', 'link.created').length > 0);
    const { link } = await linking;
    contact.join(link, true);
    await bed.pass(5_000, () => bed.events('app', 'confirmation.received').length > 0);
    expect(bed.events('app', 'confirmation.received')).to.have.length(1);
    return { hole, app, contact, joinedMs: bed.clock.nowMs() };
  }

  const established = () => bed.events('app', 'connection.established').length > 0;

  it('leave the old agent stuck for ten minutes although its proxy connected to the relay anew', async () => {
    const { hole } = await blackHoled('master');
    await bed.pass(300_000, established);
    hole.cut(HOSTS.P1);
    await bed.pass(300_000, established);
    expect(established()).to.equal(false);
    expect(hole.connections.get(HOSTS.P1)).to.be.above(1);
    expect(bed.events('P1', 'relay.connected').length).to.be.above(1);
    const errors = new Set(bed.events('app', 'forward.failed').map(({ error }) => error));
    expect(errors).to.include('PROXY BROKER TIMEOUT');
    expect(bed.events('app', 'proxy.forgotten')).to.deep.equal([]);
  });

  it('let the new agent connect after one streak, and deliver both ways', async () => {
    const { app, contact, joinedMs } = await blackHoled('repick');
    await bed.pass(120_000, established);
    const [event] = bed.events('app', 'connection.established');
    expect((event?.atMs ?? 0) - joinedMs).to.be.within(62_000, 68_000);
    await bed.pass(5_000, () => bed.events('contact', 'connection.established').length > 0);
    const ids = [...app.send('c1', 3), ...contact.send('c1', 3)];
    const received = () => [
      ...bed.events('contact', 'message.received'),
      ...bed.events('app', 'message.received'),
    ];
    await bed.pass(20_000, () => received().length >= ids.length);
    expect(received().map(({ message }) => message)).to.deep.equal(ids);
  });

  it('give up a proxy that answers nothing after three timeouts and fifteen minutes of silence', async () => {
    const relay = await bed.serve('R');
    const hole = await bed.serveBehindHole('P1');
    const p2 = await bed.serve('P2');
    const servers = [`P1@${HOSTS.P1}:${hole.port}`, `P2@${HOSTS.P2}:${p2}`];
    const app = bed.agent('app', servers, { SQUALL_VARIANT: 'master', SQUALL_SEED: seed });
    const never = { SQUALL_VARIANT: 'master', SQUALL_PROXY_MODE: 'never' };
    const contact = bed.agent('contact', [`R@${HOSTS.R}:${relay}`], never);
    let link = '';
    void contact.link().then((made) => {
      link = made.link;
    });
    await bed.pass(5_000, () => link !== '');
    app.join(link, true);
    await bed.pass(20_000, established);
    expect(bed.events('app', 'proxy.chosen')[0]).to.include({ proxy: 'P1' });
    hole.holes.set(HOSTS.app, 0);
    const sinceMs = bed.clock.nowMs();
    const [message] = app.send('c1', 1);
    const received = () => bed.events('contact', 'message.received');
    await bed.pass(1_500_000, () => received().length > 0, 5_000);
    const lost = bed.events('app', 'server.disconnected').find(({ server }) => server === 'P1');
    expect((lost?.atMs ?? 0) - sinceMs).to.be.within(900_000, 1_260_000);
    expect(received()[0]).to.include({ message });
    expect(bed.events('app', 'proxy.chosen').at(-1)).to.include({ proxy: 'P2' });
  });

  it('know a server by its fingerprint alone, and refuse another in its place', async () => {
    const port = await bed.serve('R');
    const fingerprint = serverIdentity(RUN, 'P1').fingerprint;
    const address = formatServerAddress({ fingerprint, hosts: [HOSTS.R], port: String(port) });
    const app = bed.agent('app', [address], { SQUALL_VARIANT: 'repick', SQUALL_SEED: seed });
    let refusal: unknown;
    app.link().catch((error: unknown) => {
      refusal = error;
    });
    await bed.pass(20_000, () => refusal !== undefined);
    expect(String(refusal)).to.match(/BROKER .* NETWORK a certificate of another server/);
  });
});
