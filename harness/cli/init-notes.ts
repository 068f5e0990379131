import { sep } from 'node:path';

/** What a call of `squall init` has to do with where npm gets Squall. */
export interface SquallSource {
  /** The project has a package.json, which is left as it is. */
  readonly hasPackage: boolean;
  /** `--squall`, where it was given. */
  readonly asked?: string | undefined;
  /** The folder of the Squall that runs, absolute, and as package.json would name it. */
  readonly folder: string;
  readonly here: string;
  readonly workflow: boolean;
}

const NAME_ANOTHER =
  'name one with --squall: a tarball that `npm pack` makes there, or a version that a registry has.';

/** Lines that a user must know of where his project takes Squall from; none when that holds anywhere. */
export function squallNotes({ hasPackage, asked, folder, here, workflow }: SquallSource): string[] {
  if (hasPackage) {
    if (asked === undefined) return [];
    const line = `"squall": ${JSON.stringify(asked)}`;
    return [`package.json is there and was left as it is; add to its devDependencies: ${line}`];
  }
  if (asked !== undefined) return [];
  return [
    `package.json takes Squall from ${here}, a folder of this machine.`,
    ...(isCache(folder) ? [`That is a cache, which may be emptied at any time; ${NAME_ANOTHER}`] : []),
    ...(workflow ? [`The workflow has no such folder, so that its npm ci will fail; ${NAME_ANOTHER}`] : []),
  ];
}

/** Where npx and its kin unpack what they run once. */
function isCache(folder: string): boolean {
  return folder.split(sep).some((part) => ['_npx', '_cacache', '.npm', '.cache', 'dlx'].includes(part));
}
