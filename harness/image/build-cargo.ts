import { existsSync, realpathSync, statSync } from 'node:fs';
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { rootCertificates } from 'node:tls';
import { pack } from 'tar-stream';
import type { Engine } from '../engine/index.ts';
import { findProgram, runProgram } from '../program/index.ts';
import { parseLdd } from './build-node-base.ts';
import type { Builder, BuildJob } from './builder.ts';
import { cargoDockerfile } from './cargo-dockerfile.ts';
import { cargoProfile } from './cargo-profile.ts';
import { cargoProgress } from './cargo-progress.ts';
import { hashFiles, sourceFiles } from './content-hash.ts';
import { contextTar, EPOCH } from './context-tar.ts';
import { GO_BUILD, GO_ENVIRONMENT, hostGoVersion } from './go-toolchain.ts';
import type { BuildRecipe } from './image-schema.ts';
import { whyOtherMachine } from './machine-arch.ts';
import { type ProgramSource, programSource, sourceHash } from './program-source.ts';

type CargoRecipe = Extract<BuildRecipe, { kind: 'cargo' }>;

/** Where TLS libraries look. ant-node builds HTTPS clients at its start and ends when it finds no root certificate. */
const CERTIFICATES = 'etc/ssl/certs/ca-certificates.crt';

const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * A Rust program behind a front of ours: the crate built by this host's cargo (once a version: minutes), or in a rust
 * container where it has none; a binary, a checkout or an image of one's own in its place. The front, a static Go program,
 * is what the image runs; the preload, a C file, is at hand for it.
 */
export const cargoBuilder: Builder<CargoRecipe> = {
  async contentHash(recipe, { name, folder }) {
    const source = programSource(name, recipe.version);
    const profile = source.kind === 'crate' || source.kind === 'folder' ? cargoProfile() : [];
    return [
      ['program', sourceHash(source)],
      ...(profile.length > 0 ? [['profile', JSON.stringify(profile)] as const] : []),
      ['front', hashFiles(folder, sourceFiles(folder, [recipe.front, recipe.preload]))],
      ['go', (await hostGoVersion()) ?? 'container'],
      ['certificates', CERTIFICATES],
    ];
  },
  async build(recipe, job, engine) {
    const source = programSource(job.description.name, recipe.version);
    const other = whyOtherMachine(engine);
    if (other)
      throw job.log.failure(
        `cannot be built here: ${other}. Build it there, and load it with \`squall images load\``,
      );
    const scratch = await mkdtemp(join(tmpdir(), 'squall-build-'));
    try {
      await writeFile(join(scratch, 'certificates.crt'), `${rootCertificates.join('\n')}\n`);
      const needsContainer = source.kind === 'crate' && !findProgram('cargo');
      await buildFront(recipe, job, scratch);
      await buildPreload(recipe, job, scratch);
      if (source.kind === 'image') return await aroundImage(source.reference, job, engine, scratch);
      if (needsContainer) return await inContainer(recipe, source.version, job, engine, scratch);
      const program = await programOf(source, recipe, job, scratch);
      return await importAll(program, job, engine, scratch);
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  },
};

async function buildFront(recipe: CargoRecipe, job: BuildJob, scratch: string): Promise<void> {
  if (!(await hostGoVersion()))
    throw job.log.failure('cannot be built: its front needs Go, and this host has none. Install it');
  await run([...GO_BUILD, '-o', join(scratch, 'front'), '.'], job, {
    cwd: join(job.description.folder, recipe.front),
    environment: GO_ENVIRONMENT,
  });
}

async function buildPreload(recipe: CargoRecipe, job: BuildJob, scratch: string): Promise<void> {
  if (!findProgram('cc'))
    throw job.log.failure(
      'cannot be built: its preload needs a C compiler, and this host has none. Install cc',
    );
  const source = join(job.description.folder, recipe.preload);
  await run(['cc', '-shared', '-fPIC', '-O2', '-o', join(scratch, 'threads.so'), source], job, {});
}

/** The program as a file of this host. */
async function programOf(
  source: Extract<ProgramSource, { kind: 'crate' | 'folder' | 'binary' }>,
  recipe: CargoRecipe,
  job: BuildJob,
  scratch: string,
): Promise<string> {
  const name = recipe.binary ?? recipe.crate;
  const copy = join(scratch, name);
  if (source.kind === 'binary') {
    await copyFile(source.path, copy);
    return copy;
  }
  if (!findProgram('cargo'))
    throw job.log.failure(
      'cannot be built: a checkout needs cargo, and this host has none. Name a binary instead',
    );
  const what =
    source.kind === 'crate' ? [recipe.crate, '--version', source.version] : ['--path', source.path];
  const command = ['cargo', 'install', ...what, '--locked', '--bin', name, '--root', scratch];
  await run(command, job, {
    cwd: scratch,
    // Most dependencies of two versions are the same, and an interrupted build goes on.
    environment: { CARGO_TARGET_DIR: job.cacheDir },
    onLine: cargoProgress((text) => job.progress?.(text)),
  });
  const built = join(scratch, 'bin', name);
  if (!statSync(built, { throwIfNoEntry: false })?.isFile())
    throw job.log.failure(`\`${command.join(' ')}\` left no ${name}; expected one binary`);
  return built;
}

async function run(
  command: readonly string[],
  job: BuildJob,
  options: {
    readonly cwd?: string;
    readonly environment?: Readonly<Record<string, string>>;
    readonly onLine?: (line: string) => void;
  },
): Promise<void> {
  job.log.write(`$ ${command.join(' ')}`);
  const { exitCode } = await runProgram(command, {
    ...options,
    onLine: (line) => {
      job.log.write(line);
      options.onLine?.(line);
    },
    signal: job.signal,
  });
  if (exitCode !== 0) throw job.log.failure(`\`${command.join(' ')}\` ended with ${exitCode}`);
}

/**
 * Program, front, preload and every library that they link to, at the paths where the loader looks, and the root certificates
 * that Node.js carries; nothing else.
 */
async function importAll(program: string, job: BuildJob, engine: Engine, scratch: string): Promise<string> {
  const lines: string[] = [];
  await runProgram(['ldd', program], { onLine: (line) => lines.push(line) });
  const libraries = parseLdd(lines);
  const missing = lines.filter((line) => line.includes('not found'));
  if (missing.length > 0) throw job.log.failure(`its program lacks libraries here: ${missing.join('; ')}`);
  const files: [target: string, source: string][] = [
    ['usr/local/bin/program', program],
    ['front', join(scratch, 'front')],
    ['threads.so', join(scratch, 'threads.so')],
    [CERTIFICATES, join(scratch, 'certificates.crt')],
    ...libraries.map((path): [string, string] => [path.slice(1), realpathSync(path)]),
  ];
  const tar = pack();
  for (const name of ['tmp', 'data']) tar.entry({ name, type: 'directory', mode: 0o1777, mtime: EPOCH });
  tar.entry({ name: 'etc/passwd', mtime: EPOCH }, 'root:x:0:0:root:/root:/sbin/nologin\n');
  const filled = (async () => {
    for (const [name, source] of files) {
      job.log.write(`/${name} from ${source}`);
      tar.entry({ name, mode: 0o755, mtime: EPOCH }, await readFile(source));
    }
    tar.finalize();
  })();
  const changes = [
    `ENV PATH=${PATH} SQUALL_PROGRAM=/usr/local/bin/program HOME=/data`,
    'ENTRYPOINT ["/front"]',
  ];
  const made = engine.importImage(Readable.from(tar), { tag: job.tag, labels: job.labels, changes });
  return (await Promise.all([made, filled]))[0];
}

/** The front laid over an image of one's own. */
async function aroundImage(
  reference: string,
  job: BuildJob,
  engine: Engine,
  scratch: string,
): Promise<string> {
  if (!(await engine.imageId(reference)))
    await engine.pullImage(reference, (text) => job.log.write(text), job.signal);
  const { crate, binary } = job.description.build as CargoRecipe;
  const dockerfile = cargoDockerfile({ base: reference, program: binary ?? crate });
  return await fromDockerfile(dockerfile, job, engine, scratch);
}

/** The crate built in a rust container. */
async function inContainer(
  recipe: CargoRecipe,
  version: string,
  job: BuildJob,
  engine: Engine,
  scratch: string,
): Promise<string> {
  const base = `rust:${recipe.rust}`;
  const unreachable = await engine.whyNotPullable(base, job.signal);
  if (unreachable && !(await engine.imageId(base))) {
    job.log.write(unreachable);
    throw job.log.failure(
      `cannot be built: this host has no cargo, and no registry answers for ${base}. Install Rust here, or name a binary`,
    );
  }
  const dockerfile = cargoDockerfile({
    base: recipe.runtime,
    program: recipe.binary ?? recipe.crate,
    build: { rust: base, crate: recipe.crate, version, profile: cargoProfile() },
  });
  return await fromDockerfile(dockerfile, job, engine, scratch);
}

async function fromDockerfile(
  dockerfile: string,
  job: BuildJob,
  engine: Engine,
  scratch: string,
): Promise<string> {
  const files = ['front', 'threads.so', 'certificates.crt'].filter((file) => existsSync(join(scratch, file)));
  const tar = contextTar(scratch, files, { 'Dockerfile.squall': dockerfile });
  const options = { tag: job.tag, labels: job.labels, dockerfile: 'Dockerfile.squall' };
  const tell = cargoProgress((text) => job.progress?.(text));
  return await engine.buildImage(tar, options, (text) => {
    job.log.write(text.trimEnd());
    for (const line of text.split('\n')) tell(line);
  });
}
