import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { FakeEngine, type FakeEngineOptions, type FakeProcess } from '../../engine/index.ts';
import { imageHash, imageTag, readImages, requireImage } from '../../image/index.ts';
import type { RecordedEvent } from '../../record/index.ts';
import { addressNodes, resolveTopologyText } from '../../topology/index.ts';
import { keptFolder } from '../carried-files.ts';
import { EventLog } from '../event-log.ts';
import { followNode } from '../follow-node.ts';
import { LiveNode } from '../live-node.ts';
import { restartNodeAs, restartPlan } from '../restart-as.ts';
import { memberTopology, rejection } from './test-bed.ts';

describe('a node that starts again as something else', () => {
  const images = readImages();
  const [plan] = addressNodes(memberTopology(2, 'shipped'), (slash24, host) => `198.18.${slash24}.${host}`);
  if (!plan) throw new Error('no node');

  it('has every setting of the variant, and the rest of its environment as it was', () => {
    const both = restartPlan(plan, { variant: 'both' }, images);
    expect(both.environment).to.include({
      SQUALL_VARIANT: 'both',
      SQUALL_GRACE: 'true',
      SQUALL_HEALTH_AT_FIRING: 'true',
    });
    expect(both.environment['SQUALL_JOIN']).to.equal(plan.environment['SQUALL_JOIN']);
    expect(both.image).to.include({ name: 'memberlist-node', variant: 'both' });
  });

  it('loses what another variant had set', () => {
    const both = restartPlan(plan, { variant: 'both' }, images);
    const grace = restartPlan(both, { variant: 'grace' }, images);
    expect(grace.environment).to.include({ SQUALL_GRACE: 'true', SQUALL_HEALTH_AT_FIRING: 'false' });
  });

  it('may be a mutant, or another image altogether', () => {
    const mutant = restartPlan(plan, { variant: 'health-at-firing-timer-only' }, images);
    expect(mutant.environment).to.include({ SQUALL_HEALTH_AT_FIRING_PATH: 'timer' });
    expect(restartPlan(plan, { image: 'busybox:1.36' }, images).image).to.deep.equal({
      kind: 'reference',
      reference: 'busybox:1.36',
    });
    expect(restartPlan(plan, { image: 'memberlist-node@grace' }, images).environment).to.include({
      SQUALL_GRACE: 'true',
    });
  });

  it('is what the topology says when nothing else is asked for', () => {
    expect(restartPlan(plan, {}, images)).to.equal(plan);
  });

  it('cannot be a variant that there is not', () => {
    expect(() => restartPlan(plan, { variant: 'booth' }, images)).to.throw(
      /has none such; expected one of shipped/,
    );
    expect(() => restartPlan(plan, { image: 'busybox:1.36', variant: 'both' }, images)).to.throw(
      /foreign image/,
    );
  });
});

const APP = `
name: app
description: one foreign node
nodes:
  - {role: app, image: 'app:1', readiness: {log: ready, timeout: 60s}}
`;

/** A node of a foreign image on an engine in memory, followed, and what starts it as something else. */
async function foreignNode(
  programs: NonNullable<FakeEngineOptions['programs']>,
  enroll: (node: LiveNode, engine: FakeEngine) => Promise<void> = async () => undefined,
  { text = APP, images = [] as ReturnType<typeof readImages> } = {},
) {
  const engine = new FakeEngine({ programs });
  const networkId = await engine.createNetwork({
    name: 'bed',
    subnet: '198.18.0.0/20',
    gateway: '198.18.0.1',
    labels: {},
  });
  const topology = resolveTopologyText(text, 'app.yaml', {}, { images });
  const [plan] = addressNodes(topology, (slash24, host) => `198.18.${slash24}.${host}`);
  if (!plan) throw new Error('no node');
  const events = new EventLog('nowhere');
  const heard: RecordedEvent[] = [];
  const node = new LiveNode({
    plan,
    image: { reference: 'app:1', imageId: '' },
    onEvent: (event) => {
      heard.push(event);
      events.append(event);
    },
    onLine: () => undefined,
  });
  const end = new AbortController();
  const become = (as: Parameters<typeof restartNodeAs>[1]) =>
    restartNodeAs(node, as, {
      engine,
      bedId: 'bed',
      labels: {},
      networkOf: () => networkId,
      enroll: (of) => enroll(of, engine),
      loopback: async () => 0,
      signal: end.signal,
    });
  node.expectExit('a fault of ours');
  const following = followNode(engine, node, events, end.signal);
  await become({});
  return {
    engine,
    node,
    events: heard,
    become,
    async stop() {
      end.abort(new Error('enough'));
      await engine.removeContainer(node.containerId);
      await following;
    },
  };
}

describe('a node that cannot become what it should', () => {
  const serving = async ({ stdout, nextSignal }: FakeProcess): Promise<number> => {
    stdout('ready');
    await nextSignal();
    return 0;
  };

  it('becomes what it was again when the engine had refused to start it', async () => {
    const { engine, node, become, stop } = await foreignNode({ 'app:1': serving, 'app:2': serving });
    const start = engine.startContainer.bind(engine);
    engine.startContainer = async () => {
      throw new Error('exec format error');
    };
    expect((await rejection(become({ image: 'app:2' }))).message).to.equal('exec format error');
    engine.startContainer = start;
    await become({});
    expect(node.describe()).to.include({ image: 'app:1' });
    expect(await engine.listContainers([])).to.have.length(1);
    await stop();
  });

  it('says with which code it ended, at once, though a fault expects the end of what it was', async () => {
    const failing = async ({ stderr }: FakeProcess): Promise<number> => {
      stderr('no such key');
      return 5;
    };
    const { node, become, stop } = await foreignNode({ 'app:1': serving, 'app:2': failing });
    const error = await rejection(become({ image: 'app:2' }));
    expect(error.message).to.match(/node app-1: ended with code 5 \(as a fault of ours had started it\)/);
    expect(error.message).to.contain('no such key');
    await become({});
    expect(node.exit).to.equal(undefined);
    await stop();
  });

  it('says how it ended, and not that it could not be entered, when it ends while the agent enters it', async () => {
    let enter = (): void => undefined;
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
    });
    const brief = async (): Promise<number> => {
      await entered;
      return 7;
    };
    const { become, stop } = await foreignNode(
      { 'app:1': serving, 'app:2': brief },
      async ({ image, containerId }, engine) => {
        if (image.reference === 'app:1') return;
        enter();
        while ((await engine.inspectContainer(containerId))?.running) await setImmediate();
        throw new Error('packet agent: refused "enroll"');
      },
    );
    const error = await rejection(become({ image: 'app:2' }));
    expect(error.message).to.match(/node app-1: ended with code 7/);
    await become({});
    await stop();
  });
});

describe('a node whose image says which files it keeps', () => {
  const images = readImages();
  const nodeOf = (more = '') => `
name: store
nodes:
  - {role: holder, image: 'ant-node:0.22.0'${more}, readiness: {event: ready, timeout: 60s}}
`;
  /** The tag by which an engine has a version of the real node. */
  const tagOf = async (version: string): Promise<string> => {
    const image = requireImage('ant-node');
    if (image.build.kind !== 'cargo') throw new Error('it is a crate');
    return imageTag('ant-node', await imageHash({ ...image, build: { ...image.build, version } }));
  };
  /** Says what it found, leaves its own word, and takes a moment to end, as what writes its last files does. */
  const version =
    (name: string) =>
    async ({ stdout, files, nextSignal }: FakeProcess): Promise<number> => {
      stdout(JSON.stringify({ event: 'found', files: [...files].map(([path, text]) => `${path}: ${text}`) }));
      files.set(`/data/${name}`, 'begun');
      files.set('/tmp/pid', name);
      stdout(JSON.stringify({ event: 'ready' }));
      await nextSignal();
      files.set(`/data/${name}`, 'ended by itself');
      return 0;
    };

  async function versions(more = '') {
    const [old, next] = [await tagOf('0.22.0'), await tagOf('0.23.1')];
    const bed = await foreignNode({ [old]: version('old'), [next]: version('next') }, undefined, {
      text: nodeOf(more),
      images,
    });
    const found = () =>
      bed.events.filter(({ event }) => event === 'found').map(({ fields }) => fields['files']);
    return { ...bed, found };
  }

  it('finds them as another version, as the process before had left them, and nothing else; and again on its way back', async () => {
    const { become, found, node, engine, stop } = await versions();
    await become({ image: 'ant-node:0.23.1' });
    expect(node.describe()).to.include({ image: 'ant-node:0.23.1' });
    await become({});
    expect(found()).to.deep.equal([
      [],
      ['/data/old: ended by itself'],
      ['/data/old: ended by itself', '/data/next: ended by itself'],
    ]);
    expect(await engine.listContainers([])).to.have.length(1);
    await stop();
  });

  it('leaves no container that began without them, when they cannot be laid into the next one', async () => {
    const { become, found, engine, stop } = await versions();
    engine.writeFiles = async () => {
      throw new Error('no space left on device');
    };
    expect((await rejection(become({ image: 'ant-node:0.23.1' }))).message).to.contain('no space left');
    expect(found()).to.have.length(1);
    expect(await engine.listContainers([])).to.deep.equal([]);
    await stop();
  });

  it('keeps none as another image, on a disk that goes with its container, or when its image says nothing', () => {
    const folder = (text: string, as: Parameters<typeof restartPlan>[1]) => {
      const [plan] = addressNodes(resolveTopologyText(text, 't.yaml', {}, { images }), () => '198.18.0.2');
      if (!plan) throw new Error('no node');
      return keptFolder(plan, restartPlan(plan, as, images), images);
    };
    expect(folder(nodeOf(), { image: 'ant-node:0.23.1' })).to.equal('/data');
    expect(folder(nodeOf(', settings: {rootDir: /store}'), {})).to.equal('/store');
    expect(folder(nodeOf(), { image: 'busybox:1.36' })).to.equal(undefined);
    expect(folder(nodeOf(), { image: 'fetch-node@share' })).to.equal(undefined);
    const onTmpfs = ', resources: {tmpfs: 64MiB}';
    expect(folder(nodeOf(onTmpfs), {})).to.equal(undefined);
    expect(folder(nodeOf(`${onTmpfs}, settings: {rootDir: /store}`), {})).to.equal('/store');
    expect(folder(nodeOf().replace('ant-node:0.22.0', 'fetch-node@share'), {})).to.equal(undefined);
  });
});
