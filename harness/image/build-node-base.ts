import { createHash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { arch, platform } from 'node:process';
import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import { findProgram, runProgram } from '../program/index.ts';
import type { Builder } from './builder.ts';
import { EPOCH } from './context-tar.ts';
import type { BuildRecipe } from './image-schema.ts';
import { whyOtherMachine } from './machine-arch.ts';

type NodeBaseRecipe = Extract<BuildRecipe, { kind: 'node-base' }>;

const PASSWD = 'root:x:0:0:root:/root:/sbin/nologin\nnobody:x:65534:65534:nobody:/:/sbin/nologin\n';
const GROUP = 'root:x:0:\nnogroup:x:65534:\n';
const PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Paths in what `ldd` prints: `libm.so.6 => /lib/libm.so.6 (0x…)` and `/lib64/ld-linux-x86-64.so.2 (0x…)`. */
export function parseLdd(lines: readonly string[]): readonly string[] {
  return lines.flatMap((line) => /(?:=>\s+|^\s*)(\/\S+)\s+\(0x/.exec(line)?.[1] ?? []);
}

interface BaseFile {
  readonly source: string;
  readonly target: string;
}

/** This host's Node and what it links to, at the paths where the loader looks, and a static busybox where there is one. */
async function baseFiles(): Promise<readonly BaseFile[]> {
  const node = realpathSync(process.execPath);
  const lines: string[] = [];
  if (platform === 'linux') await runProgram(['ldd', node], { onLine: (line) => lines.push(line) });
  const libraries = parseLdd(lines).map((path) => ({ source: realpathSync(path), target: path }));
  const shell = await staticBusybox();
  return [
    { source: node, target: '/usr/local/bin/node' },
    ...libraries,
    ...(shell ? [{ source: shell, target: '/bin/busybox' }] : []),
  ];
}

/** Only a static one works without its distribution around it. */
async function staticBusybox(): Promise<string | undefined> {
  const path = platform === 'linux' ? findProgram('busybox') : undefined;
  if (!path) return undefined;
  const lines: string[] = [];
  await runProgram(['ldd', path], { onLine: (line) => lines.push(line) });
  return lines.some((line) => /not a dynamic executable|statically linked/.test(line))
    ? realpathSync(path)
    : undefined;
}

/** Names for busybox to be called by: enough to look around in a node. */
const BUSYBOX_NAMES = ['sh', 'ls', 'cat', 'ps', 'ip', 'nc', 'ping', 'wget', 'sleep', 'kill', 'df', 'dd'];

/** The base of our TypeScript images where no registry has one: an image from this host's own Node. */
export const nodeBaseBuilder: Builder<NodeBaseRecipe> = {
  /** Version, size and time of each file stand for its content, which is 100 MB. */
  async contentHash() {
    const hash = createHash('sha256');
    for (const { source, target } of await baseFiles()) {
      const { size, mtimeMs } = statSync(source);
      hash.update(`${target}\0${size}\0${mtimeMs}\0`);
    }
    return [
      ['node', process.version],
      ['files', hash.digest('hex')],
    ];
  },
  async build(_recipe, job, engine) {
    if (platform !== 'linux' || whyOtherMachine(engine)) {
      throw job.log.failure(
        `cannot be made from this host's Node (${platform}/${arch}) for an engine of linux/${engine.info.arch}, and no registry answers for ${job.description.pull}`,
      );
    }
    const tar = pack();
    tar.entry({ name: 'tmp', type: 'directory', mode: 0o1777, mtime: EPOCH });
    tar.entry({ name: 'etc/passwd', mtime: EPOCH }, PASSWD);
    tar.entry({ name: 'etc/group', mtime: EPOCH }, GROUP);
    const files = await baseFiles();
    const filled = (async () => {
      for (const { source, target } of files) {
        job.log.write(`${target} from ${source}`);
        tar.entry({ name: target.slice(1), mode: 0o755, mtime: EPOCH }, await readFile(source));
      }
      if (files.some((file) => file.target === '/bin/busybox')) {
        for (const name of BUSYBOX_NAMES) {
          tar.entry({ name: `bin/${name}`, type: 'symlink', linkname: 'busybox', mtime: EPOCH });
        }
      }
      tar.finalize();
    })();
    const changes = [`ENV PATH=${PATH}`, 'CMD ["node"]'];
    const made = engine.importImage(Readable.from(tar), { tag: job.tag, labels: job.labels, changes });
    return (await Promise.all([made, filled]))[0];
  },
};
