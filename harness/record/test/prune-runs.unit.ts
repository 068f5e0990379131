import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { pruneRuns } from '../index.ts';

const DAY_MS = 24 * 3_600_000;
const NOW_MS = Date.parse('2026-11-30T00:00:00Z');

describe('removing old runs', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-prune-'));
    for (const [age, name] of [
      [40, 'old'],
      [20, 'middle'],
      [3, 'new'],
    ] as const)
      addRun(name, age);
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function addRun(name: string, ageDays: number, judged = true): void {
    mkdirSync(join(dir, name, 'trials'), { recursive: true });
    const startedAt = new Date(NOW_MS - ageDays * DAY_MS).toISOString();
    writeFileSync(join(dir, name, 'plan.json'), JSON.stringify({ runId: name, startedAt }));
    writeFileSync(join(dir, name, 'trials', 'log'), 'x'.repeat(10_000));
    if (judged) writeFileSync(join(dir, name, 'run.json'), '{}');
  }
  const prune = async (limits: object) =>
    (await pruneRuns(dir, { nowMs: NOW_MS, ...limits })).map((one) => one.runId);

  for (const [says, limits, removed] of [
    ['none without a limit', {}, []],
    ['all but the newest', { runs: 1 }, ['old', 'middle']],
    ['what is too old', { ageMs: 30 * DAY_MS }, ['old']],
    ['the oldest until the rest fits', { sizeBytes: 21_000 }, ['old']],
    ['what any limit says', { runs: 2, ageMs: 10 * DAY_MS }, ['old', 'middle']],
  ] as const) {
    it(`removes ${says}`, async () => {
      expect(await prune(limits)).to.deep.equal(removed);
      const left = ['old', 'middle', 'new'].filter((name) => !(removed as readonly string[]).includes(name));
      expect(readdirSync(dir).sort()).to.deep.equal([...left].sort());
    });
  }

  it('leaves alone the latest run, one that may be going on, and what is no run', async () => {
    symlinkSync('old', join(dir, 'latest'));
    addRun('going-on', 0.5, false);
    addRun('abandoned', 60, false);
    mkdirSync(join(dir, 'bench'));
    mkdirSync(join(dir, 'copied'));
    writeFileSync(
      join(dir, 'copied', 'plan.json'),
      JSON.stringify({ runId: 'other', startedAt: '2001-01-01' }),
    );
    writeFileSync(join(dir, 'durations.json'), '{}');
    expect(await prune({ runs: 0 })).to.deep.equal(['abandoned', 'middle', 'new']);
    expect(readdirSync(dir).sort()).to.deep.equal([
      'bench',
      'copied',
      'durations.json',
      'going-on',
      'latest',
      'old',
    ]);
  });

  it('only says what it would remove, when asked', async () => {
    expect(await prune({ runs: 0, dryRun: true })).to.have.length(3);
    expect(existsSync(join(dir, 'old'))).to.equal(true);
  });

  it('finds nothing where there is no folder', async () => {
    expect(await pruneRuns(join(dir, 'nowhere'), { nowMs: NOW_MS, runs: 0 })).to.deep.equal([]);
  });
});
