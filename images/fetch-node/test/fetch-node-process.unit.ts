import { expect } from 'chai';
import { bundled } from '../../node-kit/test/start-bundled.ts';
import { chunkContent, keyOf } from '../index.ts';

const SET = { seed: '7', chunkBytes: 256, sizeRatio: 0 };

describe('a fetch node as a process', function () {
  this.timeout(30_000);
  let image: Awaited<ReturnType<typeof bundled>>;
  before(async () => {
    image = await bundled(new URL('..', import.meta.url).pathname, 'main.ts');
  });
  afterEach(() => image.stopNodes());
  after(() => image.remove());

  const address = { holder: '127.0.7.101', joiner: '127.0.7.102' };
  /** Below the ports that the kernel hands out; the addresses are this test's own. */
  const port = 20_000 + (process.pid % 10_000);
  const start = (
    role: 'holder' | 'joiner',
    variant: string,
    settings: Readonly<Record<string, string>> = {},
  ) =>
    image.start({
      SQUALL_NODE_NAME: `${role}-1`,
      SQUALL_ROLE: role,
      SQUALL_BIND: address[role],
      SQUALL_VARIANT: variant,
      SQUALL_SEED: SET.seed,
      SQUALL_PORT: String(port),
      SQUALL_PEERS: `holder-1@${address.holder},joiner-1@${address.joiner}`,
      SQUALL_INCUMBENTS: 'holder-1',
      SQUALL_CHUNK_COUNT: '5',
      SQUALL_CHUNK_BYTES: String(SET.chunkBytes),
      SQUALL_WARP: '20',
      ...settings,
    });

  it('joins, drains, says what it holds, and ends with its summary', async () => {
    const holder = await start('holder', 'share+busy');
    await holder.event('ready');
    const joiner = await start('joiner', 'share+busy');
    const drained = await joiner.event('bootstrap.drained');
    expect(drained).to.include({ joiner: 'joiner-1', chunks: 5, bytes: 1_280 });
    const keys = Array.from({ length: 5 }, (_, index) => keyOf(chunkContent(SET, index))).sort();
    expect((await joiner.admin('POST', '/keys', {})).body).to.deep.equal({ keys, of: 5 });
    const [one, other] = [await holder.admin('GET', '/state'), await joiner.admin('GET', '/state')];
    expect(one.body['stored']).to.deep.equal(other.body['stored']);
    expect(other.body).to.include({ version: 'share+busy' });
    joiner.signal('SIGTERM');
    expect(await joiner.exit).to.equal(0);
    expect(await holder.event('peer.departed')).to.include({ peer: 'joiner-1', reason: 'said good-bye' });
    expect(joiner.lines.filter(({ event }) => event === 'dispatch.summary').length).to.be.greaterThan(0);
    expect(joiner.lines.at(-1)).to.include({ event: 'stopped' });
  });

  it('is reset to begin anew, and stops in time although its gate holds requests', async () => {
    const holder = await start('holder', 'share', { SQUALL_GATE: 'closed' });
    await holder.event('ready');
    const joiner = await start('joiner', 'share', {
      SQUALL_JOIN: 'asked',
      SQUALL_FETCH_TIMEOUT_MS: '4000',
    });
    await joiner.event('ready');
    expect((await joiner.admin('POST', '/join')).status).to.equal(200);
    await joiner.event('source.silent');
    const { body } = await holder.admin('GET', '/state');
    expect(body['responder']).to.include({ gate: 'closed', slotsInUse: 2 });
    expect((await joiner.admin('POST', '/gate', { open: 'yes' })).status).to.equal(400);
    const since = joiner.lines.length;
    await joiner.admin('POST', '/reset');
    await joiner.event('ready', since);
    expect((await joiner.admin('GET', '/state')).body['outcomes']).to.include({ timeout: 0 });
    holder.signal('SIGTERM');
    expect(await holder.exit).to.equal(0);
    expect(holder.lines.map(({ event }) => event).slice(-3)).to.deep.equal([
      'dispatch.summary',
      'node.ended',
      'stopped',
    ]);
  });
});
