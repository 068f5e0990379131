import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/**
 * The packed package unpacked under a folder's node_modules, its dependencies beside it as an install puts them, without
 * asking a registry.
 * @returns the command's file
 */
export function installPacked(dir: string): string {
  const packed = run('npm', ['pack', '--silent', '--pack-destination', dir], PROJECT);
  const modules = join(dir, 'node_modules');
  mkdirSync(join(modules, 'squall'), { recursive: true });
  run('tar', ['-xzf', join(dir, packed.trim()), '-C', join(modules, 'squall'), '--strip-components=1'], dir);
  for (const name of runtimePackages()) {
    mkdirSync(dirname(join(modules, name)), { recursive: true });
    symlinkSync(join(PROJECT, 'node_modules', name), join(modules, name));
  }
  return join(modules, 'squall', 'harness', 'cli', 'squall.mjs');
}

/** What an install of the package brings: a module that only the project's own development has is missing here too. */
function runtimePackages(): string[] {
  const lock = JSON.parse(readFileSync(join(PROJECT, 'package-lock.json'), 'utf8')) as {
    readonly packages: Readonly<Record<string, { readonly dev?: boolean; readonly devOptional?: boolean }>>;
  };
  return Object.entries(lock.packages).flatMap(([path, { dev, devOptional }]) => {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    const isThere = name !== undefined && existsSync(join(PROJECT, path));
    return isThere && !dev && !devOptional ? [name] : [];
  });
}

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')}: ended with ${status}; expected 0: ${stderr}`);
}
