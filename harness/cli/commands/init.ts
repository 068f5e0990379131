import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { CommandModule } from 'yargs';
import { SquallError } from '../../errors/index.ts';
import { parseGate } from '../../gate/index.ts';
import { readImages } from '../../image/index.ts';
import { parseScenario } from '../../scenario/index.ts';
import {
  askAnswers,
  type RawAnswers,
  readAnswers,
  STARTER_FAULTS,
  type StarterFile,
  starterFiles,
  WORKFLOWS,
} from '../../starter/index.ts';
import { resolveTopologyText } from '../../topology/index.ts';
import { squallNotes } from '../init-notes.ts';
import { PACKAGE_DIR } from '../package-facts.ts';
import { onceEach } from '../refuse-repeated.ts';

interface InitArguments extends Omit<RawAnswers, 'image' | 'env'> {
  readonly image?: string | undefined;
  readonly env?: readonly string[] | undefined;
  readonly squall?: string | undefined;
  readonly yes?: boolean;
}

/** `squall init [IMAGE]`: a package where there is none, a topology, a suite, a gate and a workflow for an image of one's own. */
export const command: CommandModule<object, InitArguments> = {
  command: 'init [image]',
  describe: 'write a topology, a suite, a gate and a workflow for your own image',
  builder: (cli) =>
    cli
      .positional('image', { type: 'string', describe: 'your image; asked for when left out' })
      .option('name', { type: 'string', describe: 'of topology and suite; the image’s when left out' })
      .option('role', { type: 'string', describe: 'what its nodes are called: node-1, node-2, …' })
      .option('count', { type: 'number', describe: 'how many nodes; 3 when left out' })
      .option('command', { type: 'string', array: true, describe: 'in place of the image’s own command' })
      .option('env', {
        type: 'string',
        array: true,
        nargs: 1,
        describe: 'NAME=VALUE; {addresses:node} and its kin are replaced (topologies/README.md)',
      })
      .option('ready', { type: 'string', describe: 'started, log:REGEX or http:PORT/PATH' })
      .option('fault', { type: 'string', choices: STARTER_FAULTS, describe: 'what happens to some of them' })
      .option('outage', { type: 'string', describe: 'for how long; 10s when left out' })
      .option('recovered', { type: 'string', describe: 'a line that is logged when it is over (regex)' })
      .option('within', { type: 'string', describe: 'how long that may take; 30s when left out' })
      .option('never', { type: 'string', describe: 'a line that nobody may log (regex)' })
      .option('workflow', { type: 'string', choices: WORKFLOWS, describe: 'for which CI' })
      .option('squall', {
        type: 'string',
        describe:
          'where npm gets Squall: a tarball of `npm pack`, a version; the folder that this one runs from when left out',
      })
      .example('$0 init', 'asks; an empty answer takes what stands in brackets')
      .example(
        "$0 init registry.example/app:1.2 --count 5 --ready 'log:listening on' --recovered 'leader elected' --workflow github",
        'asks nothing that is answered',
      )
      .example('$0 init registry.example/app:1.2 --yes', 'asks nothing at all') as never,
  handler: async (args) => {
    const given: Partial<RawAnswers> = {
      ...Object.fromEntries(
        [
          'image',
          'name',
          'role',
          'count',
          'command',
          'ready',
          'fault',
          'outage',
          'recovered',
          'within',
          'never',
          'workflow',
        ]
          .map((key) => [key, args[key as keyof InitArguments]])
          .filter(([, value]) => value !== undefined),
      ),
      env: pairs(args.env ?? []),
    };
    const answers = args.yes || !process.stdin.isTTY ? given : await askHere(given);
    if (answers.image === undefined) {
      throw new SquallError('squall init: no image; expected one, such as registry.example/app:1.2.', {
        code: 'no-image',
        blame: 'input',
      });
    }
    const hasPackage = existsSync('package.json');
    const files = starterFiles(readAnswers({ ...answers, image: answers.image }), {
      schema: schemaHere(),
      ...(!hasPackage && { squall: args.squall ?? squallHere() }),
    });
    refuseUnread(files);
    const inTheWay = files.filter(({ path }) => existsSync(path)).map(({ path }) => path);
    if (inTheWay.length > 0) {
      throw new SquallError(
        `squall init: ${inTheWay.join(', ')} there already; expected nothing in the way.`,
        {
          code: 'file-in-the-way',
          blame: 'input',
          hint: 'Choose another --name, or move it away; nothing was written.',
        },
      );
    }
    for (const { path, text } of files) {
      await mkdir(dirname(path), { recursive: true });
      await writeFile(path, text, { flag: 'wx' });
      process.stdout.write(`${path}\n`);
    }
    const suite = dirname(files.find(({ path }) => path.startsWith('suites/'))?.path ?? '');
    const first = hasPackage ? '' : 'npm install (CI goes by the lock that it makes), then ';
    const notes = squallNotes({
      hasPackage,
      asked: args.squall,
      folder: PACKAGE_DIR,
      here: squallHere(),
      workflow: files.some(({ path }) => /\.ya?ml$/.test(path) && path.startsWith('.')),
    });
    for (const note of notes) process.stderr.write(`${note}\n`);
    process.stderr.write(
      `next: ${first}squall plan ${suite}, then squall run ${suite}, then squall gate --quick\n`,
    );
  },
};

/** As npm installs the Squall that runs, wherever that came from. */
function squallHere(): string {
  return `file:${relative('', PACKAGE_DIR)}`;
}

/** Of the Squall that is installed here, else of the one that runs, as seen from `topologies/`. */
function schemaHere(): string {
  const file = join('topologies', 'topology.schema.json');
  const installed = join('node_modules', 'squall', file);
  return relative('topologies', existsSync(installed) ? installed : join(PACKAGE_DIR, file));
}

/** What is written can be read: an answer that makes no topology or scenario is told before anything is there. */
function refuseUnread(files: readonly StarterFile[]): void {
  for (const { path, text } of files) {
    if (path.startsWith('topologies/')) resolveTopologyText(text, path, {}, { images: readImages() });
    if (path.startsWith('suites/'))
      parseScenario(text, path, { suite: dirname(path).split('/').at(-1) ?? '' });
    if (path === 'gate.yaml') parseGate(text, path);
  }
}

async function askHere(given: Partial<RawAnswers>): Promise<Partial<RawAnswers>> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await askAnswers(given, (text) => lines.question(text));
  } finally {
    lines.close();
  }
}

function pairs(texts: readonly string[]): Record<string, string> {
  return onceEach(
    '--env',
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
      throw new SquallError(`--env ${text}: expected NAME=VALUE.`, { code: 'bad-env', blame: 'input' });
    }),
  );
}
