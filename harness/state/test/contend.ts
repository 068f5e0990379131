/** Takes a lock ten times, writes when it goes in and out, and half of the time leaves it as a dead owner would. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { acquireLock } from '../lock.ts';

const [path = '', journal = ''] = process.argv.slice(2);
for (let turn = 0; turn < 10; turn += 1) {
  const lock = await acquireLock(path, { withinMs: 50_000 });
  appendFileSync(journal, `in ${process.pid}\n`);
  await new Promise((resolve) => setTimeout(resolve, 2));
  appendFileSync(journal, `out ${process.pid}\n`);
  if (turn % 2 === 0) lock.release();
  else writeFileSync(path, readFileSync(path, 'utf8').replace(/"startTime":"[^"]*"/, '"startTime":"gone"'));
}
