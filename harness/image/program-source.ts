import { createHash } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SquallError } from '../errors/index.ts';
import { hashCheckout } from './hash-checkout.ts';

/** Where the program of a `cargo` image comes from. */
export type ProgramSource =
  /** A version of the crate, from its registry. */
  | { readonly kind: 'crate'; readonly version: string }
  /** A checkout, built where it lies. */
  | { readonly kind: 'folder'; readonly path: string }
  /** A binary of one's own. */
  | { readonly kind: 'binary'; readonly path: string }
  /** An image of one's own that has the program in its PATH. */
  | { readonly kind: 'image'; readonly reference: string };

/**
 * What stands behind the colon of `ant-node:…`: a version such as 0.23.1, a path with a slash in it (a binary, or a
 * folder with a Cargo.toml), or `from:REFERENCE` for an image.
 * @throws SquallError `bad-version` (input)
 */
export function programSource(name: string, version: string): ProgramSource {
  if (version.startsWith('from:')) return { kind: 'image', reference: version.slice('from:'.length) };
  if (version.includes('/')) {
    const path = resolve(version);
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat?.isFile()) return { kind: 'binary', path };
    if (stat?.isDirectory() && existsSync(join(path, 'Cargo.toml'))) return { kind: 'folder', path };
    throw bad(name, version, stat ? 'it is a folder without a Cargo.toml' : 'there is nothing of this name');
  }
  const exact = version.replace(/^v/, '');
  if (/^\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?$/.test(exact)) return { kind: 'crate', version: exact };
  throw bad(name, version, 'it is no version');
}

function bad(name: string, version: string, why: string): SquallError {
  return new SquallError(
    `image ${name}:${version}: ${why}; expected a whole version such as 0.23.1, a path with a slash, or from:IMAGE.`,
    {
      code: 'bad-version',
      blame: 'input',
      hint: `Write ${name}:./target/release/${name} for a binary here.`,
    },
  );
}

/** What decides the program: its version, its bytes, its sources, or the reference. */
export function sourceHash(source: ProgramSource): string {
  switch (source.kind) {
    case 'crate':
      return source.version;
    case 'binary':
      return createHash('sha256').update(readFileSync(source.path)).digest('hex');
    case 'folder':
      return hashCheckout(source.path);
    case 'image':
      return source.reference;
  }
}
