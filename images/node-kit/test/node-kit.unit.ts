import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type BundledNode, bundled } from './start-bundled.ts';

describe('a node of the kit', function () {
  this.timeout(30_000);

  let program: Awaited<ReturnType<typeof bundled>>;
  const base = { SQUALL_NODE_NAME: 'small-1', SQUALL_ROLE: 'small', SQUALL_SEED: '7' };
  const start = (more: Readonly<Record<string, string>> = {}): Promise<BundledNode> =>
    program.start({ ...base, ...more });

  before(async () => {
    program = await bundled(fileURLToPath(new URL('.', import.meta.url)), 'small-node.ts');
  });
  afterEach(async () => program.stopNodes());
  after(() => program.remove());

  it('says ready with its name, and is healthy then', async () => {
    const node = await start({ SQUALL_VARIANT: 'sticky' });
    expect(await node.event('ready')).to.include({
      seq: 1,
      name: 'small-1',
      role: 'small',
      variant: 'sticky',
      epoch: 0,
    });
    expect(await node.admin('GET', '/healthz')).to.deep.equal({ status: 200, body: { ok: true, epoch: 0 } });
    expect(node.errors).to.include('free text <b>for people</b>');
  });

  it('tells time by the clock that the host and all its containers share', async () => {
    const before = Number(process.hrtime.bigint());
    const node = await start();
    const { monoNs } = await node.event('ready');
    expect(monoNs).to.be.within(before, Number(process.hrtime.bigint()));
  });

  it('takes its settings from the environment over the variant over the defaults', async () => {
    const node = await start({ SQUALL_VARIANT: 'sticky', SQUALL_SLOTS: '9', SQUALL_PEERS: 'a, b,' });
    await node.event('ready');
    const { body } = await node.admin('GET', '/state');
    expect(body['settings']).to.include({ slots: 9, sticky: true, mode: 'plain', peers: 'a, b,', warp: 1 });
    expect(body).to.include({ name: 'small-1', epoch: 0, lives: 1 });
  });

  it('tells everything that is wrong with its settings at once, and exits with 3', async () => {
    const node = await start({
      SQUALL_SLOTS: '0',
      SQUALL_MODE: 'odd',
      SQUALL_STICKY: 'perhaps',
      SQUALL_VARIANT: 'stiky',
      SQUALL_BEAT_MS: 'soon',
      SQUALL_WARP: '0',
    });
    expect(await node.exit).to.equal(3);
    expect(node.errors).to.deep.equal([
      'SQUALL_VARIANT="stiky": expected one of shipped, sticky',
      'SQUALL_WARP="0": expected a number from 0.01 to 100',
      'SQUALL_BEAT_MS="soon": expected a number in ms from 1',
      'SQUALL_MODE="odd": expected one of plain, fails, throws',
      'SQUALL_SLOTS="0": expected a whole number from 1',
      'SQUALL_STICKY="perhaps": expected true or false',
    ]);
    expect(node.lines).to.deep.equal([]);
  });

  it('lives anew after a reset, in the same process, with other settings and a seq without a gap', async () => {
    const node = await start({ SQUALL_BEAT_MS: '20' });
    const first = await node.event('ready');
    await node.event('beat');
    expect(
      await node.admin('POST', '/reset', { env: { SQUALL_SLOTS: '5', SQUALL_BEAT_MS: '60000' } }),
    ).to.deep.equal({ status: 200, body: { epoch: 1 } });
    const second = await node.until((line) => line.event === 'ready' && line['epoch'] === 1);
    expect(second['pid']).to.equal(first['pid']);
    const { body } = await node.admin('GET', '/state');
    // A module's own variables are new as well, so nothing of the life before is left.
    expect(body).to.include({ epoch: 1, lives: 1 });
    expect(body['settings']).to.include({ slots: 5 });
    expect(node.lines.map((line) => line.seq)).to.deep.equal(node.lines.map((_, index) => index + 1));
    const names = node.lines.map((line) => line.event).filter((event) => event !== 'beat');
    expect(names).to.deep.equal(['ready', 'goodbye', 'resetting', 'ready']);
  });

  it('forgets the overrides of one reset at the next', async () => {
    const node = await start();
    await node.event('ready');
    await node.admin('POST', '/reset', { env: { SQUALL_SLOTS: '5' } });
    await node.until((line) => line.event === 'ready' && line['epoch'] === 1);
    await node.admin('POST', '/reset');
    await node.until((line) => line.event === 'ready' && line['epoch'] === 2);
    expect((await node.admin('GET', '/state')).body['settings']).to.include({ slots: 3 });
  });

  it('refuses a reset with bad settings and lives on', async () => {
    const node = await start();
    await node.event('ready');
    for (const env of [{ SQUALL_SLOTS: '0' }, { PATH: '/x' }, { SQUALL_SLOTS: 5 }]) {
      expect((await node.admin('POST', '/reset', { env })).status).to.equal(400);
    }
    expect((await node.admin('GET', '/state')).body).to.include({ epoch: 0 });
  });

  it('leaps: what is due fires in order, and the event says how much', async () => {
    const node = await start();
    await node.event('ready');
    const { body } = await node.admin('POST', '/clock', { leapMs: 180_500 });
    expect(body).to.include({ fired: 3 });
    await node.event('clock.leapt');
    const [first = 0, ...later] = node.lines
      .filter((line) => line.event === 'beat')
      .map((line) => line['nowMs'] as number);
    expect(later.map((nowMs) => Math.round(nowMs - first))).to.deep.equal([60_000, 120_000]);
    expect((await node.admin('POST', '/clock', { leapMs: -1 })).status).to.equal(400);
  });

  it('beats four times as often at warp 4', async () => {
    const node = await start({ SQUALL_WARP: '4', SQUALL_BEAT_MS: '400' });
    await node.event('beat');
    const beats = node.lines.length;
    await node.until((line) => line.event === 'beat', beats + 4);
    const [first, last] = [node.lines.find((line) => line.event === 'beat'), node.lines.at(-1)];
    const realMs = ((last?.monoNs ?? 0) - (first?.monoNs ?? 0)) / 1e6;
    const nodeMs = (last?.['nowMs'] as number) - (first?.['nowMs'] as number);
    expect(nodeMs / realMs).to.be.closeTo(4, 0.4);
  });

  it('ends at SIGTERM with last words and nothing lost', async () => {
    const node = await start();
    await node.event('ready');
    await node.admin('POST', '/flood', { count: 5_000 });
    node.signal('SIGTERM');
    expect(await node.exit).to.equal(0);
    expect(node.lines.slice(-2).map((line) => line.event)).to.deep.equal(['goodbye', 'stopped']);
    expect(node.lines).to.have.length(5_003);
  });

  it('ends at SIGTERM, and can be reset, even when its event loop never comes back', async () => {
    const node = await start();
    await node.event('ready');
    const spinning = node.admin('POST', '/spin').catch(() => undefined);
    await node.admin('POST', '/reset');
    await node.until((line) => line.event === 'ready' && line['epoch'] === 1);
    expect(await spinning).to.deep.equal({ status: 503, body: { error: 'the node ended' } });
    void node.admin('POST', '/spin').catch(() => undefined);
    node.signal('SIGTERM');
    expect(await node.exit).to.equal(0);
    expect(node.lines.at(-1)?.event).to.equal('stopped');
  });

  it('ends with 1 and says why when it fails, at the start or later', async () => {
    const unable = await start({ SQUALL_MODE: 'fails' });
    expect(await unable.exit).to.equal(1);
    expect(unable.lines.map(({ event, reason }) => [event, reason])).to.deep.equal([
      ['failed', 'Error: refuses to start'],
    ]);
    const breaking = await start({ SQUALL_MODE: 'throws', SQUALL_BEAT_MS: '30' });
    expect(await breaking.exit).to.equal(1);
    expect(breaking.lines.at(-1)).to.include({ event: 'failed', reason: 'Error: broke while it ran' });
  });

  it('writes 20,000 lines in one go without a loss', async () => {
    const node = await start();
    await node.event('ready');
    await node.admin('POST', '/flood', { count: 20_000 });
    await node.until((line) => line.seq === 20_001);
    const floods = node.lines.filter((line) => line.event === 'flooded');
    expect(floods.map((line) => line['index'])).to.deep.equal(
      Array.from({ length: 20_000 }, (_, index) => index),
    );
  });

  it('keeps lines within 16 KiB and its own names to itself, whatever it is told to say', async () => {
    const node = await start();
    await node.event('ready');
    await node.admin('POST', '/shout', { text: 'y'.repeat(40_000), kept: 1 });
    await node.admin('POST', '/shout', { many: new Array(20_000).fill('z') });
    await node.admin('POST', '/shout', { event: 'forged', seq: -1, monoNs: 0, note: 'a\nb' });
    const [text, many, forged] = await node.until((line) => line.seq === 4).then(() => node.lines.slice(1));
    expect(text).to.deep.include({ event: 'shouted', cut: true, kept: 1 });
    expect(text?.['text']).to.equal('y'.repeat(256));
    expect(many).to.deep.include({ event: 'shouted', cut: true }).and.not.have.property('many');
    expect(forged).to.include({ event: 'shouted', seq: 4, note: 'a\nb' });
  });

  it('answers 404, 400 and 501 where they belong', async () => {
    const node = await start();
    await node.event('ready');
    expect((await node.admin('GET', '/nothing')).status).to.equal(404);
    expect((await node.admin('POST', '/storm', {})).status).to.equal(501);
    const broken = await fetch(`http://127.0.0.1:${node.adminPort}/clock`, { method: 'POST', body: '{' });
    expect(broken.status).to.equal(400);
  });

  it('has the same chance in each repetition and another for another name', async () => {
    const chanceOf = async (more: Readonly<Record<string, string>>): Promise<unknown> => {
      const node = await start(more);
      await node.event('ready');
      return (await node.admin('GET', '/state')).body['firstChance'];
    };
    const first = await chanceOf({});
    expect(await chanceOf({})).to.equal(first);
    expect(await chanceOf({ SQUALL_NODE_NAME: 'small-2' })).not.to.equal(first);
  });
});
