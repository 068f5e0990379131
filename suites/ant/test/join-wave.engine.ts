import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { findEngine } from '../../../harness/engine/index.ts';
import { imageHash, imageTag, requireImage } from '../../../harness/image/index.ts';
import { readRun, readSortedEvents } from '../../../harness/record/index.ts';
import { executeRun, type RunRequest } from '../../../harness/session/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';

/** The real node takes minutes to build: its wave is played when that is done already, or when SQUALL_REAL=1 asks for it. */
async function realIsBuilt(): Promise<boolean> {
  const engine = await findEngine({});
  try {
    const tag = imageTag('ant-node', await imageHash(requireImage('ant-node')));
    return (await engine.imageId(tag)) !== undefined;
  } finally {
    engine.close();
  }
}

const real = process.env['SQUALL_REAL'] === '1' || (await realIsBuilt());

describe('a join wave in containers', function () {
  this.timeout(1_800_000);
  let reportsDir: string;
  beforeEach(() => {
    reportsDir = mkdtempSync(join(tmpdir(), 'squall-ant-'));
  });
  afterEach(() => rmSync(reportsDir, { recursive: true, force: true }));

  async function play(topology: string, changes: Partial<RunRequest> = {}) {
    const { scenarios } = await loadSuite('suites/ant');
    const scenario = scenarios.find(({ name }) => name === 'join-wave');
    if (!scenario) throw new Error('no scenario "join-wave"');
    const executed = await executeRun({
      selections: [{ scenario: { ...scenario, topology }, trials: 1 }],
      command: ['run', 'suites/ant'],
      seed: '7',
      parallelBeds: 1,
      reportsDir,
      signal: new AbortController().signal,
      ...changes,
    });
    const [trial] = executed.outcome.trials.filter(({ outcome }) => outcome === 'completed');
    return { ...executed, trial };
  }

  it('brings every key to a quorum on stand-ins', async () => {
    const { trial, outcome } = await play('fetch-join-smoke');
    expect(outcome.errors).to.deep.equal([]);
    expect(trial?.measures).to.include({ keysLost: 0, keysUnderQuorum: 0, undrained: 0, keysInSet: 200 });
  });

  if (real) {
    it('brings every key to a quorum on real nodes, which hold what was laid into their stores', async () => {
      const { trial, outcome, dir } = await play('ant-join-smoke');
      expect(outcome.errors).to.deep.equal([]);
      expect(trial?.measures).to.include({ keysLost: 0, keysInSet: 200 });
      const [ref] = (await readRun(dir)).trials.filter(({ finished }) => finished);
      const events = await readSortedEvents(ref?.dir ?? '');
      const chunks = (name: string) =>
        new Map(
          events
            .filter(({ event, node }) => event === name && node.startsWith('holder'))
            .map(({ node, fields }) => [node, fields['chunks']]),
        );
      // Nine nodes nearest to a key hold it, so each of eight has them all.
      expect([...chunks('store.populated').values()]).to.deep.equal(Array.from({ length: 8 }, () => 200));
      expect(chunks('store.opened')).to.deep.equal(chunks('store.populated'));
      expect(Number(trial?.measures['storedBytes'])).to.be.greaterThan(0);
      expect(trial?.events.byName?.['fetch.concurrency']).to.be.at.least(12);
    });
  }
});
