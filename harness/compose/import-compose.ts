import { basename, dirname, resolve } from 'node:path';
import { Document } from 'yaml';
import { SquallError } from '../errors/index.ts';
import { readCompose } from './read-compose.ts';
import { serviceGroup } from './service-group.ts';

export interface ImportedTopology {
  /** A topology file. */
  readonly text: string;
  /** What the compose file says and the topology does not, each with its line. */
  readonly notes: readonly string[];
}

/**
 * A compose file as a topology. Services become groups of nodes that are named as they are, so that they find each other by
 * the same names; what is not carried over is told.
 * @param options `variables` for `${…}`; `images` by service, in place of the file's, or where it would build
 * @throws SquallError `invalid-document`, `no-image` (input)
 */
export function importCompose(
  text: string,
  file: string,
  options: {
    readonly variables?: Readonly<Record<string, string>>;
    readonly images?: Readonly<Record<string, string>>;
  } = {},
): ImportedTopology {
  const { images = {}, variables = {} } = options;
  const compose = readCompose(text, file, variables);
  const notes: string[] = [];
  const unbuilt: string[] = [];
  const nodes = Object.entries(compose.services).map(([name, service]) =>
    serviceGroup(name, service, images, (key, message) => {
      const path = key === '' ? ['services', name] : ['services', name, key];
      if (key === 'build') unbuilt.push(name);
      notes.push(`${file}:${compose.lineOf(path) ?? 1} ${path.join('.')}: ${message}`);
    }),
  );
  if (unbuilt.length > 0) {
    throw new SquallError(
      `compose file ${file}: ${unbuilt.join(', ')} would be built; expected an image for each.`,
      {
        code: 'no-image',
        blame: 'input',
        hint: `Build it and give its name: ${unbuilt.map((name) => `--image ${name}=REFERENCE`).join(' ')}.`,
      },
    );
  }
  const document = new Document({
    name: nameOf(compose.name ?? basename(dirname(resolve(file)))),
    description: `Imported from ${basename(file)}`,
    nodes,
  });
  document.commentBefore = [
    ` What ${basename(file)} says and this does not:`,
    ...notes.map((one) => `   ${one}`),
  ].join('\n');
  if (notes.length === 0) document.commentBefore = null;
  return { text: document.toString({ lineWidth: 110, flowCollectionPadding: false }), notes };
}

function nameOf(text: string): string {
  const name = text
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .replace(/-+$/, '');
  return name === '' ? 'imported' : name;
}
