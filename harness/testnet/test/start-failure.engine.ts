import { expect } from 'chai';
import type { Engine, EngineEvent } from '../../engine/index.ts';
import { readImages } from '../../image/index.ts';
import { type ResolvedTopology, resolveTopologyText } from '../../topology/index.ts';
import { startBed } from '../start-bed.ts';
import { LABEL } from '../types.ts';
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

/** How long a node that ended may go unnamed, whatever else the bed is at. */
const NAMED_WITHIN_MS = 2_000;
/** As long as the others would be waited for. */
const READINESS_MS = 60_000;

describe('a node that ends while others are waited for', function () {
  this.timeout(120_000);
  let engine: Engine;
  before(async () => {
    engine = await testEngine();
  });
  after(() => engine.close());

  /** Nodes that say two things and end with code 7, among four that never become ready. */
  async function raceTopology(dying: number): Promise<ResolvedTopology> {
    const [talker] = (await talkerTopology(engine, ['wait'])).nodes;
    const image = JSON.stringify(talker?.image.kind === 'reference' ? talker.image.reference : '');
    const common = `image: ${image}, readiness: {log: never, timeout: ${READINESS_MS}ms}`;
    const text = `
name: test-race
description: some end, the others are never ready
nodes:
  - {role: waiting, count: 4, command: [wait], ${common}}
  - {role: dying, count: ${dying}, command: [echo], ${common}}
`;
    return resolveTopologyText(text, 'test.yaml', {}, { images: readImages() });
  }

  for (const dying of [1, 2]) {
    const which = dying === 1 ? 'alone' : 'with another at once';
    it(`is named with its exit code and last lines within 2 s of its end, ${which}; the others hold nothing up`, async () => {
      const bedId = freshName('tn');
      const topology = await raceTopology(dying);
      const enough = new AbortController();
      const ends: EngineEvent[] = [];
      const listening = engine
        .events([`${LABEL.run}=${bedId}`], (event) => void ends.push(event), enough.signal)
        .catch((error: unknown) => {
          if (!enough.signal.aborted) throw error;
        });
      const told: { readonly text: string; readonly atMs: number }[] = [];
      const beganMs = performance.now();
      const error = await rejection(
        startBed({
          engine,
          topology,
          runId: bedId,
          bedId,
          seed: 'test',
          onProgress: ({ stage, text }) => {
            if (stage === 'failed') told.push({ text, atMs: Date.now() });
          },
        }),
      );
      const tookMs = performance.now() - beganMs;
      enough.abort(new Error('enough'));
      await listening;
      expect(await isGone(engine, 'run', bedId), 'something is left').to.equal(true);

      expect(error.code).to.equal('node-exited');
      expect(error.facts?.['code']).to.equal(7);
      expect(error.facts?.['node']).to.match(/^dying-[12]$/);
      expect(told).to.have.length(1);
      for (const text of [error.message, told[0]?.text]) {
        expect(text).to.contain('ended with code 7').and.to.contain('end of input').and.to.contain('goodbye');
      }
      const died = ends.filter(
        ({ action, labels }) => action === 'die' && labels[LABEL.node] === error.facts?.['node'],
      );
      expect(died).to.have.length(1);
      const afterMs = (told[0]?.atMs ?? 0) - (died[0]?.timeNano ?? 0) / 1e6;
      console.log(
        `      named ${afterMs.toFixed(0)} ms after its end; everything removed ${(tookMs / 1_000).toFixed(1)} s after the start`,
      );
      expect(afterMs).to.be.below(NAMED_WITHIN_MS);
      expect(tookMs, 'the others were waited for').to.be.below(READINESS_MS);
    });
  }
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
