import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Raised when the way of building changes so that images built before must not be reused. */
export const BUILDER_VERSION = 1;

/** What no build reads: tests, prose, editors' and git's files, and the description itself (its recipe is hashed apart). */
const NOT_SOURCE =
  /(^|\/)(\.[^/]*|node_modules|test|testdata|README[^/]*|[^/]*\.md|[^/]*_test\.go|[^/]*\.test\.ts|image\.json)$/;

/** What is no part of a build context either. */
const NOT_CONTEXT = /(^|\/)(\.git|node_modules|image\.json)$/;

/** Files that a build of sources may read, relative to the folder, in a fixed order. */
export function sourceFiles(folder: string, inputs?: readonly string[]): readonly string[] {
  return filesBelow(folder, inputs, NOT_SOURCE);
}

/** Files that a Dockerfile may copy: all but git's, packages' and the description. */
export function contextFiles(folder: string, inputs?: readonly string[]): readonly string[] {
  return filesBelow(folder, inputs, NOT_CONTEXT);
}

function filesBelow(folder: string, inputs: readonly string[] | undefined, left: RegExp): readonly string[] {
  const found: string[] = [];
  const visit = (path: string): void => {
    if (left.test(path)) return;
    if (statSync(join(folder, path)).isDirectory()) {
      for (const name of readdirSync(join(folder, path))) visit(path === '.' ? name : `${path}/${name}`);
    } else {
      found.push(path);
    }
  };
  for (const input of inputs ?? readdirSync(folder)) visit(input.replace(/\/+$/, ''));
  return [...new Set(found)].sort();
}

/** Parts of a content hash that are this machine's tools, and no part of what an image was made from. */
const TOOLS: Readonly<Record<string, readonly string[]>> = {
  go: ['go'],
  'go-install': ['go'],
  cargo: ['go', 'profile'],
  node: ['base'],
  'node-base': ['node', 'files'],
  dockerfile: [],
};

/** The parts that are sources: the same on every machine with the same checkout. */
export function sourceParts<T extends readonly [string, string]>(
  kind: string,
  parts: readonly T[],
): readonly T[] {
  return parts.filter(([name]) => !TOOLS[kind]?.includes(name));
}

/** SHA-256, in hexadecimal, over named parts: a part cannot run into the next. */
export function hashParts(parts: readonly (readonly [name: string, content: string | Buffer])[]): string {
  const hash = createHash('sha256');
  for (const [name, content] of parts) {
    const bytes = Buffer.from(content);
    hash.update(`${name}\0${bytes.length}\0`).update(bytes);
  }
  return hash.digest('hex');
}

export function hashFiles(folder: string, files: readonly string[]): string {
  return hashParts(files.map((file) => [file, readFileSync(join(folder, file))]));
}
