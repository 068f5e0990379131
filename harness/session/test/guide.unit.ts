import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { registeredChecks } from '../../check/index.ts';
import { loadSuite } from '../../suite/index.ts';
import { checkFaults, makePlan } from '../index.ts';

const guide = readFileSync(new URL('../../../docs/scenarios.md', import.meta.url), 'utf8');

describe('the guide to scenarios', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-guide-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  it('has an example that can be planned, with faults that its topology can carry', async () => {
    const example = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    const file = join(dir, 'rack-lost.scenario.yaml');
    writeFileSync(file, example);
    const { scenarios } = await loadSuite(file);
    for (const [grid, points] of [
      ['default', 2],
      ['long', 6],
    ] as const) {
      const plan = makePlan({ selections: scenarios.map((scenario) => ({ scenario, grid })), command: [] });
      expect(plan.points).to.have.length(points);
      checkFaults(plan);
    }
  });

  it('names only checks that there are', () => {
    const named = /Built-in checks: ([^;]+);/.exec(guide)?.[1]?.match(/[a-z-]+(?=`)/g) ?? [];
    expect(named).to.not.be.empty;
    expect(registeredChecks()).to.include.members([...named]);
  });
});
