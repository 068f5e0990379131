import { spawn } from 'node:child_process';
import type { CommandModule } from 'yargs';
import { EXIT } from '../../errors/index.ts';
import { findRunDir } from '../../record/index.ts';
import { plainText, renderSummary, writeReports } from '../../report/index.ts';

interface ReportArguments {
  readonly run: string;
  readonly open: boolean;
}

/** `squall report RUN [--open]`: renders what was judged again; the verdict stays as it is. */
export const command: CommandModule<object, ReportArguments> = {
  command: 'report [run]',
  describe: "render a run's reports again",
  builder: (cli) =>
    cli
      .positional('run', { type: 'string', default: 'reports/latest', describe: 'folder or id of the run' })
      .option('open', { type: 'boolean', default: false, describe: 'open the HTML report in a browser' })
      .example('$0 report', 'index.html and junit.xml of the latest run, drawn anew')
      .example('$0 report reports/latest --open', 'and look at it'),
  handler: async (args) => {
    const { paths, problems, input } = await writeReports(await findRunDir(args.run));
    process.stdout.write(renderSummary(input));
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
