import { spawn } from 'node:child_process';
import { join, relative, sep } from 'node:path';
import type { CommandModule } from 'yargs';
import { EXIT, SquallError } from '../../errors/index.ts';
import { findRunDir, readRun, writeAtomically } from '../../record/index.ts';
import {
  compareRuns,
  loadRunIndex,
  plainText,
  renderComparedHtml,
  renderComparedText,
  renderMarkdownSummary,
  renderRunIndex,
  renderSummary,
  writeReports,
} from '../../report/index.ts';

interface ReportArguments {
  readonly run: string;
  readonly open: boolean;
  readonly markdown?: string | undefined;
  readonly index: boolean;
  readonly reports: string;
  readonly against?: string | undefined;
}

/** `squall report RUN [--open]`: renders what was judged again, lists all runs, or holds two runs against each other. */
export const command: CommandModule<object, ReportArguments> = {
  command: 'report [run]',
  describe: "render a run's reports again",
  builder: (cli) =>
    cli
      .positional('run', { type: 'string', default: 'reports/latest', describe: 'folder or id of the run' })
      .option('open', { type: 'boolean', default: false, describe: 'open the HTML report in a browser' })
      .option('markdown', {
        type: 'string',
        describe: 'also write a summary with every point and trial to this file, to keep beside a suite',
      })
      .option('index', {
        type: 'boolean',
        default: false,
        describe: 'draw a page of all runs, beside their folders',
      })
      .option('reports', { type: 'string', default: 'reports', describe: 'folder of the runs, for --index' })
      .option('against', {
        type: 'string',
        requiresArg: true,
        describe: 'an earlier run: what its checks and measures said, beside this one',
      })
      .example('$0 report', 'index.html and junit.xml of the latest run, drawn anew')
      .example('$0 report reports/latest --open', 'and look at it')
      .example('$0 report --index', 'all runs of reports/ on one page')
      .example('$0 report reports/latest --against 20261130-021100-c483', 'what changed since that run')
      .example('$0 report --markdown suites/memberlist/core-grid.md', 'a summary that can be committed'),
  handler: async (args) => {
    if (args.index && args.against !== undefined) {
      throw new SquallError('squall report: --index or --against; expected one of them.', {
        code: 'index-and-against',
        blame: 'input',
      });
    }
    if (args.index) return await drawIndex(args.reports, args.open);
    if (args.against !== undefined) return await drawComparison(args.against, args.run, args.open);
    const { paths, problems, input } = await writeReports(await findRunDir(args.run));
    process.stdout.write(renderSummary(input));
    if (args.markdown !== undefined) {
      await writeAtomically(args.markdown, renderMarkdownSummary(input));
      process.stdout.write(`${args.markdown}\n`);
    }
    for (const path of paths) process.stdout.write(`${path}\n`);
    for (const problem of problems) process.stderr.write(`${plainText(problem)}\n`);
    if (problems.length > 0) process.exitCode = EXIT.broken;
    const page = paths.find((path) => path.endsWith('.html'));
    if (args.open && page !== undefined) await open(page);
  },
};

async function drawIndex(reportsDir: string, show: boolean): Promise<void> {
  const index = await loadRunIndex(reportsDir);
  if (index.runs.length + index.problems.length === 0) {
    throw new SquallError(`${reportsDir}: holds no run; expected some to list.`, {
      code: 'run-not-found',
      blame: 'input',
      hint: 'Runs are made by `squall run SUITE`.',
    });
  }
  const path = join(reportsDir, 'index.html');
  await writeAtomically(path, renderRunIndex(index));
  for (const problem of index.problems) process.stderr.write(`${plainText(problem)}\n`);
  process.stdout.write(`${index.runs.length} runs\n${path}\n`);
  if (show) await open(path);
}

/** Beside the report of the later one. */
async function drawComparison(earlier: string, later: string, show: boolean): Promise<void> {
  const [before, after] = [await readJudged(earlier), await readJudged(later)];
  if (before.dir === after.dir) {
    throw new SquallError(`run ${later}: is the run that it is held against; expected two runs.`, {
      code: 'same-run',
      blame: 'input',
    });
  }
  const comparison = compareRuns(before, after);
  process.stdout.write(renderComparedText(comparison));
  const path = join(after.dir, `against-${before.run.runId}.html`);
  const there = relative(after.dir, join(before.dir, 'index.html'))
    .split(sep)
    .map(encodeURIComponent)
    .join('/');
  await writeAtomically(path, renderComparedHtml(comparison, { before: there, after: 'index.html' }));
  process.stdout.write(`${path}\n`);
  if (show) await open(path);
}

async function readJudged(word: string) {
  const { dir, plan, run } = await readRun(await findRunDir(word));
  if (run) return { dir, plan, run };
  throw new SquallError(`run ${word}: has no run.json; expected a judged run.`, {
    code: 'run-not-judged',
    blame: 'input',
    hint: 'Judge it first with `squall recheck`.',
  });
}

/** The desktop's own opener; without one the path has been printed already. */
async function open(path: string): Promise<void> {
  const [program, ...before] =
    process.platform === 'darwin'
      ? ['open']
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '']
        : ['xdg-open'];
  await new Promise<void>((resolve) => {
    const opener = spawn(program as string, [...before, path], { stdio: 'ignore', detached: true });
    opener.once('error', () => {
      process.stderr.write(`no ${program} here: open the file above in a browser\n`);
      resolve();
    });
    opener.once('spawn', () => {
      opener.unref();
      resolve();
    });
  });
}
