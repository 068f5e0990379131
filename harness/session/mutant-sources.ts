import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { readDocument } from '../document/index.ts';
import { readImages } from '../image/index.ts';
import type { MutantSource } from '../report/index.ts';

/** Where each mutant stands in its image's `image.json`, with that file's text: what a viewer shows. */
export function mutantSources(
  mutants: readonly { readonly image: string; readonly mutant: string }[],
): MutantSource[] {
  const names = new Set(mutants.map((one) => one.image));
  return readImages()
    .filter((image) => names.has(image.name))
    .map((image) => {
      const source = readFileSync(join(image.folder, 'image.json'), 'utf8');
      const lines = source.split('\n');
      const { locate } = readDocument(source, z.unknown());
      const at = (mutant: string) => {
        const start = locate(['mutants', mutant], 'key') ?? { line: 1, column: 1 };
        return { start, end: { line: start.line, column: (lines[start.line - 1]?.length ?? 0) + 1 } };
      };
      return {
        image: image.name,
        file: `images/${image.name}/image.json`,
        source,
        mutants: Object.entries(image.mutants).map(([mutant, { description, settings }]) => ({
          mutant,
          location: at(mutant),
          replacement: JSON.stringify(settings),
          ...(description !== undefined && { description }),
        })),
      };
    });
}
