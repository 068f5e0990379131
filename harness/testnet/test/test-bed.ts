import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { type Engine, findEngine } from '../../engine/index.ts';
import { ensureImage, readImages } from '../../image/index.ts';
import { type ResolvedTopology, resolveTopologyText } from '../../topology/index.ts';
import type { Bed } from '../bed.ts';
import { isEmpty, listLeftovers } from '../remove-resources.ts';
import { type StartBedOptions, startBed } from '../start-bed.ts';
import { LABEL } from '../types.ts';

const TALKER_DIR = fileURLToPath(new URL('../../engine/test/images/', import.meta.url));

/** A name that no other test has. */
export function freshName(prefix: string): string {
  return `${prefix}-${randomBytes(3).toString('hex')}`;
}

export function testEngine(): Promise<Engine> {
  return findEngine({});
}

/** A few nodes of the real memberlist node. */
export function memberTopology(count: number, variant = 'shipped'): ResolvedTopology {
  const text = `
name: test-members
description: a few members
mesh: true
nodes:
  - role: member
    count: ${count}
    image: memberlist-node@${variant}
    settings:
      join: '{addresses:member[1..2]}'
      expected: '{count:member}'
    resources: {memory: 64MiB}
`;
  return resolveTopologyText(text, 'test.yaml', {}, { images: readImages() });
}

/** One node of the talker image, which says and does what its words ask for; `extra` is more YAML of the node. */
export async function talkerTopology(
  engine: Engine,
  words: readonly string[],
  extra = '',
  count = 1,
): Promise<ResolvedTopology> {
  const { reference } = await ensureImage(
    engine,
    { kind: 'ours', name: 'talker' },
    { imagesDir: TALKER_DIR },
  );
  const text = `
name: test-talker
description: a talker
nodes:
  - role: talker
    count: ${count}
    image: ${JSON.stringify(reference)}
    command: ${JSON.stringify(words)}
${extra}
`;
  return resolveTopologyText(text, 'test.yaml', {}, { images: readImages() });
}

export function startTestBed(
  engine: Engine,
  topology: ResolvedTopology,
  options: Partial<StartBedOptions> = {},
): Promise<Bed> {
  const bedId = freshName('tn');
  return startBed({ engine, topology, runId: bedId, bedId, seed: 'test', ...options });
}

/** Whether the engine has anything with this label left. */
export async function isGone(engine: Engine, label: keyof typeof LABEL, value: string): Promise<boolean> {
  return isEmpty(await listLeftovers(engine, [`${LABEL[label]}=${value}`]));
}

/** Longest wait of a test for what must come: far beyond any real one, and below mocha's own limit. */
const PATIENCE_MS = 120_000;

/** Looks again and again until it is so. @throws Error when it never is */
export async function until(what: () => Promise<boolean> | boolean): Promise<void> {
  const giveUpAt = performance.now() + PATIENCE_MS;
  while (!(await what())) {
    if (performance.now() > giveUpAt) throw new Error(`never became true: ${what.toString()}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export async function rejection(
  promise: Promise<unknown>,
): Promise<Error & { code?: string; facts?: Record<string, unknown> }> {
  return await promise.then(
    () => {
      throw new Error('expected a rejection');
    },
    (error: unknown) => error as Error,
  );
}
