import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { systemClock } from '../../../harness/clock/index.ts';
import { readImages } from '../../../harness/image/index.ts';
import { addressNodes, resolveTopology } from '../../../harness/topology/index.ts';
import { readSettings } from '../../node-kit/settings.ts';
import { type BundledNode, bundled } from '../../node-kit/test/start-bundled.ts';
import { formatServerAddress, serverIdentity } from '../../smp-kit/index.ts';
import serverImage from '../../smp-server/image.json' with { type: 'json' };
import { readRules } from '../../smp-server/server-options.ts';
import { type SmpServer, startSmpServer } from '../../smp-server/start-server.ts';

const HOST = '127.0.5.1';
const TOPOLOGIES = new URL('../../../topologies/', import.meta.url);

describe('the agent as a node', function () {
  this.timeout(60_000);
  let program: Awaited<ReturnType<typeof bundled>>;
  let relay: SmpServer;
  let proxy: SmpServer;
  const folder = mkdtempSync(join(tmpdir(), 'squall-agent-'));

  before(async () => {
    program = await bundled(fileURLToPath(new URL('..', import.meta.url)), 'main.ts');
    [relay, proxy] = await Promise.all([serve('relay-1'), serve('proxy-1')]);
  });
  afterEach(() => program.stopNodes());
  after(async () => {
    program.remove();
    rmSync(folder, { recursive: true });
    await Promise.all([relay.close(), proxy.close()]);
  });

  const serve = (name: string) =>
    startSmpServer({
      identity: serverIdentity('7', name),
      host: HOST,
      port: 0,
      rules: readRules(readSettings(serverImage, {}).settings),
      clock: systemClock(),
      emit: () => undefined,
    });
  const start = (name: string, more: Readonly<Record<string, string>>): Promise<BundledNode> =>
    program.start({
      SQUALL_NODE_NAME: name,
      SQUALL_ROLE: 'app',
      SQUALL_BIND: '127.0.5.2',
      SQUALL_SEED: '7',
      SQUALL_VARIANT: 'repick',
      ...more,
    });
  const startApp = (more: Readonly<Record<string, string>> = {}) =>
    start('app-1', { SQUALL_SERVERS: `proxy-1@${HOST}:${proxy.port}`, ...more });
  const startContact = () =>
    start('contact-1', { SQUALL_SERVERS: `relay-1@${HOST}:${relay.port}`, SQUALL_PROXY_MODE: 'never' });

  const message = async (by: BundledNode): Promise<unknown> => {
    const { body } = await by.admin('POST', '/send', { connection: 'c1', count: 1 });
    return (body['messages'] as string[])[0];
  };

  it('links, joins, sends and restarts as its admin port says, and keeps its connections until a reset', async () => {
    const stored = { SQUALL_STORE_PATH: join(folder, 'app') };
    const [app, contact] = await Promise.all([startApp(stored), startContact()]);
    await Promise.all([app.event('ready'), contact.event('ready')]);
    const { body: made } = await contact.admin('POST', '/link', {});
    await app.admin('POST', '/join', { link: made['link'], interactive: true });
    await Promise.all([app.event('connection.established'), contact.event('connection.established')]);
    expect(app.lines.find(({ event }) => event === 'proxy.chosen')).to.include({
      destination: 'relay-1',
      proxy: 'proxy-1',
      of: 1,
      previous: null,
    });
    const arrives = (id: unknown) =>
      contact.until((line) => line.event === 'message.received' && line['message'] === id);

    const first = await message(app);
    await arrives(first);
    await app.until((line) => line.event === 'operation.ok' && line['operation'] === 'app-1#1');
    const { body: state } = await app.admin('GET', '/state');
    expect(state).to.deep.include({ outbox: 0, stuck: [], exposed: { 'relay-1': 1 }, proxies: ['proxy-1'] });
    await app.admin('POST', '/restart', {});
    const second = await message(app);
    await arrives(second);

    app.signal('SIGTERM');
    await app.exit;
    const again = await startApp(stored);
    await again.event('ready');
    const third = await message(again);
    await arrives(third);
    expect([first, second, third]).to.deep.equal(['app-1/c1/1', 'app-1.1/c1/1', 'app-1.2/c1/1']);
    await again.admin('POST', '/reset');
    await again.until((line) => line.event === 'ready' && line['epoch'] === 1);
    expect((await again.admin('GET', '/state')).body['connections']).to.deep.equal([]);
  });

  /** What a topology sets in the environment of a node, without what it says of the bed. */
  function settingsIn(topology: string, node: string): Record<string, string> {
    const path = fileURLToPath(new URL(topology, TOPOLOGIES));
    const resolved = resolveTopology(path, {}, { images: readImages() });
    const found = addressNodes(resolved, (slash24, host) => `198.18.${slash24}.${host}`).find(
      ({ name }) => name === node,
    );
    if (!found) throw new Error(`${topology} has no ${node}`);
    const names = ['SQUALL_SERVERS', 'SQUALL_PROXIES', 'SQUALL_PROXY_MODE', 'SQUALL_VARIANT'];
    return Object.fromEntries(
      Object.entries(found.environment).filter(([variable]) => names.includes(variable)),
    );
  }

  it('starts as the topologies with a real server have it, and works once it is told the server’s address', async () => {
    const settings = [
      settingsIn('smp-foreign-proxy.yaml', 'app-1'),
      settingsIn('smp-foreign-relay.yaml', 'contact-1'),
    ];
    expect(settings.map((one) => one['SQUALL_SERVERS'])).to.deep.equal(['', '']);
    const [app, contact] = await Promise.all([
      start('app-1', settings[0] ?? {}),
      start('contact-1', settings[1] ?? {}),
    ]);
    await Promise.all([app.event('ready'), contact.event('ready')]);
    for (const node of [app, contact]) expect((await node.admin('POST', '/link', {})).status).to.equal(400);
    const real = (name: string, { port }: SmpServer) =>
      formatServerAddress({
        fingerprint: serverIdentity('7', name).fingerprint,
        hosts: [HOST],
        port: String(port),
      });
    await app.admin('POST', '/servers', { servers: [real('proxy-1', proxy)] });
    await contact.admin('POST', '/servers', { servers: [real('relay-1', relay)] });
    const { body: made } = await contact.admin('POST', '/link', {});
    await app.admin('POST', '/join', { link: made['link'], interactive: true });
    await Promise.all([app.event('connection.established'), contact.event('connection.established')]);
    expect(app.lines.find(({ event }) => event === 'proxy.chosen')).to.include({
      proxy: real('proxy-1', proxy),
    });
  });
});
