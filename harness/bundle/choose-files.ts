import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Cleaning } from './clean-file.ts';

/** Kinds of files that a bundle may do without. */
export const OPTIONAL_PARTS = ['logs', 'events', 'pcap'] as const;
export type OptionalPart = (typeof OPTIONAL_PARTS)[number];

export interface ChosenFile {
  /** Relative to the run's folder, with forward slashes. */
  readonly path: string;
  readonly what: string;
  readonly cleaning: Cleaning;
}

const TRIAL = 'trials/[^/]+/\\d+';
const KINDS: readonly {
  readonly pattern: RegExp;
  readonly what: string;
  readonly cleaning: Cleaning;
  readonly part?: OptionalPart;
}[] = [
  { pattern: /^plan\.json$/, what: 'what was going to run, with the checks as they stood', cleaning: 'text' },
  { pattern: /^inputs\.json$/, what: 'scenarios, topologies and points, to run it again', cleaning: 'text' },
  { pattern: /^run\.json$/, what: 'the verdict', cleaning: 'text' },
  { pattern: /^events\.jsonl$/, what: "the harness's timeline", cleaning: 'lines' },
  {
    pattern: new RegExp(`^${TRIAL}/trial\\.json$`),
    what: 'a trial, without the environments of its nodes',
    cleaning: 'trial',
  },
  {
    pattern: new RegExp(`^${TRIAL}/diagnosis\\.json$`),
    what: 'what nodes said of themselves when a trial failed',
    cleaning: 'text',
  },
  {
    pattern: new RegExp(`^${TRIAL}/events\\.jsonl$`),
    what: 'events of a trial',
    cleaning: 'lines',
    part: 'events',
  },
  {
    pattern: new RegExp(`^${TRIAL}/logs/[^/]+\\.log$`),
    what: 'log of a node',
    cleaning: 'lines',
    part: 'logs',
  },
  { pattern: new RegExp(`^${TRIAL}/pcap/[^/]+$`), what: 'packet capture', cleaning: 'as-is', part: 'pcap' },
];

/** What of a run goes into a bundle, sorted; reports can be drawn again, and what is not known stays behind. */
export async function chooseFiles(
  runDir: string,
  without: readonly OptionalPart[],
): Promise<{ readonly files: readonly ChosenFile[]; readonly leftOut: readonly string[] }> {
  const files: ChosenFile[] = [];
  const others = new Map<string, number>();
  const count = (why: string): void => void others.set(why, (others.get(why) ?? 0) + 1);
  for (const path of (await filesBelow(runDir)).sort()) {
    const kind = KINDS.find(({ pattern }) => pattern.test(path));
    if (kind?.part !== undefined && without.includes(kind.part)) count(`${kind.part}, as asked`);
    else if (kind) files.push({ path, what: kind.what, cleaning: kind.cleaning });
    else if (!/^(index\.html|junit\.xml)$/.test(path)) count('files of other kinds');
  }
  const told = [...others].map(([why, number]) => `${why}: ${number} file${number === 1 ? '' : 's'}`);
  return {
    files,
    leftOut: [
      'environments of nodes and of this machine',
      'what looks like a secret, in texts',
      ...(files.some(({ cleaning }) => cleaning === 'as-is')
        ? [
            'nothing from packet captures, which are in it as they were taken (--without pcap leaves them out)',
          ]
        : []),
      ...told,
    ],
  };
}

/** Links are not followed: a run holds none of its own. */
async function filesBelow(dir: string, prefix = ''): Promise<string[]> {
  const entries = await readdir(join(dir, prefix), { withFileTypes: true });
  const nested = entries.map(async (entry) => {
    const path = prefix === '' ? entry.name : `${prefix}/${entry.name}`;
    if (entry.isDirectory()) return await filesBelow(dir, path);
    return entry.isFile() ? [path] : [];
  });
  return (await Promise.all(nested)).flat();
}
