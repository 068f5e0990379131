import { readFileSync } from 'node:fs';
import { release } from 'node:os';
import { gunzipSync } from 'node:zlib';

/** What a kernel was built with: option without CONFIG_ → built in, as a module, or not at all. */
export type KernelConfig = ReadonlyMap<string, 'y' | 'm' | 'n'>;

/** Reads `CONFIG_X=y`, `CONFIG_X=m` and `# CONFIG_X is not set`; other values are not switches. */
export function parseKernelConfig(text: string): KernelConfig {
  const config = new Map<string, 'y' | 'm' | 'n'>();
  for (const line of text.split('\n')) {
    const set = /^CONFIG_(\w+)=([ym])$/.exec(line);
    const unset = /^# CONFIG_(\w+) is not set$/.exec(line);
    if (set) config.set(set[1] ?? '', set[2] === 'y' ? 'y' : 'm');
    else if (unset) config.set(unset[1] ?? '', 'n');
  }
  return config;
}

/** The running kernel's own configuration; undefined where neither the kernel nor its package shows it. */
export function readKernelConfig(): KernelConfig | undefined {
  const places: readonly (readonly [path: string, open: (bytes: Buffer) => string])[] = [
    ['/proc/config.gz', (bytes) => gunzipSync(bytes).toString('utf8')],
    [`/boot/config-${release()}`, (bytes) => bytes.toString('utf8')],
    [`/lib/modules/${release()}/config`, (bytes) => bytes.toString('utf8')],
  ];
  for (const [path, open] of places) {
    try {
      return parseKernelConfig(open(readFileSync(path)));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOENT' && code !== 'EACCES' && code !== 'ENOTDIR') throw error;
    }
  }
  return undefined;
}
