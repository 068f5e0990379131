/**
 * Commands that stand in the guides, and which test runs each. `here`: guide-runs.unit.ts, in a folder with a run in it. `bed`:
 * guides.engine.ts and guide-beds.engine.ts, on the bed that the guide has up. `reference`: guide-faults.engine.ts, on a bed with such nodes. `trials`:
 * guide-runs.engine.ts, until its first trial is under way, or to its end. `planned`: guide-runs.unit.ts with --plan, since it builds
 * a crate first; `make rehearse` plays it. `example`: example.engine.ts. What is of none of these is a command that no test runs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { splitWords } from '../commands/attach.ts';

export const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
export const GUIDES: readonly string[] = [
  'README.md',
  ...readdirSync(join(PROJECT, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
  'docs/example/README.md',
];

export type RunBy = 'here' | 'bed' | 'reference' | 'trials' | 'planned' | 'example';

export interface GuideCommand {
  readonly guide: string;
  /** What stands behind `npx squall`, without what is said beside it. */
  readonly line: string;
  readonly argv: readonly string[];
  /** Between `up` and `down` of its block. */
  readonly onBed: boolean;
}

const HERE = [
  'plan',
  'schema',
  'baseline',
  'timeline',
  'report',
  'recheck',
  'prune',
  'import',
  'bundle',
  'init',
];
const TRIALS = ['run', 'gate', 'mutate', 'repro', 'explore', 'bisect', 'rehearse', 'doctor', 'images'];

/** Guides whose block from `up` to `down` guides.engine.ts runs, on a bed of memberlist. */
export const MEMBERLIST_GUIDES: readonly string[] = ['docs/own-fault.md', 'README.md'];
/** Those whose block guide-beds.engine.ts runs, on a bed of the user's own; and a view of a bed, which stands alone. */
export const OWN_BED_GUIDES: readonly string[] = ['docs/own-system.md', 'docs/incidents.md'];
export const BED_VIEW_GUIDE = 'docs/watching.md';

/** Who runs a command; undefined when nobody does. */
export function runBy({ guide, argv, onBed }: GuideCommand): RunBy | undefined {
  const verb = argv[0] ?? '';
  if (guide === 'docs/faults.md' && verb === 'fault') return 'reference';
  if (guide === 'docs/example/README.md' && verb === 'run') return 'example';
  if (argv.includes('--help') || argv.includes('--plan')) return 'here';
  if (onBed) return [...MEMBERLIST_GUIDES, ...OWN_BED_GUIDES].includes(guide) ? 'bed' : undefined;
  if (verb === 'watch' && argv.includes('--bed')) return guide === BED_VIEW_GUIDE ? 'bed' : undefined;
  if (verb === 'watch' || HERE.includes(verb)) return 'here';
  if (verb === 'rehearse' && argv.some((word) => word.startsWith('ant-node'))) return 'planned';
  return TRIALS.includes(verb) ? 'trials' : undefined;
}

/** The commands of a guide's blocks, one a line, as they stand there. */
export function blockCommands(guide: string): readonly string[] {
  const text = readFileSync(join(PROJECT, guide), 'utf8');
  const lines = text.matchAll(/^(?: {4}(?:[A-Z_]+=\S+ )?npx squall|squall) (.*)$/gm);
  return [...lines].map(([, line]) => withoutRemark(line ?? ''));
}

/** All commands of all guides: those of blocks in their order, then those that stand in a sentence. */
export function guideCommands(guides = GUIDES): readonly GuideCommand[] {
  return guides.flatMap((guide) => [
    ...inOrder(guide, blockCommands(guide)),
    ...inOrder(guide, sentenceCommands(guide)),
  ]);
}

function withoutRemark(line: string): string {
  return line.replace(/(\s+#|\s{2,}|\s\|).*$/, '');
}

function sentenceCommands(guide: string): string[] {
  const text = readFileSync(join(PROJECT, guide), 'utf8');
  return [...text.matchAll(/`npx squall ([^`]+)`/g)].map(([, line]) => (line ?? '').replaceAll(/\s+/g, ' '));
}

function inOrder(guide: string, lines: readonly string[]): GuideCommand[] {
  let isUp = false;
  return lines.map((line) => {
    const argv = splitWords(line);
    const onBed = isUp || argv[0] === 'up';
    isUp = onBed && argv[0] !== 'down';
    return { guide, line, argv, onBed };
  });
}
