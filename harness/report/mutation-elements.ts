import type { MutantFate, MutantResult, MutationReport } from '../mutation/index.ts';
import type { RunRecord } from '../record/index.ts';

/** A file that defines mutants, for viewers. Lines and columns count from 1, the end is exclusive. */
export interface MutantSource {
  readonly image: string;
  /** Path in the project. */
  readonly file: string;
  readonly source: string;
  readonly mutants: readonly {
    readonly mutant: string;
    readonly location: { readonly start: Position; readonly end: Position };
    readonly replacement: string;
    readonly description?: string;
  }[];
}

interface Position {
  readonly line: number;
  readonly column: number;
}

/** What a fate is called in the schema. One too rare is no hole: it is listed and counts for nothing, as is one in error. */
const STATUS: Readonly<Record<MutantFate, string>> = {
  killed: 'Killed',
  'timed-out': 'Timeout',
  survived: 'Survived',
  'not-covered': 'NoCoverage',
  'too-rare': 'Ignored',
  error: 'RuntimeError',
};
/** Below which viewers colour a score red, and from which green, where the run has no threshold of its own. */
const THRESHOLDS = { low: 60, high: 80 };

/**
 * The mutation testing report that viewers of Stryker's and others' results read (mutation-testing-report-schema, version 2): a
 * mutant stands where its image defines it, a scenario is a test.
 */
export function renderMutationElements(
  report: MutationReport,
  sources: readonly MutantSource[],
  run: Pick<RunRecord, 'squallVersion' | 'host'>,
): string {
  const all = [...report.mutants, ...(report.others ?? [])];
  const high = report.threshold === undefined ? THRESHOLDS.high : Math.round(report.threshold * 100);
  const document = {
    schemaVersion: '2.0',
    thresholds: { high, low: Math.min(high, THRESHOLDS.low) },
    files: Object.fromEntries(
      sources.map((file) => [
        file.file,
        {
          language: 'json',
          source: file.source,
          mutants: file.mutants.flatMap((defined) => {
            const results = all.filter((one) => one.image === file.image && one.mutant === defined.mutant);
            const [deciding] = results;
            return deciding ? [mutantOf(deciding, results, defined)] : [];
          }),
        },
      ]),
    ),
    testFiles: testFiles(all),
    framework: { name: 'Squall', version: run.squallVersion },
    system: { ci: false, cpu: { logicalCores: run.host.cpus, model: run.host.cpuModel } },
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

function mutantOf(
  deciding: MutantResult,
  results: readonly MutantResult[],
  { location, replacement, description }: MutantSource['mutants'][number],
): object {
  const covering = results.filter((one) => one.fate !== 'not-covered');
  const killing = covering.filter((one) => one.fate === 'killed');
  return {
    id: `${deciding.image}/${deciding.mutant}`,
    mutatorName: deciding.fix,
    description: description ?? deciding.rule,
    replacement,
    location,
    status: STATUS[deciding.fate],
    statusReason: deciding.sentence,
    coveredBy: covering.map(testId),
    killedBy: killing.map(testId),
    testsCompleted: covering.length,
  };
}

function testFiles(results: readonly MutantResult[]): object {
  const suites = new Map<string, Map<string, object>>();
  for (const one of results.filter(({ fate }) => fate !== 'not-covered')) {
    const file = `suites/${one.suite}`;
    const tests = suites.get(file) ?? new Map<string, object>();
    tests.set(testId(one), { id: testId(one), name: one.scenario });
    suites.set(file, tests);
  }
  return Object.fromEntries([...suites].map(([file, tests]) => [file, { tests: [...tests.values()] }]));
}

function testId({ suite, scenario }: MutantResult): string {
  return `${suite}/${scenario}`;
}
