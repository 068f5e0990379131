import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { ensureImage } from '../ensure-image.ts';
import { pruneImages } from '../list-images.ts';
import { outputOf } from './output-of.ts';
import { ScratchImages } from './scratch-images.ts';

/** Runs what it is told of with what it was given, as the front of ant-node does with the node. */
const FRONT = `package main

import (
	"os"
	"os/exec"
	"syscall"
)

func main() {
	path, err := exec.LookPath(os.Getenv("SQUALL_PROGRAM"))
	if err == nil {
		err = syscall.Exec(path, append([]string{path}, os.Args[1:]...), os.Environ())
	}
	panic(err)
}
`;

const LOCK = `version = 3

[[package]]
name = "own"
version = "0.1.0"
dependencies = [
 "wire",
]

[[package]]
name = "wire"
version = "0.1.0"
`;

describe('a program of one’s own, behind the front', function () {
  this.timeout(300_000);
  const name = `own-${process.pid}`;
  let engine: Engine;
  let scratch: ScratchImages;
  before(async () => {
    engine = await findEngine({});
    scratch = new ScratchImages();
    scratch.write(`${name}/image.json`, {
      name,
      description: 'a test',
      build: { kind: 'cargo', crate: 'own', version: '0.1.0', front: 'front', preload: 'threads.c' },
    });
    scratch.write(`${name}/front/go.mod`, 'module front\n\ngo 1.21\n');
    scratch.write(`${name}/front/main.go`, FRONT);
    scratch.write(`${name}/threads.c`, 'int nothing_of_it_is_used;\n');
  });
  after(async () => {
    await pruneImages(engine, { dryRun: false, all: true, names: [name], imagesDir: scratch.directory });
    scratch[Symbol.dispose]();
    engine.close();
  });

  const make = (version: string) => ensureImage(engine, { kind: 'ours', name, version }, scratch.options);

  it('may be a binary, which comes with the libraries that it links to', async () => {
    const binary = join(scratch.directory, 'echo');
    copyFileSync('/bin/echo', binary);
    const { reference } = await make(binary);
    expect(await outputOf(engine, reference, ['hello'])).to.deep.equal(['hello']);
  });

  it('may be a checkout, and is built again when a package changes that it names by a path', async () => {
    const manifest = (crate: string, more: string): string =>
      `[package]\nname = "${crate}"\nversion = "0.1.0"\nedition = "2021"\n${more}`;
    scratch.write(
      '.checkout/own/Cargo.toml',
      manifest('own', '\n[dependencies]\nwire = { path = "../wire" }\n'),
    );
    scratch.write('.checkout/own/Cargo.lock', LOCK);
    scratch.write('.checkout/own/src/main.rs', 'fn main() { println!("{}", wire::word()); }\n');
    scratch.write('.checkout/wire/Cargo.toml', manifest('wire', ''));
    const said = async (word: string): Promise<readonly [string, readonly string[]]> => {
      scratch.write('.checkout/wire/src/lib.rs', `pub fn word() -> &'static str { "${word}" }\n`);
      const { outcome, reference } = await make(join(scratch.directory, '.checkout/own'));
      return [outcome, await outputOf(engine, reference, [])];
    };
    expect(await said('one')).to.deep.equal(['built', ['one']]);
    expect(await said('two')).to.deep.equal(['built', ['two']]);
    expect(await said('one')).to.deep.equal(['cached', ['one']]);
  });

  it('may be what an image has in its PATH', async () => {
    const { reference } = await make('/bin/echo');
    mkdirSync(join(scratch.directory, `${name}-base`));
    copyFileSync('/bin/echo', join(scratch.directory, `${name}-base/own`));
    scratch.write(`${name}-base/image.json`, {
      name: `${name}-base`,
      description: 'a test',
      build: { kind: 'dockerfile' },
    });
    scratch.write(`${name}-base/Dockerfile`, `FROM ${reference}\nCOPY own /usr/local/bin/own\n`);
    const base = await ensureImage(engine, { kind: 'ours', name: `${name}-base` }, scratch.options);
    try {
      const laidOver = await make(`from:${base.reference}`);
      expect(await outputOf(engine, laidOver.reference, ['hello'])).to.deep.equal(['hello']);
    } finally {
      await pruneImages(engine, {
        dryRun: false,
        all: true,
        names: [name, `${name}-base`],
        imagesDir: scratch.directory,
      });
    }
  });
});
