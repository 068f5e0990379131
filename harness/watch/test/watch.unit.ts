import { appendFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRun, type PlannedScenario, type RecordedEvent, type RunWriter } from '../../record/index.ts';
import { samplePlan, sampleTrial } from '../../record/test/sample-record.ts';
import { BedFollower, LiveScreen, plainLine, RunFollower, renderFrame, type SeenBed } from '../index.ts';
import { LineTail } from '../line-tail.ts';

const HOSTILE = '\u001b[2J</script><img src=x onerror=alert(1)>\u202e';
const S = 1e9;

function scenario(trials: number): PlannedScenario {
  return {
    suite: 'synthetic',
    scenario: 'outage',
    description: '',
    kills: [],
    points: [{ point: { cutoff: 8 }, pointId: 'cutoff=8', trials, estimatedMs: 60_000 }],
    checks: [],
    expectations: [],
    published: [],
    measures: [],
    plots: [],
  };
}

function harness(event: string, atS: number, fields: Record<string, unknown>): RecordedEvent {
  return { node: 'harness', event, atNs: atS * S, fields };
}

const LABEL = { scenario: 'outage', pointId: 'cutoff=8', trial: 1, bedId: 'bed-1' };

describe('following a file that grows', () => {
  let dir: string;
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'squall-tail-'));
  });
  afterEach(async () => {
    await rm(dir, { recursive: true, force: true });
  });

  it('gives whole lines only, each once, over any cut', async () => {
    const path = join(dir, 'lines');
    const tail = new LineTail(path);
    expect(await tail.read()).to.deep.equal({ lines: [], more: false });
    await writeFile(path, 'one\ntw');
    expect((await tail.read()).lines).to.deep.equal(['one']);
    await appendFile(path, 'o\nthr\u00e9'.slice(0, 6));
    expect((await tail.read()).lines).to.deep.equal(['two']);
    await appendFile(path, '\n');
    expect((await tail.read()).lines).to.deep.equal(['thr\u00e9']);
  });

  it('takes up to 4 MiB at once, and passes over a line that never ends', async () => {
    const path = join(dir, 'flood');
    await writeFile(path, `${'x'.repeat(6 * 1024 * 1024)}\nafter\n`);
    const tail = new LineTail(path);
    const first = await tail.read();
    expect(first).to.deep.equal({ lines: [], more: true });
    expect(await tail.read()).to.deep.equal({ lines: ['after'], more: false });
  });
});

describe('watching a run', () => {
  let dir: string;
  let writer: RunWriter;
  let nowS = 0;
  let alive: boolean | undefined = true;
  const seen: string[] = [];

  beforeEach(async () => {
    dir = join(await mkdtemp(join(tmpdir(), 'squall-watch-')), 'run-1');
    nowS = 0;
    alive = true;
    seen.length = 0;
    writer = await createRun(dir, samplePlan({ scenarios: [scenario(2)] }));
  });
  afterEach(async () => {
    await writer.finish();
    await rm(join(dir, '..'), { recursive: true, force: true });
  });

  const open = () =>
    RunFollower.open(dir, {
      nowNs: () => nowS * S,
      ownerAlive: () => alive,
      judge: async () => {
        throw new Error('nothing to judge by');
      },
      onEvent: (event, trial) => void seen.push(`${trial?.key ?? 'run'} ${event.event}`),
    });

  async function begin(): Promise<void> {
    writer.event(harness('run.began', 1, { owner: 'me' }));
    writer.event(
      harness('bed.described', 2, {
        bedId: 'bed-1',
        topology: 'synthetic-3',
        nodes: ['member-1', 'member-2', 'member-3'].map((name) => ({ name, role: 'member' })),
        links: [{ name: 'l', from: ['member-1'], to: ['member-2'], port: 1, protocol: 'tcp' }],
      }),
    );
    writer.event(harness('trial.started', 3, { ...LABEL, text: '' }));
    writer.event(harness('step.began', 4, { ...LABEL, text: 'fault: cut off' }));
    await writer.drained();
  }

  it('shows nodes, phases, steps and faults of a trial while it runs', async () => {
    await begin();
    const follower = await open();
    const trial = await writer.openTrial({ pointId: 'cutoff=8', trial: 1 });
    trial.event(harness('phase.began', 3, { phase: 'warm-up' }));
    trial.event(harness('phase.began', 5, { phase: 'fault' }));
    trial.event({ node: 'member-1', event: 'ready', atNs: 4 * S, fields: {} });
    trial.event(
      harness('fault.applied', 6, { id: 'cut', kind: 'hold', targets: ['member-2'], forMs: 20_000 }),
    );
    trial.event({ node: 'member-3', event: 'node.exited', atNs: 7 * S, fields: { code: 1 } });
    await trial.drained();
    nowS = 10;
    await follower.poll();
    const [story] = follower.running;
    const view = story?.view(nowS * S);
    expect(view?.nodes.map(({ name, state }) => [name, state])).to.deep.equal([
      ['member-1', 'up'],
      ['member-2', 'unheard'],
      ['member-3', 'ended'],
    ]);
    expect(view?.links[0]).to.include({ name: 'l' });
    expect(view?.phases).to.deep.equal([
      { name: 'warm-up', startNs: 3 * S, endNs: 5 * S },
      { name: 'fault', startNs: 5 * S },
    ]);
    expect(view?.perSecond).to.deep.equal([0, 1, 0, 0, 1]);
    const run = follower.view();
    expect(run).to.include({ life: 'running', elapsedMs: 9_000 });
    expect(run.trials).to.deep.equal({ planned: 2, counted: 0, voids: 0, broken: 0, running: 1 });
    const frame = renderFrame(run, view ? [view] : [], { columns: 100, rows: 30, color: false }).join('\n');
    expect(frame).to.contain('running for 9 s');
    expect(frame).to.contain('H hold cut on member-2: for 4 s, 16 s left');
    expect(frame).to.contain('3 member').and.to.contain('●H✕');
    expect(frame).to.contain('fault: cut off, for 6 s');
    expect(seen).to.include.members(['run trial.started', 'cutoff=8#1 fault.applied']);
    await trial.finish(sampleTrial());
  });

  it('counts what ended, and tells the time left from the pace so far', async () => {
    await begin();
    const follower = await open();
    const trial = await writer.openTrial({ pointId: 'cutoff=8', trial: 1 });
    await trial.finish(sampleTrial({ measures: { deaths: 3 } }));
    nowS = 91;
    await follower.poll();
    const run = follower.view();
    expect(run.trials).to.deep.equal({ planned: 2, counted: 1, voids: 0, broken: 0, running: 0 });
    // 90 s went by for an estimate of 60 s, and one such trial is left.
    expect(run.leftMs).to.equal(90_000);
    expect(run.checks?.problem).to.contain('nothing to judge by');
    expect(run.finished).to.deep.equal([
      { key: 'cutoff=8#1', pointId: 'cutoff=8', trial: 1, outcome: 'completed', tookMs: 100_000 },
    ]);
    const story = await follower.trial('cutoff=8#1');
    expect(story?.view(0)).to.deep.include({ outcome: 'completed', measures: { deaths: 3 } });
    writer.event(harness('point.stopped', 92, { pointId: 'cutoff=8', text: 'the answer is clear' }));
    await writer.drained();
    await follower.poll();
    expect(follower.view().leftMs).to.equal(0);
    expect(follower.view().points[0]).to.include({ stopped: 'the answer is clear' });
  });

  it('says that nobody is at work on a run whose process died, and that a run has ended', async () => {
    await begin();
    const follower = await open();
    expect(follower.view().life).to.equal('running');
    alive = false;
    expect(follower.view().life).to.equal('silent');
    expect(follower.view().active).to.deep.equal([]);
    writer.event(harness('run.ended', 50, { aborted: false }));
    await writer.drained();
    await follower.poll();
    expect(follower.view()).to.include({ life: 'ended', elapsedMs: 49_000 });
  });

  it('reads a finished trial from the record, and nothing outside of the run', async () => {
    const trial = await writer.openTrial({ pointId: 'cutoff=8', trial: 1 });
    trial.event({ node: 'member-1', event: 'ready', atNs: 2 * S, fields: {} });
    await trial.finish(sampleTrial());
    const follower = await open();
    const story = await follower.trial('cutoff=8#1');
    expect(story?.view(0).counts).to.deep.equal([{ event: 'ready', count: 1 }]);
    expect(story?.eventsUpTo(3 * S, 10).map(({ event }) => event)).to.deep.equal(['ready']);
    for (const key of ['../../etc#1', 'cutoff=8/../..#1', 'cutoff=8#0', 'cutoff=8#x', '', '#'])
      expect(await follower.trial(key), key).to.equal(undefined);
  });

  it('keeps hostile names and texts as text, within the width that there is', async () => {
    await begin();
    writer.event(harness('step.began', 5, { ...LABEL, text: HOSTILE }));
    await writer.drained();
    const trial = await writer.openTrial({ pointId: 'cutoff=8', trial: 1 });
    trial.event({ node: HOSTILE, event: HOSTILE, atNs: 4 * S, fields: {} });
    trial.event(harness('fault.applied', 6, { id: HOSTILE, kind: HOSTILE, targets: [HOSTILE, 7, null] }));
    trial.event(harness('fault.applied', 6, { id: 3, kind: {}, targets: 'x' }));
    await trial.drained();
    const follower = await open();
    const views = follower.running.map((story) => story.view(8 * S));
    const lines = renderFrame(follower.view(), views, { columns: 60, rows: 30, color: false });
    for (const line of lines) {
      expect(line).not.to.match(/[\u0000-\u001f\u007f-\u009f\u202e]/);
      expect(line.length).to.be.below(60);
    }
    expect(lines.length).to.be.at.most(30);
    const line = plainLine(harness('step.began', 5, { ...LABEL, text: HOSTILE }), undefined, 0);
    expect(line)
      .to.contain('<img')
      .and.not.to.match(/[\u001b\u202e]/);
    await trial.finish(sampleTrial());
  });
});

describe('a live screen', () => {
  it('draws on the second screen, only what has changed, and gives the first one back', () => {
    const written: string[] = [];
    const target = { isTTY: true, write: (text: string) => void written.push(text) };
    {
      using screen = new LiveScreen(target);
      screen.draw(['one', 'two']);
      screen.draw(['one', 'two']);
      screen.draw(['one', 'three']);
    }
    expect(written).to.have.length(4);
    expect(written[0]).to.contain('\u001b[?1049h');
    expect(written[1]).to.match(/^\u001b\[Hone.*two.*\u001b\[J$/s);
    expect(written[2]).to.contain('three');
    expect(written[3]).to.contain('\u001b[?1049l').and.contain('\u001b[?25h');
  });
});

describe('watching a bed that is up', () => {
  it('makes events of what changes between two answers of its keeper', async () => {
    const nodes = ['web-1', 'web-2'].map((name) => ({
      name,
      role: 'web',
      image: 'web:1',
      address: '198.18.0.10',
      container: 'running',
    }));
    const bed: SeenBed = { bedId: 'mine', topology: 'web-2', startedAt: '', upMs: 5_000, nodes, faults: [] };
    const drop = {
      id: 'drop-1',
      kind: 'drop',
      targets: ['web-1'],
      state: 'in force',
      leftMs: 9_000,
      counts: {},
    };
    const answers: SeenBed[] = [
      bed,
      { ...bed, faults: [drop] },
      {
        ...bed,
        nodes: [nodes[0]!, { ...nodes[1]!, container: 'exited', exit: { code: 137, cause: 'killed' } }],
      },
    ];
    let nowS = 100;
    const told: string[] = [];
    const follower = await BedFollower.open({
      ask: async () => answers.shift() as SeenBed,
      nowNs: () => nowS * S,
      onEvent: ({ node, event }) => void told.push(`${node} ${event}`),
    });
    nowS = 101;
    await follower.poll();
    const [story] = follower.running;
    expect(story?.view(nowS * S).faults[0]).to.include({ id: 'drop-1', forMs: 9_000, appliedNs: 101 * S });
    expect(story?.view(nowS * S).startNs).to.equal(95 * S);
    nowS = 102;
    await follower.poll();
    const view = story?.view(nowS * S);
    expect(view?.faults[0]).to.include({ liftedNs: 102 * S });
    expect(view?.nodes.map(({ state }) => state)).to.deep.equal(['up', 'ended']);
    expect(told).to.deep.equal([
      'web-1 node.seen',
      'web-2 node.seen',
      'harness fault.applied',
      'web-2 node.exited',
      'harness fault.lifted',
    ]);
  });
});
