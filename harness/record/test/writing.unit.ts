import { mkdtemp, readFile, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRun, LineFile, readEvents, readRun, readTrial, SCHEMAS } from '../index.ts';
import { samplePlan, sampleTrial } from './sample-record.ts';

describe('writing a record', () => {
  let reports: string;
  beforeEach(async () => {
    reports = await mkdtemp(join(tmpdir(), 'squall-record-'));
  });
  afterEach(async () => {
    await rm(reports, { recursive: true, force: true });
  });

  it('reads back what was written, and points latest at the run', async () => {
    const run = await createRun(join(reports, 'run-1'), samplePlan());
    const writer = await run.openTrial({ pointId: 'cutoff=8', trial: 1 });
    writer.event({ node: 'member-1', event: 'member.dead', atNs: 5, fields: { victim: 'member-2' } });
    writer.log('member-1').line('hello');
    await writer.finish(sampleTrial({ pointId: 'cutoff=8', trial: 1 }));
    await run.finish();

    expect(await readlink(join(reports, 'latest'))).to.equal('run-1');
    const stored = await readRun(join(reports, 'latest'));
    expect(stored.trials).to.have.length(1);
    const trial = await readTrial(stored.trials[0]!.dir);
    expect(trial.events).to.deep.equal({ count: 1, lost: 0, truncated: false, byName: { 'member.dead': 1 } });
    expect(trial.nodes[0]?.log).to.include({ path: 'logs/member-1.log', lines: 1, truncated: false });
    expect(SCHEMAS.trial.safeParse(trial).error).to.equal(undefined);
  });

  it('loses no event of a flood, though the writer never waits', async () => {
    const run = await createRun(join(reports, 'run-1'), samplePlan());
    const writer = await run.openTrial({ pointId: 'p', trial: 1 });
    const filler = 'x'.repeat(400);
    const flood = 100_000;
    for (let seq = 0; seq < flood; seq += 1) {
      writer.event({ node: 'member-1', event: 'noise', atNs: seq, seq, fields: { filler } });
    }
    await writer.finish(sampleTrial({ pointId: 'p', trial: 1 }));
    let next = 0;
    for await (const event of readEvents(writer.dir)) {
      if (event.seq !== next) throw new Error(`expected ${next}, read ${event.seq}`);
      next += 1;
    }
    expect(next).to.equal(flood);
  });

  it('puts what is told on the disk soon, for those who read the file while it grows', async () => {
    const path = join(reports, 'watched');
    const file = new LineFile(path, { flushAfterMs: 1 });
    file.write('told\n');
    let text = '';
    while (text === '') {
      await new Promise((resolve) => setImmediate(resolve));
      text = await readFile(path, 'utf8').catch(() => '');
    }
    expect(text).to.equal('told\n');
    await file.close({ durable: false });
  });

  it('holds a bounded amount in memory, though the writer never waits', async () => {
    const file = new LineFile(join(reports, 'flood'));
    const line = `${'x'.repeat(65_535)}\n`;
    let most = 0;
    for (let count = 0; count < 1_000; count += 1) {
      file.write(line);
      most = Math.max(most, file.heldBytes);
    }
    await file.close({ durable: false });
    expect(most).to.be.below(17 * 1024 * 1024);
    expect((await stat(file.path)).size).to.equal(1_000 * line.length);
    expect(await readFile(file.path, 'utf8')).to.equal(line.repeat(1_000));
  });

  it('marks events as truncated at their limit and counts what was lost', async () => {
    const run = await createRun(join(reports, 'run-1'), samplePlan());
    const writer = await run.openTrial({ pointId: 'p', trial: 1 }, { eventsBytes: 1_000 });
    for (let seq = 0; seq < 100; seq += 1) writer.event({ node: 'n', event: 'e', atNs: seq, fields: {} });
    const record = await writer.finish(sampleTrial({ pointId: 'p', trial: 1 }));
    expect(record.events.truncated).to.equal(true);
    expect(record.events.count + record.events.lost).to.equal(100);
    expect((await readFile(join(writer.dir, 'events.jsonl'))).length).to.be.at.most(1_000);
  });

  it('keeps the first and the last lines of a long log, and says how many it left out', async () => {
    const run = await createRun(join(reports, 'run-1'), samplePlan());
    const writer = await run.openTrial({ pointId: 'p', trial: 1 }, { logBytes: 2_000, tailBytes: 500 });
    for (let line = 1; line <= 1_000; line += 1) writer.log('member-1').line(`line ${line}`);
    const record = await writer.finish(sampleTrial({ pointId: 'p', trial: 1 }));
    const text = await readFile(join(writer.dir, 'logs/member-1.log'), 'utf8');
    expect(text).to.match(/^line 1\n/);
    expect(text).to.match(/line 1000\n$/);
    expect(text).to.match(/\[squall: cut here, \d+ lines not kept\]/);
    const kept = text.split('\n').filter((line) => line.startsWith('line ')).length;
    expect(record.nodes[0]?.log).to.include({ lines: 1_000, truncated: true, lostLines: 1_000 - kept });
    expect(text.length).to.be.at.most(2_100);
  });

  it('writes a repeated line once with its count', async () => {
    const run = await createRun(join(reports, 'run-1'), samplePlan());
    const writer = await run.openTrial({ pointId: 'p', trial: 1 });
    for (let index = 0; index < 200_000; index += 1) writer.log('member-1').line('resource limit exceeded');
    writer.log('member-1').line('after');
    const record = await writer.finish(sampleTrial({ pointId: 'p', trial: 1 }));
    expect(await readFile(join(writer.dir, 'logs/member-1.log'), 'utf8')).to.equal(
      'resource limit exceeded\n[squall: the line above came 199999 more times]\nafter\n',
    );
    expect(record.nodes[0]?.log).to.include({ lines: 200_001, truncated: false, lostLines: 0 });
  });

  it('keeps a node whose name is hostile inside the logs folder', async () => {
    const run = await createRun(join(reports, 'run-1'), samplePlan());
    const writer = await run.openTrial({ pointId: 'p', trial: 1 });
    writer.log('../../../evil\u0000name').line('x');
    await writer.finish(sampleTrial({ pointId: 'p', trial: 1 }));
    expect(writer.log('../../../evil\u0000name').summary.path).to.match(/^logs\/_[A-Za-z0-9._~-]+\.log$/);
  });

  it('takes secrets out of environments, fault settings and the command', async () => {
    const plan = samplePlan({
      command: ['run', 'suites/x', '--api-token', 'hunter2', '--set', 'db_password=hunter2'],
    });
    const run = await createRun(join(reports, 'run-1'), plan);
    const writer = await run.openTrial({ pointId: 'p', trial: 1 });
    const trial = sampleTrial({ pointId: 'p', trial: 1 });
    await writer.finish({
      ...trial,
      nodes: trial.nodes.map((node) => ({
        ...node,
        environment: { SQUALL_GRACE_MS: '2000', DB_PASSWORD: 'hunter2', URL: 'amqp://user:hunter2@host/' },
      })),
    });
    for (const file of ['plan.json', 'trials/p/1/trial.json']) {
      expect(await readFile(join(run.dir, file), 'utf8'), file).not.to.contain('hunter2');
    }
    const [node] = (await readTrial(writer.dir)).nodes;
    expect(node?.environment).to.include({ SQUALL_GRACE_MS: '2000', DB_PASSWORD: '[redacted]' });
  });

  it('goes on with an interrupted run and refuses to overwrite one', async () => {
    const dir = join(reports, 'run-1');
    const first = await createRun(dir, samplePlan());
    first.event({ node: 'harness', event: 'run.started', atNs: 1, fields: {} });
    await first.finish();
    let refusal: unknown;
    await createRun(dir, samplePlan()).catch((error: unknown) => {
      refusal = error;
    });
    expect(refusal).to.have.property('code', 'run-exists');
    const second = await createRun(dir, samplePlan(), { resume: true });
    second.event({ node: 'harness', event: 'run.resumed', atNs: 2, fields: {} });
    await second.finish();
    const events: string[] = [];
    for await (const event of readEvents(dir)) events.push(event.event);
    expect(events).to.deep.equal(['run.started', 'run.resumed']);
  });

  it('says what is wrong when the disk takes no more', async () => {
    const run = await createRun(join(reports, 'run-1'), samplePlan());
    const writer = await run.openTrial({ pointId: 'p', trial: 1 });
    await rm(writer.dir, { recursive: true });
    writer.event({ node: 'n', event: 'e', atNs: 1, fields: {} });
    let failure: unknown;
    await writer.finish(sampleTrial({ pointId: 'p', trial: 1 })).catch((error: unknown) => {
      failure = error;
    });
    expect(failure).to.have.property('code', 'record-write-failed');
  });
});
