/**
 * torture: what Squall itself must stand, hours of it (`make torture`).
 *
 *   control ─▶ invalid inputs · hostile lines · agent killed · Toxiproxy wedged · disk full · event loop blocked · clock stepped ·
 *   two harnesses · engine restarted · harness killed ─▶ table, reports/torture/latest.json
 *
 * Each attempt runs a `squall run` of known truth (`sound` must not fail, `broken` must not pass) and does something to it at a
 * random moment: the verdict is right or inconclusive, never a wrong pass, and nothing is left behind. `--times N` attempts of
 * each part in place of its own number, `--short` a few, `--only PART`, `--seed`. An interrupted one goes on where it stopped; `--fresh`
 * begins anew. Not here: verdicts on systems under test.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import yargs from 'yargs';
import { connectEngine, type Engine, engineHome, ensureEmbeddedEngine, findEngine } from '../engine/index.ts';
import { describeError, EXIT } from '../errors/index.ts';
import { currentCommit, squallVersion } from '../session/index.ts';
import { formatDurationMs } from '../units/index.ts';
import { makeAttempts, stillWanted } from './attempts.ts';
import { figuresOf, isPassed, renderFigures } from './figures.ts';
import { AttemptLedger } from './ledger.ts';
import type { Part } from './part.ts';
import { PARTS } from './parts.ts';
import { ON_PRIVATE_ENGINE, onPrivateEngine } from './private-engine.ts';

const options = await yargs(process.argv.slice(2))
  .option('times', { type: 'number', describe: 'attempts of each part, in place of its own number' })
  .option('short', { type: 'boolean', default: false, describe: 'a few of each' })
  .option('only', {
    type: 'string',
    array: true,
    choices: PARTS.map(({ name }) => name),
    describe: 'these parts alone',
  })
  .option('seed', { type: 'string', default: '7', describe: 'where moments and documents come from' })
  .option('fresh', { type: 'boolean', default: false, describe: 'forget what was done before' })
  .option('reports', { type: 'string', default: 'reports/torture', describe: 'folder of the figures' })
  .strict()
  .parse();

const say = (text: string): void => void process.stderr.write(`torture: ${text}\n`);
const controller = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.once(name, () => {
    say(`${name}: the attempt under way is ended; what is done is kept`);
    controller.abort(new Error(name));
  });
}
const { signal } = controller;

const parts = PARTS.filter(({ name }) => options.only === undefined || options.only.includes(name));
const timesOf = ({ times }: Part): number => options.times ?? (options.short ? times.short : times.whole);
const commit = await currentCommit();
const key = `${commit ? `${commit.hash.slice(0, 12)}${commit.dirty ? '+' : ''}` : squallVersion()}/${options.seed}`;
const ledger = new AttemptLedger(`${options.reports}/attempts.jsonl`, key, { fresh: options.fresh });

async function torment(engine: Engine): Promise<void> {
  const isPrivate = process.env[ON_PRIVATE_ENGINE] !== undefined;
  for (const part of parts) {
    if (signal.aborted || leftOf(part) === 0) continue;
    if (part.whyNot?.() !== undefined) continue;
    if (part.privateEngine && !isPrivate) {
      const args = [
        '--only',
        part.name,
        '--times',
        String(timesOf(part)),
        '--seed',
        options.seed,
        '--reports',
        options.reports,
      ];
      await onPrivateEngine(args, signal);
    } else
      await makeAttempts(engine, part, { ledger, seed: options.seed, times: timesOf(part), signal, say });
  }
}

function leftOf(part: Part): number {
  const own = ledger.entries().filter((entry) => entry.part === part.name);
  return stillWanted(own, timesOf(part));
}

const openMs = parts.reduce((sum, part) => sum + leftOf(part) * part.secondsEach * 1_000, 0);
say(
  `about ${formatDurationMs(openMs)} on the reference machine (2 cores); ${parts.length} parts, seed ${options.seed}`,
);
for (const part of parts) {
  const why = part.whyNot?.();
  if (why !== undefined) say(`${part.name}: cannot be done here, and does not pass: ${why}`);
}

let engine: Engine | undefined;
try {
  if (process.env[ON_PRIVATE_ENGINE] === undefined)
    engine = await findEngine({ yes: true, onProgress: say, signal });
  else {
    const home = engineHome();
    await ensureEmbeddedEngine(home, { onProgress: say, signal });
    engine = await connectEngine(`unix://${home.socket}`);
  }
  await torment(engine);
} catch (error) {
  say(describeError(error));
  process.exitCode = signal.aborted ? 130 : EXIT.broken;
} finally {
  engine?.close();
}

const figures = parts.map((part) => figuresOf(part, timesOf(part), ledger.entries()));
if (process.env[ON_PRIVATE_ENGINE] === undefined) {
  process.stdout.write(renderFigures(figures));
  mkdirSync(options.reports, { recursive: true });
  const report = {
    at: new Date().toISOString(),
    squallVersion: squallVersion(),
    key,
    host: { cpus: cpus().length, model: cpus()[0]?.model, loadAtEnd: loadavg()[0] },
    engine: engine?.info ?? null,
    passed: figures.every(isPassed),
    parts: figures,
  };
  writeFileSync(`${options.reports}/latest.json`, `${JSON.stringify(report, null, 2)}\n`);
  process.stdout.write(`${options.reports}/latest.json\n`);
}
process.exitCode ||= figures.every(isPassed) ? EXIT.pass : EXIT.fail;
