import {
  createReadStream,
  createWriteStream,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { expect } from 'chai';
import { extract, pack } from 'tar-stream';
import { describeBundle, readManifest, unpackBundle } from '../../bundle/index.ts';
import { SquallError } from '../../errors/index.ts';
import { readRun, readTrial } from '../../record/index.ts';
import { requireScenario, type ScenarioSpec } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { FakeStage } from '../../scenario/test/fake-stage.ts';
import { executeBundle, executeReplay, executeRun, type ReplayRequest } from '../index.ts';
import { fillSecrets, redactTopology } from '../redact-topology.ts';

const TOPOLOGY = `name: mine
nodes:
  - role: member
    count: 4
    image: registry.example/mine:1
    env: {DB_PASSWORD: 'hunter2: "x"', PEER: 'https://me:pw@host/', MODE: fast}
    readiness: {started: true}
`;

async function refusal(work: Promise<unknown>): Promise<SquallError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof SquallError) return error;
    throw error;
  }
  throw new Error('it was not refused');
}

describe('a bundle', function () {
  // Each makes several runs; a busy machine takes its time.
  this.timeout(60_000);
  let dir: string;
  let right: string;
  const signal = new AbortController().signal;
  before(async () => {
    dir = mkdtempSync(join(tmpdir(), 'squall-bundle-'));
    right = join(dir, 'right.tar.gz');
    await executeBundle((await recorded({ trials: 1 })).dir, right, []);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  /** A run whose members die or not by the seed of the trial, so that a replay on other seeds would differ. */
  function stage(): FakeStage {
    return new FakeStage({
      onFault: (bed, what, plan) => {
        if (what === 'lifted' && plan.targets[0] === 'member-1') bed.say('member-2', 'member.dead');
      },
    });
  }

  async function recorded(changes: Partial<ScenarioSpec> = {}) {
    const scenario = requireScenario(
      scenarioSpec({
        topology: 'memberlist-16',
        overrides: (point) => ({ counts: { member: 4 + Number(point['cutoff']) } }),
        grids: { default: { description: '', axes: { cutoff: [1, 2], variant: ['shipped'] } } },
        trials: 3,
        ...changes,
      }),
      { suite: 'fake', folder: dir },
    );
    return await executeRun({
      selections: [{ scenario }],
      command: ['run', 'fake', '--api-token', 'abc'],
      seed: '11',
      withoutReports: true,
      reportsDir: join(dir, 'reports'),
      parallelBeds: 1,
      stage: stage(),
      signal,
    });
  }

  function replayRequest(bundle: string, changes: Partial<ReplayRequest> = {}): ReplayRequest {
    return {
      bundle,
      secrets: {},
      loadSuite: async () => undefined,
      command: ['replay', bundle],
      reportsDir: join(dir, 'elsewhere'),
      parallelBeds: 1,
      withoutReports: true,
      stage: stage(),
      signal,
      ...changes,
    };
  }

  it('is replayed elsewhere with the same targets and the same verdicts, check by check', async () => {
    const { dir: runDir, run } = await recorded();
    const file = join(dir, 'run.squall.tar.gz');
    const manifest = await executeBundle(runDir, file, []);
    expect(
      manifest.checks.some(({ verdict }) => verdict === 'fail'),
      'the seeds let some die',
    ).to.equal(true);
    const replayed = await executeReplay(replayRequest(file));
    expect(replayed.differences).to.deep.equal([]);
    expect(replayed.exitCode).to.equal(0);
    expect(replayed.executed.run.verdict).to.equal(run.verdict);
    expect(replayed.executed.run.points.map(({ trials, pointId }) => [pointId, trials])).to.deep.equal(
      run.points.map(({ trials, pointId }) => [pointId, trials]),
    );
    const targets = async (folder: string) => {
      const { trials } = await readRun(folder);
      return await Promise.all(
        trials.map(async (ref) => (await readTrial(ref.dir)).faults.map((one) => one.targets)),
      );
    };
    expect(await targets(replayed.executed.dir)).to.deep.equal(await targets(runDir));

    const cured = await executeReplay(replayRequest(file, { stage: new FakeStage() }));
    expect(cured.exitCode).to.equal(1);
    expect(cured.text).to.include('nobody dies').and.include('was fail, is pass');
  });

  it('lists what is in it, and holds no secret and no environment; the same run gives the same bytes', async () => {
    const { dir: runDir } = await recorded({ trials: 1 });
    const { trials } = await readRun(runDir);
    const trialFile = join(trials[0]!.dir, 'trial.json');
    const trial = JSON.parse(readFileSync(trialFile, 'utf8')) as { nodes: Record<string, unknown>[] };
    trial.nodes[0]!['environment'] = { HOME: '/root/of-mine' };
    writeFileSync(trialFile, JSON.stringify(trial));
    writeFileSync(join(trials[0]!.dir, 'logs', 'member-1.log'), 'login postgres://joe:s3cret@db/\nplain\n');
    writeFileSync(join(runDir, 'notes.txt'), 'private');
    writeFileSync(join(runDir, 'index.html'), 'private, and can be drawn again');
    const [one, two] = [join(dir, 'one.tar.gz'), join(dir, 'two.tar.gz')];
    const manifest = await executeBundle(runDir, one, []);
    await executeBundle(runDir, two, []);
    expect(readFileSync(one).equals(readFileSync(two))).to.equal(true);
    expect(await readManifest(one)).to.deep.equal(manifest);
    const text = describeBundle(manifest);
    expect(text).to.include('log of a node').and.include('a trial, without the environments of its nodes');
    expect(text).to.include('files of other kinds: 1 file').and.include('seed 11');
    expect(manifest.command).to.not.include('abc');
    const out = mkdtempSync(join(dir, 'out-'));
    await unpackBundle(one, out);
    const all = manifest.files.map(({ path }) => readFileSync(join(out, path), 'utf8')).join('\n');
    for (const secret of ['s3cret', 'of-mine', 'private', dir]) expect(all, secret).to.not.include(secret);
    expect(all).to.include('plain').and.include('login postgres://[redacted]@db/');
    const { files, leftOut } = await executeBundle(runDir, two, ['logs', 'events']);
    expect(files.filter(({ path }) => /logs|trials.*events/.test(path))).to.deep.equal([]);
    expect(leftOut.join()).to.include('logs, as asked');
  });

  it('leaves secrets of a topology out, and asks for them when it is replayed', async () => {
    writeFileSync(join(dir, 'mine.yaml'), TOPOLOGY);
    const mine = {
      topology: 'mine',
      overrides: {},
      trials: 1,
      parameters: {},
      grids: { default: { description: '', axes: {} } },
    };
    const phases = [
      { name: 'fault', steps: [{ fault: { kind: 'hold' as const, on: 'member', for: '1s' } }] },
    ];
    const { dir: runDir } = await recorded({ ...mine, phases });
    const file = join(dir, 'run.tar.gz');
    await executeBundle(runDir, file, []);
    const missing = await refusal(executeReplay(replayRequest(file)));
    expect(missing).to.include({ code: 'secret-missing', blame: 'input' });
    expect(missing.message).to.include('DB_PASSWORD, PEER').and.not.include('hunter2');
    const { exitCode, executed } = await executeReplay(
      replayRequest(file, { secrets: { DB_PASSWORD: 'hunter2', PEER: 'me:pw' } }),
    );
    expect(exitCode).to.equal(0);
    expect(readFileSync(join(executed.dir, 'inputs.json'), 'utf8')).to.not.include('hunter2');
  });

  it('needs the suite that registers its measures or holds its code, and says so', async () => {
    const { dir: runDir } = await recorded({
      trials: 1,
      phases: [{ name: 'fault', steps: [{ run: async () => undefined }] }],
    });
    const file = join(dir, 'run.tar.gz');
    expect((await executeBundle(runDir, file, [])).suites).to.deep.equal(['fake']);
    const missing = await refusal(executeReplay(replayRequest(file)));
    expect(missing.message).to.include('phases.0.steps.0.run').and.include('code of suite "fake"');
  });

  it('of a record that does not say what it ran is refused', async () => {
    const { dir: runDir } = await recorded({ trials: 1 });
    rmSync(join(runDir, 'inputs.json'));
    expect(await refusal(executeBundle(runDir, join(dir, 'x'), []))).to.include({ code: 'no-inputs' });
  });

  for (const [what, change, problem] of [
    [
      'whose content was changed',
      {
        content: (name: string, text: string) => (name === 'plan.json' ? text.replace('seed', 'sead') : text),
      },
      /plan\.json is not what/,
    ],
    [
      'with a file that leads out of it',
      { name: (name: string) => (name === 'plan.json' ? '../plan.json' : name) },
      /not listed/,
    ],
    [
      'that lists a path out of it',
      {
        content: (name: string, text: string) =>
          name === 'manifest.json' ? text.replace('"plan.json"', '"../../plan.json"') : text,
      },
      /no path within it/,
    ],
    [
      'with a link',
      { type: (name: string) => (name === 'plan.json' ? ('symlink' as const) : ('file' as const)) },
      /is a symlink/,
    ],
    [
      'of a later version',
      {
        content: (name: string, text: string) =>
          name === 'manifest.json' ? text.replace('"bundleVersion": 1', '"bundleVersion": 9') : text,
      },
      /version 9/,
    ],
    ['that lacks a file', { drop: 'plan.json' }, /plan\.json is listed and not in it/],
  ] as const) {
    it(`${what} is refused`, async () => {
      const wrong = join(dir, 'wrong.tar.gz');
      await rewrite(right, wrong, change);
      const error = await refusal(unpackBundle(wrong, mkdtempSync(join(dir, 'out-'))));
      expect(error.blame).to.equal('input');
      expect(error.message).to.match(problem);
    });
  }

  it('that is no bundle at all is refused', async () => {
    writeFileSync(join(dir, 'x.tar.gz'), 'no archive');
    expect((await refusal(readManifest(join(dir, 'x.tar.gz')))).code).to.equal('bad-bundle');
    expect((await refusal(readManifest(join(dir, 'none.tar.gz')))).code).to.equal('bad-bundle');
  });
});

describe('a topology in a record', () => {
  it('keeps its comments and its settings, and loses its secrets', () => {
    const { text, redacted } = redactTopology(`# mine\n${TOPOLOGY}`);
    expect(redacted).to.deep.equal(['DB_PASSWORD', 'PEER']);
    expect(text)
      .to.include('# mine')
      .and.include('MODE: fast')
      .and.not.include('hunter2')
      .and.not.include('me:pw');
    const filled = fillSecrets(text, { DB_PASSWORD: 'a"b', PEER: 'c:d' });
    expect(filled.missing).to.deep.equal([]);
    expect(redactTopology(filled.text).redacted).to.deep.equal(redacted);
  });

  it('is left byte for byte when it has none', () => {
    const plain = TOPOLOGY.replace(/DB_PASSWORD.*MODE/, 'MODE');
    expect(redactTopology(plain)).to.deep.equal({ text: plain, redacted: [] });
    expect(fillSecrets(plain, {}).text).to.equal(plain);
  });
});

interface Change {
  readonly name?: (name: string) => string;
  readonly type?: (name: string) => 'file' | 'symlink';
  readonly content?: (name: string, text: string) => string;
  readonly drop?: string;
}

/** The same archive with something changed, as somebody might hand it to us. */
async function rewrite(from: string, to: string, change: Change): Promise<void> {
  const source = extract();
  const target = pack();
  const written = pipeline(target, createGzip(), createWriteStream(to));
  const read = pipeline(createReadStream(from), createGunzip(), source);
  for await (const entry of source) {
    const { name } = entry.header;
    const chunks: Buffer[] = [];
    for await (const chunk of entry) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    if (name === change.drop) continue;
    const type = change.type?.(name) ?? 'file';
    const header = {
      name: change.name?.(name) ?? name,
      type,
      ...(type === 'symlink' && { linkname: '/etc/passwd' }),
    };
    target.entry(header, type === 'symlink' ? '' : (change.content?.(name, text) ?? text));
  }
  target.finalize();
  await Promise.all([written, read]);
}
