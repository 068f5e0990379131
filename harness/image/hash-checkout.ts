import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { hashParts } from './content-hash.ts';

/** Beside a Cargo.toml: what cargo leaves there, and what no installed binary is made of. */
const NOT_BUILT = ['target', 'tests', 'benches', 'examples'];

/** Folders by which a manifest names other packages: dependencies, patches and replacements alike. */
const PATH = /\bpath\s*=\s*["']([^"']+)["']/g;

/**
 * SHA-256 over all that decides what a checkout builds to: its files, those of the workspace that it is a member of, and
 * those of every package that a manifest among them names by its path, wherever that lies. The same checkout in another place has the same.
 */
export function hashCheckout(folder: string): string {
  const files = checkoutFiles(folder);
  return hashParts(files.map((file) => [relative(folder, file).split(sep).join('/'), readFileSync(file)]));
}

/** Absolute, in a fixed order. */
export function checkoutFiles(folder: string): readonly string[] {
  const files = new Set<string>();
  const roots: string[] = [];
  const isWithin = (path: string, root: string): boolean => path === root || path.startsWith(root + sep);
  const take = (path: string): void => {
    const root = workspaceOf(path);
    if (roots.some((known) => isWithin(root, known))) return;
    roots.push(root);
    for (const file of filesBelow(root)) {
      if (files.has(file)) continue;
      files.add(file);
      if (!file.endsWith(`${sep}Cargo.toml`)) continue;
      for (const [, named = ''] of readFileSync(file, 'utf8').matchAll(PATH)) {
        const other = resolve(dirname(file), named);
        if (existsSync(join(other, 'Cargo.toml'))) take(other);
      }
    }
  };
  take(resolve(folder));
  return [...files].sort();
}

/** The workspace that a package is in, by its manifest: the nearest folder above with one, or its own. */
function workspaceOf(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    const manifest = join(at, 'Cargo.toml');
    if (existsSync(manifest) && /^\s*\[workspace[.\]]/m.test(readFileSync(manifest, 'utf8'))) return at;
    if (at === dirname(at)) return folder;
  }
}

function filesBelow(folder: string): string[] {
  const isPackage = existsSync(join(folder, 'Cargo.toml'));
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const { name } = entry;
    const path = join(folder, name);
    // Editors' and git's; cargo reads its own.
    if ((name.startsWith('.') && name !== '.cargo') || name === 'node_modules') return [];
    if (entry.isDirectory()) return isPackage && NOT_BUILT.includes(name) ? [] : filesBelow(path);
    return statSync(path, { throwIfNoEntry: false })?.isFile() ? [path] : [];
  });
}
