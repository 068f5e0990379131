import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { cargoDockerfile } from '../cargo-dockerfile.ts';
import { cargoProfile } from '../cargo-profile.ts';
import { cargoProgress } from '../cargo-progress.ts';
import { checkVersion, imageHash, readImage } from '../index.ts';
import { programSource, sourceHash } from '../program-source.ts';

describe('the program of a cargo image', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-cargo-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it('is a version of the crate, a binary, a checkout, or what an image has', () => {
    const binary = join(folder, 'node');
    writeFileSync(binary, 'x');
    mkdirSync(join(folder, 'checkout/src'), { recursive: true });
    writeFileSync(join(folder, 'checkout/Cargo.toml'), '[package]');
    expect(programSource('n', '0.23.1')).to.deep.equal({ kind: 'crate', version: '0.23.1' });
    expect(programSource('n', 'v1.0.0-rc.1')).to.deep.equal({ kind: 'crate', version: '1.0.0-rc.1' });
    expect(programSource('n', binary)).to.deep.equal({ kind: 'binary', path: binary });
    expect(programSource('n', join(folder, 'checkout'))).to.have.property('kind', 'folder');
    expect(programSource('n', 'from:registry.example/n:edge')).to.deep.equal({
      kind: 'image',
      reference: 'registry.example/n:edge',
    });
  });

  for (const [version, why] of [
    ['0.23', /no version/],
    ['latest', /no version/],
    ['./no-such-file', /nothing of this name/],
    ['/tmp', /without a Cargo\.toml/],
  ] as const) {
    it(`refuses ${version}`, () => {
      expect(() => programSource('n', version)).to.throw(why);
    });
  }

  it('is another one when its bytes or its sources change, and not when what cargo leaves does', () => {
    const binary = join(folder, 'node');
    const hashOf = (path: string): string => sourceHash(programSource('n', path));
    writeFileSync(binary, 'one');
    const first = hashOf(binary);
    writeFileSync(binary, 'two');
    expect(hashOf(binary)).not.to.equal(first);
    const checkout = join(folder, 'checkout');
    for (const file of ['Cargo.toml', 'src/main.rs', 'target/debug/node']) {
      mkdirSync(join(checkout, file, '..'), { recursive: true });
      writeFileSync(join(checkout, file), 'one');
    }
    const before = hashOf(checkout);
    writeFileSync(join(checkout, 'target/debug/node'), 'two');
    expect(hashOf(checkout)).to.equal(before);
    writeFileSync(join(checkout, 'src/main.rs'), 'two');
    expect(hashOf(checkout)).not.to.equal(before);
  });

  it('is another one when a package changes that its checkout names by a path, or the workspace that it is in', () => {
    const files = {
      'ws/Cargo.toml':
        '[workspace]\nmembers = ["node"]\n[workspace.dependencies]\ncore = { path = "../core" }',
      'ws/Cargo.lock': 'one',
      'ws/node/Cargo.toml': '[package]\n[dependencies]\ncore.workspace = true',
      'ws/node/src/main.rs': 'one',
      'ws/node/src/target/mod.rs': 'one',
      'ws/node/tests/it.rs': 'one',
      'ws/.git/HEAD': 'one',
      'core/Cargo.toml': "[package]\n[dependencies]\nwire = { path = '../wire' }",
      'core/src/lib.rs': 'one',
      'core/target/debug/core': 'one',
      'wire/Cargo.toml': '[package]\n[dev-dependencies]\ncore = { path = "../core" }',
      'wire/src/lib.rs': 'one',
      'other/Cargo.toml': '[package]',
    };
    const write = (file: string, text: string): void => {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), text);
    };
    for (const [file, text] of Object.entries(files)) write(file, text);
    const hash = (): string => sourceHash(programSource('n', join(folder, 'ws/node')));
    const before = hash();
    const changes = Object.entries(files).filter(([file, text]) => {
      write(file, `${text}\n# two`);
      const changed = hash() !== before;
      write(file, text);
      return changed;
    });
    expect(changes.map(([file]) => file)).to.deep.equal([
      'ws/Cargo.toml',
      'ws/Cargo.lock',
      'ws/node/Cargo.toml',
      'ws/node/src/main.rs',
      'ws/node/src/target/mod.rs',
      'core/Cargo.toml',
      'core/src/lib.rs',
      'wire/Cargo.toml',
      'wire/src/lib.rs',
    ]);
    const elsewhere = mkdtempSync(join(tmpdir(), 'squall-cargo-'));
    try {
      cpSync(folder, elsewhere, { recursive: true });
      expect(sourceHash(programSource('n', join(elsewhere, 'ws/node')))).to.equal(before);
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
  });

  it('is looked for before anything is built', () => {
    const check = (name: string, version?: string) => () =>
      checkVersion({ kind: 'ours', name, ...(version !== undefined && { version }) });
    expect(check('ant-node', './no-such-file')).to.throw(/nothing of this name/);
    expect(check('ant-node', '0.23')).to.throw(/no version/);
    expect(check('fetch-node', '1.0.0')).to.throw(/other versions/);
    for (const version of [undefined, '0.22.0', 'from:registry.example/n:edge', './package.json'])
      expect(check('ant-node', version)).not.to.throw();
    expect(check('fetch-node')).not.to.throw();
  });

  it('makes an image of its own for each version', async () => {
    const image = readImage('images/ant-node');
    if (image.build.kind !== 'cargo') throw new Error('ant-node is no cargo image');
    const at = (version: string) =>
      imageHash({ ...image, build: { ...image.build, version } as typeof image.build });
    expect(await at('0.22.0')).not.to.equal(await at('0.23.1'));
    expect(await at('0.23.1')).to.equal(await imageHash(image));
  });
});

describe('a build by cargo', () => {
  it('with another profile is another image, and has it in a container too', async () => {
    const image = readImage('images/ant-node');
    const published = await imageHash(image);
    process.env['CARGO_PROFILE_RELEASE_LTO'] = 'off';
    try {
      expect(cargoProfile()).to.deep.equal([['CARGO_PROFILE_RELEASE_LTO', 'off']]);
      expect(await imageHash(image)).not.to.equal(published);
    } finally {
      delete process.env['CARGO_PROFILE_RELEASE_LTO'];
    }
    expect(await imageHash(image)).to.equal(published);
    const build = {
      rust: 'rust:1',
      crate: 'n',
      version: '1.0.0',
      profile: cargoProfile({ CARGO_PROFILE_RELEASE_LTO: 'off', HOME: 'x' }),
    };
    expect(cargoDockerfile({ base: 'b', program: 'n', build })).to.include(
      'FROM rust:1 AS build\nENV CARGO_PROFILE_RELEASE_LTO=off\nRUN',
    );
  });

  it('says now and then how far it is', () => {
    const told: string[] = [];
    let ms = 0;
    const onLine = cargoProgress(
      (text) => told.push(text),
      () => ms,
    );
    for (let crate = 1; crate <= 100; crate += 1) {
      ms += 1_000;
      onLine(`   Compiling crate-${crate} v1.0.0`);
    }
    onLine('    Blocking waiting for file lock on build directory');
    onLine('    Blocking waiting for file lock on build directory');
    onLine('    Finished `release` profile in 8m 02s');
    onLine('warning: unused');
    expect(told).to.deep.equal([
      '40 crates compiled in 40 s',
      '80 crates compiled in 1 min 20 s',
      'waits for another build by cargo',
      'Finished `release` profile in 8m 02s',
    ]);
  });

  it('in a container takes exactly the version asked for, locked, and leaves it behind the front', () => {
    const text = cargoDockerfile({
      base: 'debian:stable-slim',
      program: 'ant-node',
      build: { rust: 'rust:1', crate: 'ant-node', version: '0.23.1' },
    });
    expect(text).to.include(
      'RUN ["cargo","install","ant-node","--version","0.23.1","--locked","--bin","ant-node","--root","/out"]',
    );
    expect(text).to.match(/FROM debian:stable-slim\nCOPY --from=build \/out\/bin\/ant-node/);
    expect(text).to.include('COPY certificates.crt /etc/ssl/certs/ca-certificates.crt');
    expect(text).to.include('ENTRYPOINT ["/front"]');
  });

  it("lays the front over somebody's own image without building anything", () => {
    const text = cargoDockerfile({ base: 'registry.example/n:edge', program: 'ant-node' });
    expect(text).to.match(/^FROM registry\.example\/n:edge\n/);
    expect(text).not.to.include('cargo');
    expect(text).not.to.include('certificates');
  });
});
