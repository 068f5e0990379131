import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FakeEngine } from '../../engine/index.ts';
import { currentOwner, formatOwner, LABEL } from '../../testnet/index.ts';
import { makeAttempts } from '../attempts.ts';
import { figuresOf, isPassed, renderFigures } from '../figures.ts';
import { AttemptLedger } from '../ledger.ts';
import type { Attempt, Part } from '../part.ts';
import { problemsOfReports } from '../parts/hostile-lines.ts';
import { STAGES, stageBegin } from '../stages.ts';
import { describeEnding, wrongVerdicts } from '../subject-run.ts';
import { inWorld, leftBehind } from '../world.ts';

const { signal } = new AbortController();
const FINE: Attempt = { outcome: 'right', met: true, problems: [], facts: { goneMs: 40 } };
const FINE_ENTRY = { key: 'code/7', part: 'part', number: 1, tookMs: 1, ...FINE, problems: [] };
const partOf = (attempt: Part['attempt'], more: Partial<Part> = {}): Part => ({
  name: 'part',
  title: 'a part',
  times: { whole: 3, short: 1 },
  secondsEach: 1,
  attempt,
  ...more,
});

describe('the verdict on a tormented run', () => {
  const ended = (code: number | null) => ({ code, signal: null });
  for (const [truth, code, verdicts, wrong] of [
    ['broken', 0, [], 1],
    ['broken', 1, ['fail'], 0],
    ['broken', 2, ['inconclusive'], 0],
    ['broken', 4, [], 0],
    ['broken', null, ['pass'], 1],
    ['sound', 1, ['fail'], 2],
    ['sound', 0, ['pass'], 0],
    ['sound', 3, [], 1],
  ] as const) {
    it(`${wrong ? 'is wrong' : 'may be'}: exit ${code} and ${verdicts.join() || 'no record'} of one that is ${truth}`, () =>
      expect(wrongVerdicts(truth, ended(code), verdicts)).to.have.length(wrong));
  }

  it('has one word for each end', () => {
    expect(describeEnding('broken', ended(1))).to.equal('right');
    expect(describeEnding('sound', ended(0))).to.equal('right');
    expect(describeEnding('sound', ended(2))).to.equal('inconclusive');
    expect(describeEnding('sound', { code: null, signal: 'SIGKILL' })).to.equal('killed');
  });
});

describe('the figures of a torture', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-torture-test-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const file = () => join(folder, 'attempts.jsonl');
  const said: string[] = [];
  const ledgerOf = (key = 'code/7', fresh = false) => new AttemptLedger(file(), key, { fresh });
  const request = (times: number, ledger = ledgerOf()) => ({
    ledger,
    seed: '7',
    times,
    signal,
    say: (text: string) => void said.push(text),
  });

  it('go on where they stopped, with the same chance for the same number', async () => {
    const drawn: number[] = [];
    const part = partOf(async (_world, chance) => {
      drawn.push(chance.integer(1_000_000));
      return FINE;
    });
    await makeAttempts(new FakeEngine(), part, request(2));
    await makeAttempts(new FakeEngine(), part, request(3));
    expect(drawn).to.have.length(3);
    await makeAttempts(new FakeEngine(), part, request(3, ledgerOf('code/8')));
    expect(drawn.slice(3)).to.deep.equal(drawn.slice(0, 3));
  });

  it('survive a line that a crash cut off', async () => {
    await makeAttempts(
      new FakeEngine(),
      partOf(async () => FINE),
      request(1),
    );
    writeFileSync(file(), '\n{"key":"code/7","part":"pa', { flag: 'a' });
    expect(ledgerOf().entries()).to.have.length(1);
  });

  it('make up for what met nothing, within a bound', async () => {
    let attempts = 0;
    const part = partOf(async () => {
      attempts += 1;
      return { ...FINE, met: attempts % 2 === 0 };
    });
    await makeAttempts(new FakeEngine(), part, request(3));
    expect(attempts).to.equal(6);
    expect(isPassed(figuresOf(part, 3, ledgerOf().entries()))).to.equal(true);
    const never = partOf(async () => ({ ...FINE, met: false }), { name: 'never' });
    await makeAttempts(new FakeEngine(), never, request(3));
    const figures = figuresOf(never, 3, ledgerOf().entries());
    expect(figures).to.include({ done: 10, met: 0 });
    expect(isPassed(figures)).to.equal(false);
  });

  it('count an error of the torture itself as a problem, not as an attempt that went well', async () => {
    const part = partOf(async () => {
      throw new Error('no mount');
    });
    await makeAttempts(new FakeEngine(), part, request(1));
    const figures = figuresOf(part, 1, ledgerOf().entries());
    expect(figures.problems).to.deep.equal(['part 1: no mount']);
    expect(isPassed(figures)).to.equal(false);
  });

  it('pass only when all was done, something was met and nothing went wrong', async () => {
    const good = partOf(async () => FINE);
    await makeAttempts(new FakeEngine(), good, request(3));
    const entries = ledgerOf().entries();
    expect(isPassed(figuresOf(good, 3, entries))).to.equal(true);
    expect(isPassed(figuresOf(good, 4, entries))).to.equal(false);
    const unmet = (count: number) =>
      Array.from({ length: count }, (_, index) => ({
        ...(entries[0] ?? FINE_ENTRY),
        number: index + 1,
        met: false,
      }));
    expect(isPassed(figuresOf(good, 2, unmet(5)))).to.equal(false);
    const impossible = partOf(good.attempt, { whyNot: () => 'no such library' });
    expect(isPassed(figuresOf(impossible, 3, []))).to.equal(false);
    expect(renderFigures([figuresOf(impossible, 3, [])])).to.include('no such library');
    expect(renderFigures([figuresOf(good, 3, entries)])).to.match(
      /✓ {2}part +3 +3\/3 +3 right +0\.0 s +< 63\.2 %/,
    );
  });
});

describe('the stages of a run', () => {
  let reports: string;
  beforeEach(() => {
    reports = mkdtempSync(join(tmpdir(), 'squall-stages-'));
  });
  afterEach(() => rmSync(reports, { recursive: true }));
  const line = (event: string, atNs: number, fields = {}) =>
    `${JSON.stringify({ node: 'harness', event, atNs, fields })}\n`;

  it('begin as its record says, a release at the instant that is planned for it', () => {
    mkdirSync(join(reports, 'latest'));
    for (const stage of STAGES.slice(1)) expect(stageBegin(reports, stage)).to.equal(undefined);
    const run = join(reports, 'run');
    const trial = join(run, 'trials', 'point', '1');
    mkdirSync(trial, { recursive: true });
    expect(stageBegin(reports, 'start')).to.equal(undefined);
    writeFileSync(join(run, 'plan.json'), '{}');
    expect(stageBegin(reports, 'start')).to.be.a('number');
    const applied = line('fault.applied', 5e9, { forMs: 4_000 });
    writeFileSync(join(trial, 'events.jsonl'), line('ready', 1e9) + applied.slice(0, -9));
    expect(stageBegin(reports, 'fault')).to.equal(undefined);
    writeFileSync(join(trial, 'events.jsonl'), line('ready', 1e9) + applied);
    expect(stageBegin(reports, 'fault')).to.equal(5e9);
    expect(stageBegin(reports, 'release')).to.equal(9e9);
    writeFileSync(join(run, 'events.jsonl'), line('trial.finished', 10e9) + line('run.ended', 11e9));
    expect(stageBegin(reports, 'removal')).to.equal(10e9);
    expect(stageBegin(reports, 'report')).to.equal(11e9);
  });
});

describe('what is left behind', () => {
  it('is what a process that was tormented answers for, and nobody else’s', async () => {
    const engine = new FakeEngine();
    const owner = formatOwner(currentOwner());
    engine.addImage('x');
    const spec = { hostname: 'x', image: 'x', environment: {} };
    await engine.createContainer({
      ...spec,
      name: 'mine',
      labels: { [LABEL.run]: 'r', [LABEL.owner]: owner },
    });
    await engine.createContainer({
      ...spec,
      name: 'other',
      labels: { [LABEL.run]: 's', [LABEL.owner]: 'a/b/c/1/2' },
    });
    const left = await inWorld(engine, signal, (world) => leftBehind(world, [process.pid]));
    expect(left).to.deep.equal(['container mine']);
  });
});

describe('reports over hostile lines', () => {
  const write = (dir: string, page: string, junit: string): void => {
    writeFileSync(join(dir, 'index.html'), page);
    writeFileSync(join(dir, 'junit.xml'), junit);
  };
  it('are wrong when a node’s text has become markup, XML, an escape or a command', () => {
    const dir = mkdtempSync(join(tmpdir(), 'squall-hostile-'));
    try {
      write(dir, '<p>&lt;script src=x&gt;squall-hostile</p>', '<a b="&lt;"/>');
      expect(problemsOfReports(dir, 'all well\n')).to.deep.equal([]);
      write(dir, '<p><script src=x>squall-hostile</script></p>', '<a b="<"/>');
      expect(problemsOfReports(dir, 'a\u0007b\n::error file=x::squall-hostile\n')).to.have.length(4);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
