import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { CommandModule } from 'yargs';
import type { RunRecord } from '../../record/index.ts';
import { sampleRun } from '../../report/test/sample-run.ts';
import { command as recheck } from '../commands/recheck.ts';
import { command as report } from '../commands/report.ts';

/** What the sample's suite says today: another count of the dead, one bound for all variants, a check more. */
const TODAY = `name: outage
description: synthetic
topology: none
parameters:
  size: {type: integer, description: nodes, default: 128}
  cutoff: {type: integer, description: nodes cut off, default: 32}
  outage: {type: duration, description: for how long, default: 40s}
  variant: {type: text, description: which, default: shipped}
grids: {default: {axes: {}}}
trials: 1
bed: fresh
measure: [recheck.settled]
measures: [{name: falseDeaths, title: False deaths, unit: deaths}, {name: settled, title: Settled, unit: nodes}]
phases: [{name: fault, steps: [{name: watched, wait: 1s}]}]
checks:
  - check: measure-bound
    title: no false death
    kind: invariant
    parameters: {measure: falseDeaths, op: '=', value: 0}
    where: {outage: 40s}
    reason: None at all.
  - check: measure-bound
    title: six settled
    kind: invariant
    parameters: {measure: settled, op: '=', value: 6}
    reason: The sample has six nodes.
expect: []
published: []
aggregates: []
comparisons: []
`;

const HARNESS = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');

/** Files that a file reaches by static imports of values: what is loaded when it is. */
async function reachable(file: string, seen = new Set<string>()): Promise<Set<string>> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = await readFile(file, 'utf8');
  for (const [, from] of text.matchAll(/^(?:import|export)\s(?!type\s)[^;]*?from '(\.[^']+)';/gms)) {
    await reachable(resolve(dirname(file), from as string), seen);
  }
  return seen;
}

/** Calls a command's handler and gives what it wrote and the exit code that it set. */
async function call<A>(
  command: CommandModule<object, A>,
  args: object,
): Promise<{ out: string; err: string; exitCode: unknown }> {
  const written = { out: '', err: '' };
  const [writeOut, writeErr, exitCode] = [process.stdout.write, process.stderr.write, process.exitCode];
  process.stdout.write = ((text: string) => {
    written.out += text;
    return true;
  }) as typeof process.stdout.write;
  process.stderr.write = ((text: string) => {
    written.err += text;
    return true;
  }) as typeof process.stderr.write;
  process.exitCode = 0;
  try {
    await command.handler(args as never);
    return { ...written, exitCode: process.exitCode };
  } finally {
    process.stdout.write = writeOut;
    process.stderr.write = writeErr;
    process.exitCode = exitCode;
  }
}

describe('recheck and report', () => {
  let dir: string;
  before(async () => {
    dir = join(await mkdtemp(join(tmpdir(), 'squall-recheck-')), 'run-1');
    await sampleRun(dir, { trials: 1, outagesS: [40], cutoffs: [32], variants: ['shipped', 'both'] });
  });
  after(async () => {
    await rm(dirname(dir), { recursive: true, force: true });
  });

  it('load nothing that knows an engine', async () => {
    for (const name of ['recheck', 'report']) {
      const files = await reachable(join(HARNESS, 'cli', 'commands', `${name}.ts`));
      const rooms = new Set([...files].map((file) => relative(HARNESS, file).split('/')[0]));
      expect([...rooms].sort(), name).to.include.members(['check', 'record', 'report']);
      for (const acting of [
        'engine',
        'image',
        'network',
        'host',
        'testnet',
        'fault',
        'probe',
        'scenario',
        'session',
        'suite',
      ]) {
        expect([...rooms], name).not.to.include(acting);
      }
    }
  });

  it('judge a run that nobody has judged, and say the same again', async () => {
    const first = await call(recheck, { run: dir, with: undefined, json: true });
    const second = await call(recheck, { run: dir, with: undefined, json: true });
    expect(first.err).to.equal('');
    expect(second.err).to.equal(
      `the same verdict as before: ${(JSON.parse(first.out) as RunRecord).verdict}\n`,
    );
    expect(second.out).to.equal(first.out);
    expect(second.exitCode).to.equal((JSON.parse(first.out) as RunRecord).exitCode);
  });

  it('say what changed when the stored verdict was another', async () => {
    const file = join(dir, 'run.json');
    const run = JSON.parse(await readFile(file, 'utf8')) as RunRecord;
    const turned = {
      ...run,
      points: run.points.map((point) => ({
        ...point,
        checks: point.checks.map((check) => ({ ...check, verdict: 'inconclusive' })),
      })),
    };
    await writeFile(file, JSON.stringify(turned));
    const { err } = await call(recheck, { run: dir, with: undefined, json: false });
    expect(err).to.contain('no false death').and.to.contain('was inconclusive, is pass');
  });

  it('draw a judged run again and print the paths', async () => {
    const { out } = await call(report, { run: dir, open: false });
    expect(out).to.contain(join(dir, 'index.html')).and.to.contain(join(dir, 'junit.xml'));
    expect(await readFile(join(dir, 'index.html'), 'utf8')).to.contain('<!doctype html>');
  });

  it('judge by what a suite says today: its measures taken anew, its bounds, its checks, and no other', async () => {
    await call(recheck, { run: dir, with: undefined, json: true });
    const suite = join(dirname(dir), 'synthetic');
    await mkdir(suite);
    await writeFile(join(suite, 'package.json'), '{"type": "module"}');
    await writeFile(
      join(suite, 'suite.ts'),
      `import { registerMeasure } from ${JSON.stringify(join(HARNESS, 'record', 'index.ts'))};
registerMeasure('recheck.settled', (trial, events) => ({
  falseDeaths: 3,
  settled: new Set(events.filter(({ event }) => event === 'converged').map(({ node }) => node)).size,
}));
`,
    );
    await writeFile(join(suite, 'outage.scenario.yaml'), TODAY);
    const recorded = JSON.parse(await readFile(join(dir, 'run.json'), 'utf8')) as RunRecord;
    const { out, err, exitCode } = await call(recheck, { run: dir, with: suite, json: true });
    const run = JSON.parse(out) as RunRecord;
    expect(run.judgedBy).to.equal('today');
    const outage = run.points.filter(({ scenario }) => scenario === 'outage');
    expect(outage.map(({ point }) => point['variant'])).to.have.members(['shipped', 'both']);
    for (const { measures, checks } of outage) {
      expect(measures['falseDeaths']?.values).to.deep.equal([3]);
      expect(measures['settled']?.values).to.deep.equal([6]);
      const verdicts = Object.fromEntries(checks.map(({ title, verdict }) => [title, verdict]));
      expect(verdicts).to.include({ 'no false death': 'fail', 'six settled': 'pass' });
      expect(verdicts).to.not.have.property('the cut was seen to bite');
    }
    expect(err).to.match(/no false death \[.*variant=both.*\]: was pass, is fail/);
    expect(err).to.match(/six settled \[.*\]: was not judged, is pass/);
    expect(run.exitCode).to.equal(1);
    expect(exitCode).to.equal(1);
    // What the suite does not have, the record keeps.
    expect(run.notes?.join()).to.include('synthetic/crash is not in the suite given');
    const crashes = ({ points }: RunRecord) => points.filter(({ scenario }) => scenario === 'crash');
    expect(crashes(run)).to.deep.equal(crashes(recorded));
  });

  it('refuse a suite that is not there, and one without a scenario', async () => {
    const empty = join(dirname(dir), 'empty');
    await mkdir(empty);
    await writeFile(join(empty, 'package.json'), '{"type": "module"}');
    await writeFile(join(empty, 'suite.ts'), 'export {};\n');
    for (const [suite, code] of [
      [empty, 'empty-suite'],
      [join(empty, 'nowhere'), 'suite-not-found'],
    ] as const) {
      const refused = await call(recheck, { run: dir, with: suite, json: false }).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refused, suite).to.include({ code, blame: 'input' });
    }
  });

  it('refuse a run that is not there', async () => {
    let refusal: unknown;
    await call(recheck, { run: join(dir, 'nowhere'), with: undefined, json: false }).catch(
      (error: unknown) => {
        refusal = error;
      },
    );
    expect(refusal).to.include({ code: 'run-not-found', blame: 'input' });
  });
});
