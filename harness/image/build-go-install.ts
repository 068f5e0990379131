import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../program/index.ts';
import { importBinary } from './binary-image.ts';
import type { Builder } from './builder.ts';
import { GO_ENVIRONMENT, hostGoVersion } from './go-toolchain.ts';
import type { BuildRecipe } from './image-schema.ts';
import { whyOtherMachine } from './machine-arch.ts';

type GoInstallRecipe = Extract<BuildRecipe, { kind: 'go-install' }>;

/** A published Go program, as it is: `go install MODULE@VERSION` with this host's Go. */
export const goInstallBuilder: Builder<GoInstallRecipe> = {
  async contentHash() {
    return [['go', (await hostGoVersion()) ?? 'none']];
  },
  async build(recipe, job, engine) {
    if (!(await hostGoVersion())) throw job.log.failure('cannot be built: this host has no Go. Install it');
    const other = whyOtherMachine(engine);
    if (other) throw job.log.failure(`cannot be built here: ${other}. Name a published image, or load one`);
    const bin = await mkdtemp(join(tmpdir(), 'squall-build-'));
    try {
      const target = `${recipe.module}@${recipe.version}`;
      const command = ['go', 'install', '-trimpath', '-ldflags', '-s -w', target];
      job.log.write(`$ ${command.join(' ')}`);
      const result = await runProgram(command, {
        cwd: bin,
        environment: { ...GO_ENVIRONMENT, GOBIN: bin },
        onLine: (line) => job.log.write(line),
        signal: job.signal,
      });
      const [binary] = await readdir(bin);
      if (result.exitCode !== 0 || !binary) {
        throw job.log.failure(`\`${command.join(' ')}\` ended with ${result.exitCode}; expected one binary`);
      }
      const options = { name: job.description.name, tag: job.tag, labels: job.labels };
      return await importBinary(engine, join(bin, binary), options);
    } finally {
      await rm(bin, { recursive: true, force: true });
    }
  },
};
