import { join } from 'node:path';
import { expect } from 'chai';
import { goCommand, goDockerfile } from '../build-go.ts';
import { parseLdd } from '../build-node-base.ts';
import { contextFiles, hashFiles, hashParts, sourceFiles } from '../content-hash.ts';
import { compareGoVersions } from '../go-toolchain.ts';
import { registryOf } from '../registry.ts';
import { ScratchImages } from './scratch-images.ts';

describe('the content of an image', () => {
  it('is its sources, without tests, prose and what git and packages keep', () => {
    using images = new ScratchImages();
    const kept = ['go.mod', 'main.go', 'part/part.go', '_added/x.go'];
    const left = [
      'main_test.go',
      'README.md',
      'image.json',
      'test/a.ts',
      'testdata/b',
      '.git/c',
      'node_modules/d/e.js',
      'notes.md',
    ];
    for (const path of [...kept, ...left]) images.write(`x/${path}`, path);
    const folder = join(images.directory, 'x');
    expect(sourceFiles(folder)).to.deep.equal([...kept].sort());
    expect(sourceFiles(folder, ['part/', 'go.mod'])).to.deep.equal(['go.mod', 'part/part.go']);
    expect(contextFiles(folder)).to.include('README.md').and.not.include('image.json');
  });

  it('hashes otherwise when a byte, a name or a border between parts moves', () => {
    using images = new ScratchImages();
    images.write('x/a', 'one');
    const folder = join(images.directory, 'x');
    const before = hashFiles(folder, ['a']);
    images.write('x/a', 'two');
    expect(hashFiles(folder, ['a'])).to.not.equal(before);
    expect(hashParts([['a', 'bc']])).to.not.equal(hashParts([['ab', 'c']]));
    expect(
      hashParts([
        ['a', 'x'],
        ['b', 'y'],
      ]),
    ).to.not.equal(
      hashParts([
        ['a', 'xb'],
        ['', 'y'],
      ]),
    );
  });
});

describe('a Go build', () => {
  const recipe = { kind: 'go', package: './node' } as const;

  it('is static and the same everywhere, or the command of the recipe', () => {
    expect(goCommand(recipe, '/o')).to.deep.equal([
      'go',
      'build',
      '-trimpath',
      '-ldflags',
      '-s -w',
      '-o',
      '/o',
      './node',
    ]);
    const own = { ...recipe, command: ['go', 'run', './make', '--out={out}'] };
    expect(goCommand(own, '/o')).to.deep.equal(['go', 'run', './make', '--out=/o']);
  });

  it('in a container has the version that go.mod asks for and leaves one binary', () => {
    const text = goDockerfile(recipe, 'x', '1.26');
    expect(text).to.match(/^FROM golang:1\.26 AS build\n/);
    expect(text).to.include('CGO_ENABLED="0"').and.include('FROM scratch\nCOPY --from=build /out/x /x\n');
  });

  it('compares versions by their numbers', () => {
    const cases = [
      ['1.9', '1.26', -1],
      ['1.26.8', '1.26', 1],
      ['1.26', '1.26.0', 0],
      ['1.27rc1', '1.26.9', 1],
    ] as const;
    for (const [a, b, sign] of cases) expect(Math.sign(compareGoVersions(a, b)), `${a} ${b}`).to.equal(sign);
  });
});

describe("a base of the host's Node", () => {
  it('has the libraries that ldd lists', () => {
    const lines = [
      '\tlinux-vdso.so.1 (0x00007ffd)',
      '\tlibm.so.6 => /lib/x86_64-linux-gnu/libm.so.6 (0x00007f10)',
      '\t/lib64/ld-linux-x86-64.so.2 (0x00007f11)',
      '\tlibgone.so => not found',
    ];
    expect(parseLdd(lines)).to.deep.equal(['/lib/x86_64-linux-gnu/libm.so.6', '/lib64/ld-linux-x86-64.so.2']);
  });
});

describe('a registry', () => {
  it('is named by what stands before the first slash, if that is a host', () => {
    expect(registryOf('node:20')).to.equal('default');
    expect(registryOf('me/app:1')).to.equal('default');
    expect(registryOf('lab.example/me/app')).to.equal('lab.example');
    expect(registryOf('localhost/app')).to.equal('localhost');
  });
});
