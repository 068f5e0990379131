import { expect } from 'chai';
import { FakeEngine } from '../../engine/index.ts';
import { ensureImage } from '../ensure-image.ts';
import { listImages, pruneImages } from '../list-images.ts';
import { ScratchImages } from './scratch-images.ts';

/** An engine whose registry has what it is told to have. */
class EngineWithRegistry extends FakeEngine {
  readonly asked: string[] = [];
  readonly has: readonly string[];
  constructor(...has: readonly string[]) {
    super();
    this.has = has;
  }
  override async whyNotPullable(reference: string): Promise<string | undefined> {
    this.asked.push(reference);
    return this.has.includes(reference) ? undefined : 'nobody answers';
  }
  override async pullImage(reference: string): Promise<void> {
    if (!this.has.includes(reference)) return super.pullImage(reference);
    this.addImage(reference);
  }
}

const builds = (engine: FakeEngine): number =>
  engine.calls.filter((call) => call.startsWith('buildImage')).length;

describe('making sure of an image', () => {
  const ours = (name: string) => ({ kind: 'ours', name }) as const;

  it('builds it the first time, and finds it the second', async () => {
    using images = new ScratchImages();
    images.add('x');
    const engine = new FakeEngine();
    const first = await ensureImage(engine, ours('x'), images.options);
    expect(first.outcome).to.equal('built');
    expect(first.reference).to.match(/^squall\/x:[0-9a-f]{12}$/);
    expect(await ensureImage(engine, ours('x'), images.options)).to.deep.equal({
      ...first,
      outcome: 'cached',
    });
    expect(builds(engine)).to.equal(1);
  });

  it('builds it again when its content has changed, and not when its tests or prose have', async () => {
    using images = new ScratchImages();
    images.add('x');
    const engine = new FakeEngine();
    const first = await ensureImage(engine, ours('x'), images.options);
    images.write('x/image.json', { name: 'x', description: 'other words', build: { kind: 'dockerfile' } });
    expect((await ensureImage(engine, ours('x'), images.options)).outcome).to.equal('cached');
    images.write('x/a.txt', 'b');
    const second = await ensureImage(engine, ours('x'), images.options);
    expect(second.outcome).to.equal('built');
    expect(second.reference).to.not.equal(first.reference);
  });

  it('finds it by its label when somebody took its tag away', async () => {
    using images = new ScratchImages();
    images.add('x');
    const engine = new FakeEngine();
    const first = await ensureImage(engine, ours('x'), images.options);
    await engine.tagImage(first.imageId, 'other:1');
    await engine.removeImage(first.reference);
    expect(await ensureImage(engine, ours('x'), images.options)).to.deep.equal({
      ...first,
      outcome: 'cached',
    });
  });

  it('builds it once for many who want it at the same time', async () => {
    using images = new ScratchImages();
    images.add('x');
    const engine = new FakeEngine();
    const all = await Promise.all(
      Array.from({ length: 5 }, () => ensureImage(engine, ours('x'), images.options)),
    );
    expect(builds(engine)).to.equal(1);
    expect(all.map((one) => one.outcome).sort()).to.deep.equal([
      'built',
      'cached',
      'cached',
      'cached',
      'cached',
    ]);
  });

  it('pulls what a registry has, under our tag, and asks a silent registry once', async () => {
    using images = new ScratchImages();
    images.add('x', { pull: 'lab.example/x:1' });
    images.add('y', { pull: 'mute.example/y:1' });
    images.add('z', { pull: 'mute.example/z:1' });
    const engine = new EngineWithRegistry('lab.example/x:1');
    expect((await ensureImage(engine, ours('x'), images.options)).outcome).to.equal('pulled');
    expect((await ensureImage(engine, ours('x'), images.options)).outcome).to.equal('cached');
    expect((await ensureImage(engine, ours('y'), images.options)).outcome).to.equal('built');
    expect((await ensureImage(engine, ours('z'), images.options)).outcome).to.equal('built');
    expect(engine.asked).to.deep.equal(['lab.example/x:1', 'mute.example/y:1']);
  });

  it('takes a foreign reference as it is: present, pulled or refused', async () => {
    const engine = new EngineWithRegistry('app:1');
    const wanted = { kind: 'reference', reference: 'app:1' } as const;
    expect((await ensureImage(engine, wanted)).outcome).to.equal('pulled');
    expect((await ensureImage(engine, wanted)).outcome).to.equal('cached');
    const outcome = await ensureImage(engine, { kind: 'reference', reference: 'gone:1' }).catch(
      (error: unknown) => error,
    );
    expect(outcome).to.include({ code: 'registry-unreachable' });
  });

  it('refuses another version of what is built from sources here', async () => {
    using images = new ScratchImages();
    images.add('x');
    const outcome = await ensureImage(new FakeEngine(), { ...ours('x'), version: '2' }, images.options).catch(
      (error: unknown) => error,
    );
    expect(outcome).to.include({ code: 'image-version-refused', blame: 'input' });
  });

  it('lists what is ready, stale and missing, and prunes only what is ours and unused', async () => {
    using images = new ScratchImages();
    for (const name of ['fresh', 'old', 'never']) images.add(name);
    const engine = new FakeEngine();
    engine.addImage('theirs:1');
    await ensureImage(engine, ours('fresh'), images.options);
    const old = await ensureImage(engine, ours('old'), images.options);
    images.write('old/a.txt', 'new');
    const states = (await listImages(engine, images.directory)).map(
      (image) => `${image.name} ${image.state}`,
    );
    expect(states).to.deep.equal(['fresh ready', 'never not built', 'old stale']);
    const prune = (more: { dryRun: boolean; all?: boolean }) =>
      pruneImages(engine, { all: false, imagesDir: images.directory, ...more });
    expect(await prune({ dryRun: true })).to.deep.equal([
      { reference: old.reference, sizeBytes: 1_000_000, outcome: 'would be removed' },
    ]);
    const user = await engine.createContainer({
      name: 'u',
      hostname: 'u',
      image: old.reference,
      environment: {},
      labels: {},
    });
    expect((await prune({ dryRun: false }))[0]?.outcome).to.equal('in use');
    await engine.removeContainer(user);
    expect((await prune({ dryRun: false }))[0]?.outcome).to.equal('removed');
    await prune({ dryRun: false, all: true });
    expect((await engine.listImages([])).flatMap((image) => image.tags)).to.deep.equal(['theirs:1']);
  });
});
