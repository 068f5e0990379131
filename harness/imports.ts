/**
 * Checks the direction of imports between rooms against `imports.json`, and that rooms are entered by their door.
 * Run by `make check`: `npx tsx harness/imports.ts`. Prints one teaching line for each breach; exit 1 when there is one.
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

interface Layers {
  readonly acting: readonly string[];
  readonly judging: readonly string[];
  readonly rooms: Readonly<Record<string, readonly string[]>>;
}

const harnessDir = dirname(fileURLToPath(import.meta.url));

function filesBelow(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name);
    if (statSync(path).isDirectory()) return name === 'node_modules' ? [] : filesBelow(path);
    return /\.m?ts$/.test(name) ? [path] : [];
  });
}

/** The room of a file below `harness/`; undefined for files directly in it (the library's own door). */
function roomOf(path: string, root: string): string | undefined {
  const parts = relative(root, path).split(sep);
  return parts.length > 1 ? parts[0] : undefined;
}

/** Every breach of the import rules below `root`, as a line that says what to do instead. */
export function findBreaches(root: string, layers: Layers): string[] {
  return filesBelow(root).flatMap((file) => {
    const from = roomOf(file, root);
    if (from === undefined) return [];
    const allowed = layers.rooms[from];
    const place = relative(root, file);
    if (!allowed)
      return [`${place}: room "${from}" is not in imports.json; add it with the rooms it may import`];
    // A test may set the scene with any room; the rules are for what ships.
    const isTest = place.split(sep).includes('test');
    const specifiers = [...readFileSync(file, 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)];
    return specifiers.flatMap(([, specifier = '']) => {
      const target = resolve(dirname(file), specifier);
      const to = roomOf(target, root);
      if (to === undefined || to === from || to.startsWith('..')) return [];
      const breaches: string[] = [];
      if (!isTest && !allowed.includes('*') && !allowed.includes(to)) {
        const sides =
          layers.acting.includes(from) && layers.judging.includes(to)
            ? ' (acting rooms never import judging ones: put the shared shape or predicate into record)'
            : layers.judging.includes(from) && layers.acting.includes(to)
              ? ' (judging rooms never import acting ones: everything a judge needs is in the record)'
              : '';
        breaches.push(
          `${place}: imports room "${to}", which "${from}" may not${sides}; move the code down or pass it in`,
        );
      }
      if (!isTest && relative(root, target) !== join(to, 'index.ts')) {
        breaches.push(
          `${place}: enters room "${to}" by ${relative(join(root, to), target)}; export it from ${to}/index.ts and import that`,
        );
      }
      return breaches;
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const layers = JSON.parse(readFileSync(join(harnessDir, 'imports.json'), 'utf8')) as Layers;
  const breaches = findBreaches(harnessDir, layers);
  for (const breach of breaches) console.error(`imports: ${breach}`);
  if (breaches.length > 0) process.exitCode = 1;
  else console.error('imports: every room is entered by its door, in the right direction');
}
