import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import type { Bed } from '../bed.ts';
import { matchEvent } from '../match-event.ts';
import { currentOwner, formatOwner } from '../owner.ts';
import { LABEL } from '../types.ts';
import { isGone, memberTopology, rejection, startTestBed, testEngine } from './test-bed.ts';

const COUNT = 4;

describe('a bed of real nodes', function () {
  this.timeout(180_000);
  let engine: Engine;
  let bed: Bed;
  const lines: string[] = [];
  before(async () => {
    engine = await testEngine();
    bed = await startTestBed(engine, memberTopology(COUNT), {
      onLine: (node, stream) => lines.push(`${node} ${stream}`),
    });
  });
  after(async () => {
    await bed?.remove();
    engine.close();
  });

  const names = (): readonly string[] => bed.nodes().map(({ name }) => name);
  const converged = (since: number): Promise<unknown> =>
    bed.events.waitFor(matchEvent({ event: 'converged', nodes: names(), everyNode: true }), {
      withinMs: 60_000,
      since,
    });

  it('has its nodes at their own addresses, with every label from their creation', async () => {
    const listed = await engine.listContainers([`${LABEL.bed}=${bed.id}`, `${LABEL.kind}=node`]);
    expect(listed.map(({ labels }) => labels[LABEL.node]).sort()).to.deep.equal([...names()].sort());
    for (const { labels } of listed) {
      expect(labels).to.include({
        [LABEL.run]: bed.runId,
        [LABEL.role]: 'member',
        [LABEL.owner]: formatOwner(currentOwner()),
      });
    }
    const addresses = bed.nodes().map(({ address }) => address);
    expect(new Set(addresses).size).to.equal(COUNT);
    expect(
      new Set(addresses.map((address) => address.split('.').slice(0, 3).join('.'))).size,
    ).to.be.greaterThan(1);
    const { address } = JSON.parse((await bed.admin('member-2', 'GET', '/state')).body) as {
      address: string;
    };
    expect(address).to.contain(bed.node('member-2').address);
  });

  it('reads the nodes’ events in their order, none lost, and hands on every line', async () => {
    await converged(0);
    for (const name of names()) {
      const seqs = bed.events
        .since(0)
        .flatMap(({ node, seq }) => (node === name && seq !== undefined ? [seq] : []));
      expect(seqs).to.deep.equal([...seqs].sort((a, b) => a - b));
      expect(bed.logCounts(name)).to.include({ lostLines: 0 });
    }
    expect(lines.filter((line) => line === 'member-1 stdout').length).to.equal(
      bed.logCounts('member-1').lines,
    );
  });

  it('knows how its start went', () => {
    const { startSkewMs, readySkewMs, totalMs } = bed.timing;
    expect(totalMs).to.be.greaterThan(startSkewMs);
    expect(readySkewMs).to.be.greaterThan(0);
  });

  it('is clean once it is up', async () => {
    expect(await bed.verifyClean()).to.deep.equal({ clean: true, problems: [] });
  });

  it('runs all processes anew in the same containers, as another variant, and is clean again', async () => {
    const before = bed.nodes();
    const mark = bed.events.mark();
    await bed.resetTo(memberTopology(COUNT, 'both'));
    await converged(mark);
    for (const node of before) {
      const now = bed.node(node.name);
      expect(now).to.include({ containerId: node.containerId, pid: node.pid, variant: 'both' });
      expect(now.readyNs).to.be.greaterThan(node.readyNs);
      const state = JSON.parse((await bed.admin(node.name, 'GET', '/state')).body) as Record<string, unknown>;
      expect(state).to.include({ variant: 'both', epoch: 1 });
      expect(state['counts']).to.include({ alive: COUNT });
    }
    expect(await bed.verifyClean()).to.deep.equal({ clean: true, problems: [] });
  });

  it('runs one process anew with a variable of its own, which the next reset of all forgets', async () => {
    const stateOf = async (name: string): Promise<Record<string, unknown>> =>
      JSON.parse((await bed.admin(name, 'GET', '/state')).body) as Record<string, unknown>;
    const { epoch } = await stateOf('member-1');
    await bed.relaunch('member-1', { SQUALL_VARIANT: 'grace' });
    expect(await stateOf('member-1')).to.include({ variant: 'grace', epoch: Number(epoch) + 1 });
    expect(await stateOf('member-2')).to.include({ variant: 'both', epoch });
    const mark = bed.events.mark();
    await bed.resetTo(memberTopology(COUNT, 'both'));
    await converged(mark);
    expect(await stateOf('member-1')).to.include({ variant: 'both' });
    expect(await bed.verifyClean()).to.deep.equal({ clean: true, problems: [] });
  });

  it('is not clean while a fault is in force, and is again when it has lifted', async () => {
    const plan = bed.faults.plan({ kind: 'hold', on: 'member-1', seed: 'x' });
    await bed.faults.apply([plan], new AbortController().signal);
    expect((await bed.verifyClean()).problems.join()).to.contain(plan.id);
    await bed.faults.lift(plan.id);
    expect(await bed.verifyClean()).to.deep.equal({ clean: true, problems: [] });
  });

  it('is not clean with a paused node', async () => {
    await engine.pauseContainer(bed.node('member-3').containerId);
    const { problems } = await bed
      .verifyClean(AbortSignal.timeout(30_000))
      .finally(() => engine.unpauseContainer(bed.node('member-3').containerId));
    expect(problems.join()).to.contain('node member-3 is paused');
  });

  it('gives a node that is restarted after a reset the environment of the reset, not of its container', async () => {
    const mark = bed.events.mark();
    const plan = bed.faults.plan({ kind: 'restart', on: 'member-4', seed: 'x' });
    const [applied] = await bed.faults.apply([plan], new AbortController().signal);
    await applied?.lifted;
    await bed.events.waitFor(matchEvent({ event: 'converged', nodes: ['member-4'] }), {
      withinMs: 60_000,
      since: mark,
    });
    const state = JSON.parse((await bed.admin('member-4', 'GET', '/state')).body) as Record<string, unknown>;
    expect(state).to.include({ variant: 'both' });
    expect(state['counts']).to.include({ alive: COUNT });
    expect(
      bed.events.since(mark).filter(({ event, fields }) => event === 'node.exited' && !fields['expected']),
    ).to.deep.equal([]);
  });

  it('sees a node that is killed behind its back, and says what is known of the cause', async () => {
    const mark = bed.events.mark();
    await engine.killContainer(bed.node('member-4').containerId, 'SIGKILL');
    const exited = await bed.events.waitFor(matchEvent({ event: 'node.exited', nodes: ['member-4'] }), {
      withinMs: 30_000,
      since: mark,
    });
    expect(exited.fields).to.include({ code: 137, expected: false, cause: 'SIGKILL, cause unknown' });
    expect((await bed.verifyClean()).problems.join()).to.contain('member-4');
    const diagnosis = await bed.diagnose('member-4');
    expect(diagnosis.container?.running).to.equal(false);
    expect(diagnosis.lastLines).to.have.length.greaterThan(0);
  });

  it('refuses a node that it has not', async () => {
    expect((await rejection(bed.admin('member-9', 'GET', '/state'))).code).to.equal('no-such-node');
    expect(() => bed.select('nobody', 'x')).to.throw(/no role or node is called/);
  });

  it('leaves nothing when it is removed, and may be removed twice', async () => {
    await bed.remove();
    await bed.remove();
    expect(bed.removed).to.equal(true);
    expect(await isGone(engine, 'bed', bed.id)).to.equal(true);
    expect(await isGone(engine, 'run', bed.runId)).to.equal(true);
  });
});

describe('a bed that must end in a hurry', function () {
  this.timeout(120_000);

  it('does nothing more at once, and what the time did not allow is removed later', async () => {
    const engine = await testEngine();
    const bed = await startTestBed(engine, memberTopology(6));
    const plan = bed.faults.plan({ kind: 'hold', on: 'member-1', seed: 'x' });
    await bed.faults.apply([plan], new AbortController().signal);
    const pids = bed.nodes().map(({ pid }) => pid);
    expect(await bed.removeWithin(1)).to.equal(false);
    expect(pids.map(processState).filter((state) => state !== 'stopped' && state !== 'gone')).to.deep.equal(
      [],
    );
    expect(await engine.listContainers([`${LABEL.bed}=${bed.id}`, `${LABEL.kind}=agent`])).to.deep.equal([]);
    expect(bed.removed).to.equal(false);
    expect(await bed.removeWithin(60_000)).to.equal(true);
    expect(await isGone(engine, 'run', bed.runId)).to.equal(true);
    engine.close();
  });
});

function processState(pid: number): string {
  try {
    const state = /^State:\s+(\S)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '';
    return state === 'T' ? 'stopped' : ['Z', 'X'].includes(state) ? 'gone' : state;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'gone';
    throw error;
  }
}
