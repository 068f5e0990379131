import type { ArgumentsCamelCase, Argv, CommandModule } from 'yargs';
import { combineErrors } from '../../errors/index.ts';
import type { ImageRequest, ImageStatus } from '../../image/index.ts';
import { formatBytes } from '../../units/index.ts';
import { formatTable } from '../table.ts';

interface CommonArguments {
  readonly names: readonly string[];
  readonly json: boolean;
  readonly yes?: boolean;
}

interface PruneArguments extends CommonArguments {
  readonly 'dry-run': boolean;
  readonly all: boolean;
}

const withNames = <T>(cli: Argv<T>) =>
  cli
    .positional('names', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'images; all when none is named',
    })
    .option('json', { type: 'boolean', default: false, describe: 'print the outcome as JSON' });

async function build(args: ArgumentsCamelCase<CommonArguments>): Promise<void> {
  const [
    { ensureImage, readImages, requireImage },
    { createShutdown },
    { findEngineFor },
    { progressLines },
  ] = await Promise.all([
    import('../../image/index.ts'),
    import('../../testnet/index.ts'),
    import('../find-engine-for.ts'),
    import('../progress-lines.ts'),
  ]);
  // What takes minutes is built when it is named.
  const wanted: readonly ImageRequest[] =
    args.names.length > 0
      ? args.names.map((word) => namedImage(word, (name) => requireImage(name).name))
      : readImages()
          .filter((one) => one.build.kind !== 'cargo')
          .map(({ name }) => ({ kind: 'ours', name }));
  using shutdown = createShutdown();
  const engine = await findEngineFor(args, shutdown.signal);
  try {
    const onProgress = progressLines();
    const settled = await Promise.allSettled(
      wanted.map(async (request) => ({
        name: labelOf(request),
        ...(await ensureImage(engine, request, { onProgress, signal: shutdown.signal })),
      })),
    );
    const done = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    if (args.json) process.stdout.write(`${JSON.stringify(done, null, 2)}\n`);
    else process.stdout.write(`${formatTable(done.map((one) => [one.outcome, one.name, one.reference]))}\n`);
    const failures = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    const failure = combineErrors(`${failures.length} images could not be made`, failures);
    if (failure) throw failure;
  } finally {
    engine.close();
    if (shutdown.exitCode) process.exitCode = shutdown.exitCode;
  }
}

/** `NAME` or `NAME:VERSION` of ours; what is behind the first colon is the image's business. */
function namedImage(word: string, require: (name: string) => string): ImageRequest {
  const at = word.indexOf(':');
  return at < 0
    ? { kind: 'ours', name: require(word) }
    : { kind: 'ours', name: require(word.slice(0, at)), version: word.slice(at + 1) };
}

function labelOf(request: ImageRequest): string {
  if (request.kind === 'reference') return request.reference;
  return request.version === undefined ? request.name : `${request.name}:${request.version}`;
}

function describeState(status: ImageStatus): string {
  if (status.state === 'broken') return `broken: ${status.problem}`;
  const stale = status.staleTags.length;
  return stale > 0 ? `${status.state} (${stale} older ${stale === 1 ? 'build' : 'builds'})` : status.state;
}

async function list(args: ArgumentsCamelCase<CommonArguments>): Promise<void> {
  const [{ listImages }, { findEngineFor }] = await Promise.all([
    import('../../image/index.ts'),
    import('../find-engine-for.ts'),
  ]);
  const engine = await findEngineFor(args);
  try {
    const all = await listImages(engine);
    const shown = all.filter((image) => args.names.length === 0 || args.names.includes(image.name));
    if (args.json) {
      process.stdout.write(`${JSON.stringify(shown, null, 2)}\n`);
      return;
    }
    const rows = shown.map((image) => [
      image.name,
      image.build,
      image.sizeBytes === undefined ? '-' : formatBytes(image.sizeBytes),
      image.tag,
      describeState(image),
    ]);
    process.stdout.write(`${formatTable([['IMAGE', 'BUILD', 'SIZE', 'TAG', 'STATE'], ...rows])}\n`);
  } finally {
    engine.close();
  }
}

async function prune(args: ArgumentsCamelCase<PruneArguments>): Promise<void> {
  const [{ pruneImages }, { findEngineFor }] = await Promise.all([
    import('../../image/index.ts'),
    import('../find-engine-for.ts'),
  ]);
  const engine = await findEngineFor(args);
  try {
    const pruned = await pruneImages(engine, { dryRun: args['dry-run'], all: args.all, names: args.names });
    if (args.json) process.stdout.write(`${JSON.stringify(pruned, null, 2)}\n`);
    else if (pruned.length === 0) process.stdout.write('nothing of ours is unused\n');
    else {
      const rows = pruned.map((image) => [image.outcome, formatBytes(image.sizeBytes), image.reference]);
      process.stdout.write(`${formatTable(rows)}\n`);
    }
  } finally {
    engine.close();
  }
}

interface ArchiveArguments extends CommonArguments {
  readonly file: string;
}

async function save(args: ArgumentsCamelCase<ArchiveArguments>): Promise<void> {
  const [{ readImages, requireImage, saveImages }, { createShutdown }, { findEngineFor }, { progressLines }] =
    await Promise.all([
      import('../../image/index.ts'),
      import('../../testnet/index.ts'),
      import('../find-engine-for.ts'),
      import('../progress-lines.ts'),
    ]);
  const ours = readImages();
  const wanted: readonly ImageRequest[] =
    args.names.length > 0
      ? args.names.map((word) =>
          ours.some(({ name }) => name === word.split(':')[0])
            ? namedImage(word, (name) => requireImage(name).name)
            : { kind: 'reference', reference: word },
        )
      : ours.filter((one) => one.build.kind !== 'cargo').map(({ name }) => ({ kind: 'ours', name }));
  using shutdown = createShutdown();
  const engine = await findEngineFor(args, shutdown.signal);
  try {
    const options = { onProgress: progressLines(), signal: shutdown.signal };
    const { images, sizeBytes } = await saveImages(engine, wanted, args.file, options);
    if (args.json) process.stdout.write(`${JSON.stringify({ images, sizeBytes }, null, 2)}\n`);
    else {
      const rows = images.map(({ name, reference, arch }) => [name, reference, arch ?? '-']);
      process.stdout.write(`${formatTable(rows)}\n${args.file}: ${formatBytes(sizeBytes)}\n`);
    }
  } finally {
    engine.close();
    if (shutdown.exitCode) process.exitCode = shutdown.exitCode;
  }
}

async function load(args: ArgumentsCamelCase<ArchiveArguments>): Promise<void> {
  const [{ loadImages }, { createShutdown }, { findEngineFor }] = await Promise.all([
    import('../../image/index.ts'),
    import('../../testnet/index.ts'),
    import('../find-engine-for.ts'),
  ]);
  using shutdown = createShutdown();
  const engine = await findEngineFor(args, shutdown.signal);
  try {
    const images = await loadImages(engine, args.file, { signal: shutdown.signal });
    if (args.json) process.stdout.write(`${JSON.stringify(images, null, 2)}\n`);
    else
      process.stdout.write(
        `${formatTable(images.map(({ name, reference }) => ['loaded', name, reference]))}\n`,
      );
  } finally {
    engine.close();
    if (shutdown.exitCode) process.exitCode = shutdown.exitCode;
  }
}

export const command: CommandModule = {
  command: 'images',
  describe: 'build, list, prune, save and load the images of this project',
  builder: (cli) =>
    cli
      .command(
        'build [names..]',
        'build or pull what is missing; says pulled, built or cached',
        withNames,
        build,
      )
      .command('list [names..]', 'what the engine has, and whether it is up to date', withNames, list)
      .command(
        'prune [names..]',
        'remove our images that nothing uses',
        (prunable) =>
          withNames(prunable)
            .option('dry-run', {
              type: 'boolean',
              default: false,
              describe: 'only say what would be removed',
            })
            .option('all', { type: 'boolean', default: false, describe: 'also what is up to date' }),
        prune,
      )
      .command(
        'save <file> [names..]',
        'write images as an archive for a machine without a registry; .tar.gz is compressed',
        (archive) => withNames(archive).positional('file', { type: 'string', demandOption: true }),
        save,
      )
      .command(
        'load <file>',
        'bring an archive into the engine; what it has of ours is then not built',
        (archive) =>
          withNames(archive).positional('file', {
            type: 'string',
            demandOption: true,
            describe: 'of `images save`',
          }),
        load,
      )
      .demandCommand(1, 'squall images: say what to do: build, list, prune, save or load')
      .example('$0 images build', 'all of them; the second time nothing is built')
      .example('$0 images build memberlist-node toxiproxy', 'these two')
      .example('$0 images prune --dry-run', 'what older builds take up')
      .example('$0 images save squall-images.tar.gz', 'all of ours, for a machine without a registry')
      .example('$0 images save mine.tar.gz memberlist-node registry.example/app:1.2', 'these two'),
  handler: () => undefined,
};
