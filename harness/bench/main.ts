/**
 * bench: what Squall costs, measured side by side in one run (`make bench`).
 *
 *   [skew] start and remove against the bare engine · reused against fresh · harness while idle · lines into the record ·
 *   Ctrl-C in mid-fault · the fetch queue at its bound
 *
 * A figure that is missing is an error (exit 4), one beyond what is wanted a failure (exit 1); one that stands beside another
 * program's is told to be alike or unlike and fails nothing. Prints a table of ratios and keeps it, with every single figure, as JSON in reports/bench/latest.json.
 * `--nodes N` (128), `--rounds N` (2: bare, Squall, bare, Squall), `--only NAME`. Not here: verdicts on systems.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import yargs from 'yargs';
import { findEngine } from '../engine/index.ts';
import { describeError, EXIT } from '../errors/index.ts';
import { squallVersion } from '../session/index.ts';
import { measureBeds } from './beds.ts';
import { measureCancel } from './cancel-time.ts';
import { measureFetchQueue } from './fetch-queue.ts';
import { measureLogRate } from './log-rate.ts';
import { benchProblems, type Row, tableLines } from './table.ts';

const options = await yargs(process.argv.slice(2))
  .option('nodes', { type: 'number', default: 128, describe: 'memberlist nodes a bed' })
  .option('rounds', { type: 'number', default: 2, describe: 'rounds of bare engine, then Squall' })
  .option('only', {
    choices: ['beds', 'logs', 'cancel', 'queue'] as const,
    describe: 'one measurement alone',
  })
  .strict()
  .parse();

const say = (text: string) => console.error(`bench: ${text}`);
const controller = new AbortController();
process.once('SIGINT', () => controller.abort(new Error('interrupted')));
process.once('SIGTERM', () => controller.abort(new Error('terminated')));

const { signal } = controller;
const measures = (name: typeof options.only): boolean => options.only === undefined || options.only === name;
// The queue is measured in processes of its own, and alone it needs no engine.
const engine =
  options.only === 'queue' ? undefined : await findEngine({ yes: true, onProgress: say, signal });
const rows: Row[] = [];
const details: Record<string, unknown> = {};
try {
  if (engine && measures('beds')) {
    const beds = await measureBeds(engine, { ...options, say, signal });
    rows.push(...beds.rows);
    details['beds'] = beds.details;
  }
  if (engine && measures('logs')) {
    const logs = await measureLogRate(engine, { say, signal });
    rows.push(...logs.rows);
    details['logs'] = logs.details;
  }
  if (engine && measures('cancel')) {
    const cancel = await measureCancel(engine, { say, signal });
    rows.push(...cancel.rows);
    details['cancel'] = cancel.details;
  }
  if (measures('queue')) {
    const queue = await measureFetchQueue({ say, signal });
    rows.push(...queue.rows);
    details['queue'] = queue.details;
  }
} catch (error) {
  console.error(describeError(error));
  process.exitCode = EXIT.broken;
} finally {
  engine?.close();
}
if (rows.length > 0) {
  for (const line of tableLines(rows)) console.log(line);
  const { missing, beyond } = benchProblems(rows);
  for (const problem of [...beyond, ...missing]) say(problem);
  if (missing.length > 0) process.exitCode = EXIT.broken;
  else if (beyond.length > 0) process.exitCode ??= EXIT.fail;
  mkdirSync('reports/bench', { recursive: true });
  const report = {
    at: new Date().toISOString(),
    squallVersion: squallVersion(),
    host: { cpus: cpus().length, model: cpus()[0]?.model, loadAtEnd: loadavg()[0] },
    engine: engine?.info ?? null,
    rows,
    details,
  };
  writeFileSync('reports/bench/latest.json', `${JSON.stringify(report, null, 2)}\n`);
  console.log('reports/bench/latest.json');
}
