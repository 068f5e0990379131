import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  gatherProblems,
  type ProblemPath,
  type Report,
  readDocument,
  requireNoProblems,
  suggestionFor,
} from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import { type ImageDocument, imageSchema, type SettingDocument } from './image-schema.ts';

/** One of our images: what its image.json says, and where it lies. */
export interface ImageDescription extends ImageDocument {
  /** Absolute path of its folder. */
  readonly folder: string;
}

/** The folder of images that Squall ships. */
export const IMAGES_DIR = fileURLToPath(new URL('../../images/', import.meta.url));

const TYPE_OF: Readonly<Record<SettingDocument['type'], 'boolean' | 'number' | 'string'>> = {
  boolean: 'boolean',
  integer: 'number',
  number: 'number',
  ratio: 'number',
  duration: 'number',
  bytes: 'number',
  port: 'number',
  choice: 'string',
  list: 'string',
  text: 'string',
};

/** What the schema cannot see: names that must agree with each other, values that must fit their setting. */
function checkNames(document: ImageDocument, folderName: string, add: Report): void {
  if (document.name !== folderName)
    add(['name'], `"${document.name}" in the folder ${folderName}; expected the same name`);
  const settings = new Map<string, SettingDocument>();
  document.settings.forEach((setting, index) => {
    if (settings.has(setting.name)) add(['settings', index, 'name'], `"${setting.name}" is there twice`);
    settings.set(setting.name, setting);
    if (setting.type === 'duration' && !setting.unit) add(['settings', index], 'a duration needs its unit');
    if (setting.default !== undefined)
      checkValue(['settings', index, 'default'], setting, setting.default, add);
  });
  if (document.keeps !== undefined) {
    const folder = settings.get(document.keeps);
    if (!folder)
      add(
        ['keeps'],
        `"${document.keeps}" is no setting${suggestionFor(document.keeps, [...settings.keys()])}`,
      );
    else if (folder.type !== 'text' || !String(folder.default ?? '').startsWith('/'))
      add(['keeps'], `"${document.keeps}" has no folder as its default; expected an absolute path`);
  }
  document.fixes.forEach((fix, index) => {
    const setting = settings.get(fix);
    if (!setting) add(['fixes', index], `"${fix}" is no setting${suggestionFor(fix, [...settings.keys()])}`);
    else if (setting.type !== 'boolean')
      add(['fixes', index], `"${fix}" is not boolean; a fix is switched on or off`);
  });
  for (const kind of ['variants', 'mutants'] as const) {
    for (const [name, variant] of Object.entries(document[kind])) {
      for (const [key, value] of Object.entries(variant.settings)) {
        const path = [kind, name, 'settings', key];
        const setting = settings.get(key);
        if (!setting) add(path, `no such setting${suggestionFor(key, [...settings.keys()])}`);
        else checkValue(path, setting, value, add);
      }
      if (kind === 'mutants' && name in document.variants)
        add([kind, name], 'a variant has this name already');
    }
  }
  for (const [name, mutant] of Object.entries(document.mutants)) {
    if (!document.fixes.includes(mutant.mutates.fix)) {
      add(
        ['mutants', name, 'mutates', 'fix'],
        `"${mutant.mutates.fix}" is no fix${suggestionFor(mutant.mutates.fix, document.fixes)}`,
      );
    }
  }
}

function checkValue(
  path: ProblemPath,
  setting: SettingDocument,
  value: string | number | boolean,
  add: Report,
): void {
  const expected = TYPE_OF[setting.type];
  if (typeof value !== expected)
    add(path, `${JSON.stringify(value)} found; expected a ${expected} (${setting.type})`);
  else if (setting.choices && !setting.choices.includes(String(value))) {
    add(path, `"${value}" is not a choice${suggestionFor(String(value), setting.choices)}`);
  } else if (
    typeof value === 'number' &&
    (value < (setting.minimum ?? value) || value > (setting.maximum ?? value))
  ) {
    add(path, `${value} found; expected ${setting.minimum ?? ''} to ${setting.maximum ?? ''}`);
  }
}

/** What each image.json said when it was last read: a gate makes many plans, and each needs every image. */
const lastRead = new Map<string, { readonly text: string; readonly image: ImageDescription }>();

/** Reads one image.json. @throws SquallError `invalid-document` (input) with every problem placed. */
export function readImage(folder: string): ImageDescription {
  const file = join(folder, 'image.json');
  const text = readFileSync(file, 'utf8');
  const last = lastRead.get(folder);
  if (last?.text === text) return last.image;
  const image = describeImage(folder, file, text);
  lastRead.set(folder, { text, image });
  return image;
}

function describeImage(folder: string, file: string, text: string): ImageDescription {
  const read = readDocument(text, imageSchema);
  const document = read.value ?? read.salvaged;
  const { problems, report } = gatherProblems(read);
  if (document) checkNames(document, folder.replace(/\/+$/, '').split('/').at(-1) ?? '', report);
  requireNoProblems('image description', relative(process.cwd(), file), problems);
  return { ...(read.value as ImageDocument), folder };
}

/** All images below a folder, by name. Folders without image.json are shared sources, not images. */
export function readImages(directory: string = IMAGES_DIR): readonly ImageDescription[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(directory, entry.name))
    .filter((folder) => readdirSync(folder).includes('image.json'))
    .sort()
    .map(readImage);
}

/** The image of this name. @throws SquallError `unknown-image` (input) with a suggestion. */
export function requireImage(name: string, directory: string = IMAGES_DIR): ImageDescription {
  const entries = readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = entries
    .map((entry) => entry.name)
    .filter((folder) => readdirSync(join(directory, folder)).includes('image.json'));
  if (names.includes(name)) return readImage(join(directory, name));
  throw new SquallError(`image "${name}": none of ours has this name${suggestionFor(name, names)}`, {
    code: 'unknown-image',
    blame: 'input',
    facts: { known: names },
    hint: 'List them with `squall images list`.',
  });
}
