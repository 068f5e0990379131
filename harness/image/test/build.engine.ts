import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { SquallError } from '../../errors/index.ts';
import { ensureImage } from '../ensure-image.ts';
import { pruneImages } from '../list-images.ts';
import { ScratchImages } from './scratch-images.ts';

const OWN = fileURLToPath(new URL('./images/', import.meta.url));

import { outputOf } from './output-of.ts';

describe('images built on a real engine', function () {
  this.timeout(180_000);
  let engine: Engine;
  before(async () => {
    engine = await findEngine({});
  });
  after(() => engine.close());

  it('run a bundled TypeScript program on the common base', async () => {
    using scratch = new ScratchImages();
    const made = await ensureImage(
      engine,
      { kind: 'ours', name: 'hello-node' },
      { ...scratch.options, imagesDir: OWN },
    );
    expect(await outputOf(engine, made.reference, ['there'])).to.deep.equal(['hello, there']);
    expect((await engine.imageLabels(made.reference))?.['squall.image']).to.equal('hello-node');
  });

  it('come from a Dockerfile as well', async () => {
    using scratch = new ScratchImages();
    const made = await ensureImage(
      engine,
      { kind: 'ours', name: 'hello-docker' },
      { ...scratch.options, imagesDir: OWN },
    );
    expect(await engine.imageId(made.reference)).to.equal(made.imageId);
  });

  it('come from a Go module, and are made again only when it changes', async () => {
    using scratch = new ScratchImages();
    const name = `hello-go-${process.pid}`;
    scratch.write(`${name}/image.json`, { name, description: 'a test', build: { kind: 'go' } });
    scratch.write(`${name}/go.mod`, 'module hello\n\ngo 1.21\n');
    scratch.write(`${name}/main.go`, 'package main\n\nfunc main() { println("hello from Go") }\n');
    const made = await ensureImage(engine, { kind: 'ours', name }, scratch.options);
    expect(made.outcome).to.equal('built');
    expect(await outputOf(engine, made.reference, [])).to.deep.equal(['hello from Go']);
    expect((await ensureImage(engine, { kind: 'ours', name }, scratch.options)).outcome).to.equal('cached');
    const pruned = await pruneImages(engine, {
      dryRun: false,
      all: true,
      names: [name],
      imagesDir: scratch.directory,
    });
    expect(pruned.map((image) => image.outcome)).to.deep.equal(['removed']);
  });

  it('that do not build show the end of their log, and keep the whole', async () => {
    using scratch = new ScratchImages();
    scratch.write('broken/image.json', { name: 'broken', description: 'a test', build: { kind: 'go' } });
    scratch.write('broken/go.mod', 'module broken\n\ngo 1.21\n');
    scratch.write('broken/main.go', 'package main\n\nfunc main() { undefinedFunction() }\n');
    const error = await ensureImage(engine, { kind: 'ours', name: 'broken' }, scratch.options).catch(
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof SquallError)) throw new Error('it built');
    expect(error.code).to.equal('image-build-failed');
    expect(error.hint).to.match(/undefined: undefinedFunction/);
    expect(readFileSync(String(error.facts['log']), 'utf8')).to.match(
      /^\$ go build [\s\S]*undefined: undefinedFunction/,
    );
  });

  it('asking for a newer Go than there is say so, and what to install', async () => {
    using scratch = new ScratchImages();
    scratch.write('future/image.json', { name: 'future', description: 'a test', build: { kind: 'go' } });
    scratch.write('future/go.mod', 'module future\n\ngo 9.99\n');
    const error = await ensureImage(engine, { kind: 'ours', name: 'future' }, scratch.options).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as Error).message).to.match(/go\.mod asks for 9\.99 or newer|golang:9\.99/);
  });
});
