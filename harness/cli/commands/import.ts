import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import type { CommandModule } from 'yargs';
import { importCompose } from '../../compose/index.ts';
import { SquallError } from '../../errors/index.ts';
import { readImages } from '../../image/index.ts';
import { plainText } from '../../report/index.ts';
import { resolveTopologyText } from '../../topology/index.ts';
import { onceEach } from '../refuse-repeated.ts';

interface ImportArguments {
  readonly compose: string;
  readonly out: string | undefined;
  readonly image: readonly string[];
  readonly env: readonly string[];
}

/** `squall import COMPOSE`: a topology from a compose file, and what it could not carry over. */
export const command: CommandModule<object, ImportArguments> = {
  command: 'import <compose>',
  describe: 'make a topology of a docker-compose file',
  builder: (cli) =>
    cli
      .positional('compose', { type: 'string', demandOption: true, describe: 'a compose file' })
      .option('out', {
        type: 'string',
        requiresArg: true,
        describe: 'the topology to write; printed when left out',
      })
      .option('image', {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        describe: 'SERVICE=REFERENCE, where the file would build, or in place of its image',
      })
      .option('env', {
        type: 'string',
        array: true,
        nargs: 1,
        default: [] as string[],
        describe: 'NAME=VALUE for ${NAME}; the environment itself is not read',
      })
      .example(
        '$0 import docker-compose.yaml --out topologies/mine.yaml',
        'then: squall up topologies/mine.yaml',
      ),
  handler: async ({ compose, out, image, env }) => {
    const text = await readFile(compose, 'utf8').catch((cause: unknown) => {
      throw new SquallError(`compose file ${compose}: cannot be read.`, {
        code: 'no-compose-file',
        blame: 'input',
        cause,
      });
    });
    const imported = importCompose(text, compose, {
      images: pairs('image', image),
      variables: pairs('env', env),
    });
    // What is written can be used; what cannot is told now.
    resolveTopologyText(imported.text, `topology of ${compose}`, {}, { images: readImages() });
    for (const note of imported.notes) process.stderr.write(`${plainText(note)}\n`);
    if (out === undefined) {
      process.stdout.write(imported.text);
      return;
    }
    if (existsSync(out)) {
      throw new SquallError(`${out}: is there already; expected a new file.`, {
        code: 'file-in-the-way',
        blame: 'input',
      });
    }
    await writeFile(out, imported.text);
    process.stdout.write(`${out}\n`);
  },
};

function pairs(option: string, texts: readonly string[]): Record<string, string> {
  return onceEach(
    `--${option}`,
    texts.map((text) => {
      const at = text.indexOf('=');
      if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
      throw new SquallError(`--${option} ${text}: expected NAME=VALUE.`, {
        code: `bad-${option}`,
        blame: 'input',
      });
    }),
  );
}
