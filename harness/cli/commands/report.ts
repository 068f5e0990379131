import { spawn } from 'node:child_process';
import type { CommandModule } from 'yargs';
import { EXIT } from '../../errors/index.ts';
import { findRunDir, writeAtomically } from '../../record/index.ts';
import { plainText, renderMarkdownSummary, renderSummary, writeReports } from '../../report/index.ts';

interface ReportArguments {
  readonly run: string;
  readonly open: boolean;
  readonly markdown?: string | undefined;
}

/** `squall report RUN [--open]`: renders what was judged again; the verdict stays as it is. */
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
      .example('$0 report', 'index.html and junit.xml of the latest run, drawn anew')
      .example('$0 report reports/latest --open', 'and look at it')
      .example('$0 report --markdown suites/memberlist/core-grid.md', 'a summary that can be committed'),
  handler: async (args) => {
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
