import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { CommandModule } from 'yargs';
import type { RunRecord } from '../../record/index.ts';
import { sampleRun } from '../../report/test/sample-run.ts';
import { command as recheck } from '../commands/recheck.ts';
import { command as report } from '../commands/report.ts';

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
