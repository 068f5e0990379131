/**
 * Runs courses on loopback, with the final client, the variants before it that must break a bound there, and each mutant that the
 * course claims; a line for each, exit 1 when one is not as it is written.
 *
 *     npx tsx suites/session/test/try-on-loopback.ts edge-nodes silent-network:edge-hangs-up storms:share:final
 *
 * Without containers, and so without what only they can do (`delay`, `kill`, …).
 */
import { describeError } from '../../../harness/errors/index.ts';
import type { ResolvedScenario } from '../../../harness/scenario/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { brokenOnLoopback } from './judge-loopback.ts';

interface Try {
  readonly row: ResolvedScenario;
  readonly course: string;
  readonly variant: string;
}

/** A word names a row, or a course of it, or a variant there. */
function triesOf(rows: readonly ResolvedScenario[], word: string): Try[] {
  const [name, only, variant] = word.split(':');
  const row = rows.find((one) => one.name === name);
  const courses = (row?.parameters['course']?.choices ?? []).filter(
    (one) => only === undefined || one === only,
  );
  if (!row || courses.length === 0) throw new Error(`${word}: no such row or course`);
  return courses.flatMap((course) => {
    const variants = [
      'final',
      ...expectedAt(row, course).map(({ where }) => String(where['variant'])),
      ...killedAt(row, course),
    ];
    return [...new Set(variants)]
      .filter((one) => variant === undefined || one === variant)
      .map((one) => ({ row, course, variant: one }));
  });
}

const killedAt = ({ kills = [] }: ResolvedScenario, course: string): string[] =>
  kills.filter(({ point }) => point?.['course'] === course).map(({ mutant }) => mutant);

const expectedAt = ({ expect = [] }: ResolvedScenario, course: string) =>
  expect.filter(({ where }) => where['course'] === course);

/** @returns whether it went as it is written: nothing broken, the bounds that must, or any */
async function goesAsWritten({ row, course, variant }: Try, part: number): Promise<boolean> {
  const { broken } = await brokenOnLoopback(row, { course, variant }, part);
  const titles = broken.map(({ title }) => title);
  const found = broken.map(({ title, found }) => `${title} (${found})`).join(' | ');
  const must = expectedAt(row, course).filter(({ where }) => where['variant'] === variant);
  const isMutant = killedAt(row, course).includes(variant);
  const good = isMutant
    ? broken.length > 0
    : must.every(({ check }) => titles.includes(check)) && (variant !== 'final' || broken.length === 0);
  console.log(`${good ? 'as written ' : 'NOT SO     '} ${row.name} ${course} ${variant}  ${found}`);
  return good;
}

const { scenarios } = await loadSuite('suites/session');
const tries = process.argv.slice(2).flatMap((word) => triesOf(scenarios, word));
// Timers of the nodes keep no process alive.
const alive = setInterval(() => undefined, 1_000);
let good = tries.length > 0;
for (const [index, one] of tries.entries()) {
  try {
    good = (await goesAsWritten(one, (index % 250) + 1)) && good;
  } catch (error) {
    good = false;
    console.log(`NOT SO      ${one.row.name} ${one.course} ${one.variant}  ${describeError(error)}`);
  }
}
clearInterval(alive);
process.exit(good ? 0 : 1);
