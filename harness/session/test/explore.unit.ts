import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { readExploration } from '../../exploration/index.ts';
import { FakeStage } from '../../scenario/test/fake-stage.ts';
import { loadSuite } from '../../suite/index.ts';
import { type ExploreRequest, executeExplore, findExploration } from '../index.ts';

const TEXT = `
name: members
description: members are held at random
topology: memberlist-16
overrides: {counts: {member: 4}}
faults:
  - {fault: {kind: hold, on: 'pick(\${n},member)'}, for: {from: 5s, to: 40s}, draw: {n: {from: 1, to: 3}}}
schedule: {happenings: {from: 1, to: 2}, span: 5s}
watch: 2s
invariants:
  - {title: nobody dies, check: no-event, parameters: {event: member.dead}}
`;

describe('an exploration from end to end, on beds that are played', function () {
  this.timeout(60_000);
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-explore-'));
    writeFileSync(join(dir, 'members.explore.yaml'), TEXT);
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function request(stage: FakeStage, batches: number): ExploreRequest {
    let looks = 0;
    return {
      exploration: readExploration(join(dir, 'members.explore.yaml')),
      command: ['explore', 'members.explore.yaml'],
      forMs: batches,
      // Time passes by one with each look at the clock but the first.
      nowMs: () => looks++,
      batch: 3,
      confirm: 1,
      shrinkTrials: 0,
      corpus: join(dir, 'corpus'),
      parallelBeds: 2,
      reportsDir: join(dir, 'reports'),
      stage,
      signal: new AbortController().signal,
    };
  }

  const leaky = (): FakeStage =>
    new FakeStage({
      onFault: (bed, what, plan) => {
        if (what === 'lifted' && plan.targets.length >= 2) bed.say('member-1', 'member.dead');
      },
    });

  it('writes what it finds as a scenario, and goes on after it the next time without finding it again', async () => {
    const first = await executeExplore({ ...request(leaky(), 2), seed: '7' });
    expect(first.exitCode).to.equal(1);
    expect(first.text).to.include('BROKEN: nobody dies');
    const { scenarios } = await loadSuite(first.paths[0]!);
    expect(scenarios[0]?.checks.map(({ title }) => title)).to.include('nobody dies');
    const corpus = JSON.parse(readFileSync(join(dir, 'corpus', 'corpus.json'), 'utf8')) as { next: number };
    const second = await executeExplore(request(leaky(), 2));
    expect(second.explored.seed).to.equal('7');
    expect(second.explored.next).to.be.above(corpus.next);
    expect(second.explored.findings).to.deep.equal([]);
    expect(second.exitCode).to.equal(0);
  });

  it('finds nothing where nothing breaks', async () => {
    const { exitCode, text } = await executeExplore(request(new FakeStage(), 2));
    expect(exitCode).to.equal(0);
    expect(text).to.include('nothing new was found');
    expect(existsSync(join(dir, 'corpus', 'corpus.json'))).to.equal(true);
  });

  it('refuses a corpus that is none', async () => {
    await executeExplore(request(new FakeStage(), 1));
    writeFileSync(join(dir, 'corpus', 'corpus.json'), '{}');
    const error = await executeExplore(request(new FakeStage(), 1)).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(SquallError).and.include({ code: 'bad-corpus', blame: 'input' });
  });

  it('is found by the topology that it explores', () => {
    expect(findExploration('memberlist-16')).to.match(/suites\/memberlist\/members\.explore\.yaml$/);
    expect(() => findExploration('no-such')).to.throw(SquallError, /0 files explore/);
  });
});
