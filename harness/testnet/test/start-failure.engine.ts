import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import { startBed } from '../start-bed.ts';
import {
  freshName,
  isGone,
  memberTopology,
  rejection,
  startTestBed,
  talkerTopology,
  testEngine,
} from './test-bed.ts';

describe('a bed that cannot start', function () {
  this.timeout(120_000);
  let engine: Engine;
  before(async () => {
    engine = await testEngine();
  });
  after(() => engine.close());

  async function failure(topology: Parameters<typeof startBed>[0]['topology'], signal?: AbortSignal) {
    const bedId = freshName('tn');
    const error = await rejection(
      startBed({ engine, topology, runId: bedId, bedId, seed: 'test', ...(signal ? { signal } : {}) }),
    );
    expect(await isGone(engine, 'run', bedId), 'something is left').to.equal(true);
    return error;
  }

  it('shows the exit code and the last lines of a node that ends before it is ready', async () => {
    const topology = await talkerTopology(
      engine,
      ['say', 'reading settings', 'err:no such key'],
      '    readiness: {log: never}',
    );
    const error = await failure(topology);
    expect(error.code).to.equal('node-exited');
    expect(error.facts).to.include({ node: 'talker-1', code: 0 });
    expect(error.message)
      .to.contain('reading settings')
      .and.to.contain('no such key')
      .and.to.contain('before it was ready');
  });

  it('keeps control characters of a dying node away from the terminal', async () => {
    const topology = await talkerTopology(
      engine,
      ['say', '\u001b]0;owned\u0007\u202etxt'],
      '    readiness: {log: never}',
    );
    const error = await failure(topology);
    expect(error.message).to.contain('\\u001b]0;owned\\u0007\\u202e');
    expect(error.message).to.not.match(/[\u001b\u0007\u202e]/);
  });

  it('says what it waited for when a node is never ready', async () => {
    const topology = await talkerTopology(
      engine,
      ['wait'],
      '    readiness: {log: "up and running", timeout: 1s}',
    );
    const error = await failure(topology);
    expect(error.code).to.equal('node-not-ready');
    expect(error.message).to.contain('/up and running/').and.to.contain('its last line: waiting');
  });

  it('says what a port answered that never was as expected', async () => {
    const topology = await talkerTopology(
      engine,
      ['wait'],
      '    readiness: {http: {port: 8080, path: /healthz, status: 200}, timeout: 1500ms}',
    );
    const error = await failure(topology);
    expect(error.code).to.equal('node-not-ready');
    expect(error.message)
      .to.contain('port 8080/healthz')
      .and.to.match(/refused|ECONNREFUSED/);
  });

  it('leaves nothing when it is aborted in mid-start', async () => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 900);
    expect((await failure(memberTopology(8), controller.signal)).message).to.equal('enough');
  });

  it('leaves nothing when it is aborted at once', async () => {
    expect((await failure(memberTopology(2), AbortSignal.abort(new Error('enough')))).message).to.equal(
      'enough',
    );
  });
});

describe('a network that somebody prunes', function () {
  this.timeout(120_000);

  it('is made again, once, and the start goes on', async () => {
    const engine = await testEngine();
    let prune: Promise<void> | undefined;
    // Taken away just before the first container would be attached to it.
    const startContainer = async (id: string): Promise<void> => {
      const { name } = (await engine.inspectContainer(id)) ?? { name: '' };
      if (name.includes('-talker-')) {
        prune ??= engine.listNetworks([]).then(async (networks) => {
          const bed = networks.find((network) => network.name === name.replace(/-talker-\d+$/, ''));
          if (bed) await engine.removeNetwork(bed.id);
        });
        await prune;
      }
      await engine.startContainer(id);
    };
    const pruned = new Proxy(engine, {
      get(target, key) {
        if (key === 'startContainer') return startContainer;
        const value = Reflect.get(target, key) as unknown;
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const bed = await startTestBed(pruned, await talkerTopology(engine, ['wait'], '', 2));
    try {
      expect(prune).to.not.equal(undefined);
      expect((await bed.verifyClean()).clean).to.equal(true);
      expect((await engine.inspectContainer(bed.node('talker-2').containerId))?.running).to.equal(true);
    } finally {
      await bed.remove();
      engine.close();
    }
  });
});
