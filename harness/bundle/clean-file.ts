import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline } from 'node:stream/promises';
import { redactText, type TrialRecord } from '../record/index.ts';

/** How a file of a run is made fit to be handed on. */
export type Cleaning = 'trial' | 'lines' | 'text' | 'as-is';

/**
 * Copies a file without what must not leave the machine: a trial record loses the environments of its nodes; lines and
 * texts lose what looks like a secret. Captures are bytes, and are copied as they are.
 */
export async function cleanFile(from: string, to: string, how: Cleaning): Promise<void> {
  await mkdir(dirname(to), { recursive: true });
  if (how === 'as-is') return await pipeline(createReadStream(from), createWriteStream(to));
  if (how === 'lines') {
    const lines = createInterface({
      input: createReadStream(from, 'utf8'),
      crlfDelay: Number.POSITIVE_INFINITY,
    });
    return await pipeline(cleanLines(lines), createWriteStream(to));
  }
  const text = await readFile(from, 'utf8');
  await writeFile(to, how === 'trial' ? withoutEnvironment(text) : redactText(text));
}

async function* cleanLines(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${redactText(line)}\n`;
}

function withoutEnvironment(text: string): string {
  const trial = JSON.parse(text) as TrialRecord;
  const nodes = trial.nodes.map(({ environment: _environment, ...node }) => node);
  return `${redactText(JSON.stringify({ ...trial, nodes }))}\n`;
}
