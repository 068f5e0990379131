import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '../engine/index.ts';
import { runProgram } from '../program/index.ts';
import { importBinary } from './binary-image.ts';
import type { Builder, BuildJob } from './builder.ts';
import { hashFiles, sourceFiles } from './content-hash.ts';
import { contextTar } from './context-tar.ts';
import {
  GO_BUILD,
  GO_ENVIRONMENT,
  goEnvironmentFor,
  hostGoVersion,
  requiredGoVersion,
  whyNotHostGo,
} from './go-toolchain.ts';
import type { BuildRecipe } from './image-schema.ts';
import { whyOtherMachine } from './machine-arch.ts';

type GoRecipe = Extract<BuildRecipe, { kind: 'go' }>;

/** The command that makes the binary: the recipe's own, or `go build`. */
export function goCommand(recipe: GoRecipe, out: string): readonly string[] {
  if (recipe.command) return recipe.command.map((word) => word.replaceAll('{out}', out));
  return [...GO_BUILD, '-o', out, recipe.package];
}

async function buildHere(recipe: GoRecipe, job: BuildJob, engine: Engine): Promise<string> {
  const scratch = await mkdtemp(join(tmpdir(), 'squall-build-'));
  try {
    const out = join(scratch, job.description.name);
    const command = goCommand(recipe, out);
    job.log.write(`$ ${command.join(' ')}`);
    const result = await runProgram(command, {
      cwd: job.description.folder,
      environment: goEnvironmentFor(engine.info.arch),
      onLine: (line) => job.log.write(line),
      signal: job.signal,
    });
    if (result.exitCode !== 0)
      throw job.log.failure(`\`${command.join(' ')}\` ended with ${result.exitCode}`);
    if (!statSync(out, { throwIfNoEntry: false })?.isFile()) {
      throw job.log.failure(`\`${command.join(' ')}\` left no file at its output; expected one binary`);
    }
    return await importBinary(engine, out, { name: job.description.name, tag: job.tag, labels: job.labels });
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
}

/** The same build in a container that has Go, for hosts that do not. */
export function goDockerfile(recipe: GoRecipe, name: string, goVersion: string): string {
  const command = goCommand(recipe, `/out/${name}`);
  const environment = Object.entries(GO_ENVIRONMENT).map(([key, value]) => `${key}="${value}"`);
  return [
    `FROM golang:${goVersion} AS build`,
    'WORKDIR /src',
    'COPY . .',
    `ENV ${environment.join(' ')}`,
    `RUN ${JSON.stringify(command)}`,
    'FROM scratch',
    `COPY --from=build /out/${name} /${name}`,
    `ENTRYPOINT ["/${name}"]`,
    '',
  ].join('\n');
}

async function buildInContainer(
  recipe: GoRecipe,
  job: BuildJob,
  engine: Engine,
  why: string,
): Promise<string> {
  const { description } = job;
  const goVersion = requiredGoVersion(description.folder) ?? '1';
  const base = `golang:${goVersion}`;
  const unreachable = await engine.whyNotPullable(base, job.signal);
  if (unreachable && !(await engine.imageId(base))) {
    job.log.write(why);
    job.log.write(unreachable);
    throw job.log.failure(`cannot be built: ${why}, and no registry answers for ${base}. Install Go here`);
  }
  const files = sourceFiles(description.folder, recipe.inputs);
  const dockerfile = goDockerfile(recipe, description.name, goVersion);
  const tar = contextTar(description.folder, files, { 'Dockerfile.squall': dockerfile });
  const options = { tag: job.tag, labels: job.labels, dockerfile: 'Dockerfile.squall' };
  return engine.buildImage(tar, options, (text) => job.log.write(text.trimEnd()));
}

/** A static Go binary, alone in its image: built by this host's Go, or in a golang container where it has none. */
export const goBuilder: Builder<GoRecipe> = {
  async contentHash(recipe, description) {
    const files = hashFiles(description.folder, sourceFiles(description.folder, recipe.inputs));
    return [
      ['files', files],
      ['go', (await hostGoVersion()) ?? 'container'],
    ];
  },
  async build(recipe, job, engine) {
    // A command of the recipe's own may run what it builds on its way, so it is run where its results will.
    const other = recipe.command ? whyOtherMachine(engine) : undefined;
    const why = other ?? (await whyNotHostGo(job.description.folder));
    return why ? buildInContainer(recipe, job, engine, why) : buildHere(recipe, job, engine);
  },
};
