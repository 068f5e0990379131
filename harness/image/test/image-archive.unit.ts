import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FakeEngine } from '../../engine/index.ts';
import { sourceParts } from '../content-hash.ts';
import { ensureImage, IMAGE_LABEL } from '../ensure-image.ts';
import { loadImages, saveImages } from '../image-archive.ts';
import { ScratchImages } from './scratch-images.ts';

const X = { kind: 'ours', name: 'x' } as const;
const built = (engine: FakeEngine): number =>
  engine.calls.filter((call) => call.startsWith('buildImage')).length;

describe('an archive of images', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-archive-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const file = (name = 'images.tar.gz') => join(folder, name);

  async function savedFrom(images: ScratchImages, name?: string): Promise<string> {
    const engine = new FakeEngine();
    engine.addImage('theirs:1');
    const wanted = [X, { kind: 'reference', reference: 'theirs:1' }] as const;
    await saveImages(engine, wanted, file(name), images.options);
    return file(name);
  }

  for (const name of ['images.tar.gz', 'images.tar']) {
    it(`builds what is missing, and brings it and others’ to another engine, where nothing is built: ${name}`, async () => {
      using images = new ScratchImages();
      images.add('x');
      const archive = await savedFrom(images, name);
      expect(readFileSync(archive).subarray(0, 2).toString('hex') === '1f8b').to.equal(name.endsWith('.gz'));
      const elsewhere = new FakeEngine();
      const loaded = await loadImages(elsewhere, archive);
      expect(loaded.map((image) => image.name)).to.deep.equal(['x', 'theirs:1']);
      expect((await ensureImage(elsewhere, X, images.options)).outcome).to.equal('cached');
      expect(built(elsewhere)).to.equal(0);
    });
  }

  it('is known by its sources, whatever the machine’s tools are: its exact tag need not be there', async () => {
    using images = new ScratchImages();
    images.add('x');
    await savedFrom(images);
    const elsewhere = new FakeEngine();
    const [x] = await loadImages(elsewhere, file());
    // As with another Go: the content's hash differs, and only the source's is the same.
    await elsewhere.removeImage(x?.reference ?? '');
    const { reference, outcome } = await ensureImage(elsewhere, X, images.options);
    expect([outcome, built(elsewhere)]).to.deep.equal(['cached', 0]);
    expect(await elsewhere.imageId(reference)).to.be.a('string');
  });

  it('is not used for other sources', async () => {
    using images = new ScratchImages();
    images.add('x');
    await savedFrom(images);
    const elsewhere = new FakeEngine();
    await loadImages(elsewhere, file());
    images.write('x/a.txt', 'another');
    expect((await ensureImage(elsewhere, X, images.options)).outcome).to.equal('built');
  });

  it('is refused by an engine on a machine of another kind', async () => {
    using images = new ScratchImages();
    images.add('x');
    await savedFrom(images);
    const failure = await loadImages(new FakeEngine({ info: { arch: 'arm64' } }), file()).catch(
      (e: unknown) => e,
    );
    expect(failure).to.include({ code: 'image-archive', blame: 'input' });
    expect(String(failure)).to.match(/was made for amd64; expected arm64/);
  });

  it('is not written over what is there, nor left half written', async () => {
    using images = new ScratchImages();
    images.add('x');
    writeFileSync(file(), 'mine');
    expect(await savedFrom(images).catch((error: { code?: string }) => error.code)).to.equal('EEXIST');
    expect(readFileSync(file(), 'utf8')).to.equal('mine');
    const engine = new FakeEngine();
    const gone = [{ kind: 'reference', reference: 'nowhere:1' }] as const;
    const failure = await saveImages(engine, gone, file('other.tar'), images.options).catch(
      (e: unknown) => e,
    );
    expect(failure).to.be.an('error');
    expect(existsSync(file('other.tar'))).to.equal(false);
  });

  it('has no image that was built before its sources were kept', async () => {
    using images = new ScratchImages();
    images.add('x');
    const engine = new FakeEngine();
    const { reference } = await ensureImage(engine, X, images.options);
    const { [IMAGE_LABEL.source]: _source, ...old } = (await engine.imageLabels(reference)) ?? {};
    engine.addImage(reference, old);
    const failure = await saveImages(engine, [X], file(), images.options).catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'image-archive');
    expect(String(failure)).to.match(/kept no sources' hash/);
  });
});

describe('the sources of an image', () => {
  for (const [kind, names, sources] of [
    ['go', ['files', 'go'], ['files']],
    ['node', ['dockerfile', 'bundle', 'base'], ['dockerfile', 'bundle']],
    ['node-base', ['node', 'files'], []],
    ['cargo', ['program', 'profile', 'front', 'go'], ['program', 'front']],
    ['dockerfile', ['files', 'dockerfile'], ['files', 'dockerfile']],
  ] as const) {
    it(`of kind ${kind} are ${sources.join(', ') || 'its recipe alone'}`, () => {
      const parts = names.map((name) => [name, 'x'] as const);
      expect(sourceParts(kind, parts).map(([name]) => name)).to.deep.equal(sources);
    });
  }
});
