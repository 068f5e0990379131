import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { makeAttempts } from '../attempts.ts';
import { figuresOf, isPassed, renderFigures } from '../figures.ts';
import { AttemptLedger } from '../ledger.ts';
import { PARTS } from '../parts.ts';
import { onPrivateEngine } from '../private-engine.ts';

const SEED = `${Date.now()}`;

describe('a run that is tormented', function () {
  this.timeout(300_000);
  let engine: Engine;
  let folder: string;
  before(async () => {
    engine = await findEngine({ yes: true });
    folder = mkdtempSync(join(tmpdir(), 'squall-torture-short-'));
  });
  after(() => {
    engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  for (const part of PARTS) {
    it(`says nothing wrong and leaves nothing: ${part.title} (seed ${SEED})`, async () => {
      const why = part.whyNot?.();
      // A host that cannot do it is not held against the code, and is told; `make torture` does not count it as passed.
      if (why !== undefined) {
        process.stderr.write(`torture: ${part.name}: cannot be done here: ${why}\n`);
        return;
      }
      const { signal } = new AbortController();
      const times = part.times.short;
      const ledger = new AttemptLedger(join(folder, 'attempts.jsonl'), SEED, { fresh: false });
      if (part.privateEngine) {
        const args = ['--only', part.name, '--times', String(times), '--seed', SEED, '--reports', folder];
        expect(await onPrivateEngine(args, signal)).to.equal(0);
        return;
      }
      await makeAttempts(engine, part, { ledger, seed: SEED, times, signal, say: () => undefined });
      const figures = figuresOf(part, times, ledger.entries());
      expect(figures.problems, JSON.stringify(ledger.entries().at(-1)?.facts)).to.deep.equal([]);
      expect(isPassed(figures), renderFigures([figures])).to.equal(true);
    });
  }
});
