import type { Argv } from 'yargs';
import { findSuite, type LoadedSuite } from '../suite/index.ts';

/** Suites as words of a call; the same for `plan`, `run` and `mutate`. */
export interface SuiteArguments {
  readonly suites: readonly string[];
}

export function addSuites<T>(cli: Argv<T>): Argv<T & SuiteArguments> {
  return cli.positional('suites', {
    type: 'string',
    array: true,
    demandOption: true,
    describe: 'folders of suites, or single scenario files',
  });
}

/** As `addSuites`, where none means all of them. */
export function addSuitesOrAll<T>(cli: Argv<T>): Argv<T & SuiteArguments> {
  return cli.positional('suites', {
    type: 'string',
    array: true,
    default: [],
    describe: 'folders of suites, or single scenario files; all under suites/ when none is named',
  });
}

/** Options of `plan`, `run` and `mutate` that take a value, so that the value is not taken for a suite. */
const VALUE_OPTIONS = new Set([
  'set',
  'trials',
  'seed',
  'grep',
  'scenario',
  'grid',
  'warp',
  'parallel-beds',
  'reports',
  'mutant',
  'threshold',
]);

/**
 * Words of a call that name suites, found before the options are known: a suite's parameters are options themselves. The
 * value of an option that is not known yet may stand where a suite could; it counts as one only if it is one on disk.
 */
export function suiteWords(argv: readonly string[]): string[] {
  const words: string[] = [];
  for (const [index, word] of argv.entries()) {
    if (index === 0 || word.startsWith('-')) continue;
    const before = argv[index - 1] ?? '';
    if (before.startsWith('--') && VALUE_OPTIONS.has(before.slice(2))) continue;
    const isFirst = !argv.slice(1, index).some((earlier) => earlier.startsWith('-'));
    if (isFirst || findSuite(word) !== undefined) words.push(word);
  }
  return words;
}

/** Loads the suites that a call names, or all where it names none; nothing is started. */
export async function loadNamedSuites(argv: readonly string[]): Promise<LoadedSuite[]> {
  const { knownSuites, loadSuite } = await import('../suite/index.ts');
  const words = suiteWords(argv);
  const suites: LoadedSuite[] = [];
  for (const word of words.length > 0 ? words : knownSuites()) suites.push(await loadSuite(word));
  return suites;
}
