import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, symlinkSync } from 'node:fs';
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
  for (const entry of readdirSync(join(PROJECT, 'node_modules'))) {
    if (entry.startsWith('.') || entry === 'squall') continue;
    symlinkSync(join(PROJECT, 'node_modules', entry), join(modules, entry));
  }
  return join(modules, 'squall', 'harness', 'cli', 'squall.mjs');
}

function run(program: string, args: readonly string[], cwd: string): string {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd, encoding: 'utf8' });
  if (status === 0) return stdout;
  throw new Error(`${program} ${args.join(' ')}: ended with ${status}; expected 0: ${stderr}`);
}
