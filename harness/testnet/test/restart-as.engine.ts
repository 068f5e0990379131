import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import type { AppliedFault } from '../../fault/index.ts';
import { ensureImage } from '../../image/index.ts';
import type { Bed } from '../bed.ts';
import { matchEvent } from '../match-event.ts';
import { isGone, memberTopology, rejection, startTestBed, testEngine, until } from './test-bed.ts';

const COUNT = 3;
const never = new AbortController().signal;

describe('a node that starts again as something else while its packets are dropped', function () {
  this.timeout(180_000);
  let engine: Engine;
  let bed: Bed;
  before(async () => {
    engine = await testEngine();
    bed = await startTestBed(engine, memberTopology(COUNT));
    const all = matchEvent({
      event: 'converged',
      nodes: bed.nodes().map(({ name }) => name),
      everyNode: true,
    });
    await bed.events.waitFor(all, { withinMs: 60_000, since: 0 });
    // What a restart must go back to is what the last reset made of the node, and not what the bed began as.
    const mark = bed.events.mark();
    await bed.resetTo(memberTopology(COUNT, 'grace'));
    await bed.events.waitFor(all, { withinMs: 60_000, since: mark });
  });
  after(async () => {
    await bed?.remove();
    expect(bed === undefined || (await isGone(engine, 'bed', bed.id))).to.equal(true);
    engine.close();
  });

  const stateOf = async (node: string): Promise<Record<string, unknown>> =>
    JSON.parse((await bed.admin(node, 'GET', '/state')).body) as Record<string, unknown>;
  const aliveAt = async (node: string): Promise<unknown> =>
    ((await stateOf(node))['counts'] as Record<string, unknown>)['alive'];
  const allAlive = async (): Promise<boolean> =>
    (await Promise.all(bed.nodes().map(({ name }) => aliveAt(name)))).every((alive) => alive === COUNT);

  /** Packets that the drop has taken at the node, whatever namespaces it had. */
  async function dropped(node: string): Promise<number> {
    const [cut] = (await bed.faults.list()).filter(({ id }) => id === 'cut');
    const counts = cut?.perNode[node] ?? {};
    return (counts['droppedIn'] ?? 0) + (counts['droppedOut'] ?? 0);
  }

  async function apply(id: string, settings: Readonly<Record<string, string>>) {
    const plan = bed.faults.plan({ id, kind: 'restart', on: 'member-2', seed: 'x', settings });
    const [applied] = await bed.faults.apply([plan], never);
    if (!applied) throw new Error('not applied');
    return applied;
  }

  /** The drop acts in the namespace that the node has now: its counts grow, and the agent says where they come from. */
  async function actsAgain(times: number): Promise<void> {
    const before = await dropped('member-2');
    await until(async () => (await dropped('member-2')) > before);
    const { faults } = await bed.agent.snapshot();
    const living = faults.filter(({ id, nodes }) => id.startsWith('cut') && nodes.includes('member-2'));
    expect(living.map(({ id, state }) => [id, state])).to.deep.include([`cut~${times}`, 'applied']);
  }

  /** Lifts it, and looks at what has come back: what the reset had made of the node. */
  async function comesBack(applied: AppliedFault, times: number): Promise<void> {
    await bed.faults.lift(applied.plan.id);
    const record = await applied.lifted;
    expect(record, record.problems.join()).to.include({ bit: true, gone: true });
    expect(record.witness?.counts).to.include({ restarted: 1 });
    expect(bed.node('member-2')).to.include({ variant: 'grace', imageKind: 'ours' });
    expect(await stateOf('member-2')).to.include({ variant: 'grace' });
    await actsAgain(times);
  }

  it('is another process in another namespace at the same address each time, and the drop acts on it until it is lifted', async () => {
    const plan = bed.faults.plan({ id: 'cut', kind: 'drop', on: 'member-2', seed: 'x' });
    const [cut] = await bed.faults.apply([plan], never);
    await until(async () => (await dropped('member-2')) > 0);
    const first = bed.node('member-2');
    const mark = bed.events.mark();

    const variant = await apply('variant', { variant: 'both' });
    const second = bed.node('member-2');
    expect(second).to.include({ address: first.address, variant: 'both', imageId: first.imageId });
    expect(second.containerId).to.not.equal(first.containerId);
    expect(second.pid).to.not.equal(first.pid);
    expect(await engine.inspectContainer(first.containerId)).to.equal(undefined);
    expect(await stateOf('member-2')).to.include({ variant: 'both' });
    expect(await stateOf('member-1')).to.include({ variant: 'grace' });
    await actsAgain(2);
    await comesBack(variant, 3);

    // The same program under a name that is none of our images', as a version from elsewhere has.
    const { reference } = await ensureImage(engine, { kind: 'ours', name: 'memberlist-node' });
    const version = await apply('version', { image: reference });
    const third = bed.node('member-2');
    expect(third).to.include({ address: first.address, image: reference, imageKind: 'reference' });
    expect(third.variant).to.equal(undefined);
    await actsAgain(4);
    await comesBack(version, 5);

    await bed.faults.lift('cut');
    const record = await cut!.lifted;
    expect(record, record.problems.join()).to.include({ bit: true, gone: true });
    const gaps = record.problems.filter((text) => text.startsWith('member-2 began anew'));
    expect(gaps).to.not.deep.equal([]);
    console.log(`      ${gaps.join('\n      ')}`);

    // It is one of them again: with their label, or they would not hear it.
    await until(allAlive);
    expect(await bed.verifyClean()).to.deep.equal({ clean: true, problems: [] });
    const surprises = bed.events
      .since(mark)
      .filter(({ event, fields }) => event === 'node.exited' && !fields['expected']);
    expect(surprises).to.deep.equal([]);
    expect(bed.logCounts('member-2').lostLines).to.equal(0);
  });

  it('is left alone when what it should become is not to be had', async () => {
    const { containerId } = bed.node('member-2');
    const error = await rejection(apply('odd', { variant: 'booth' }));
    expect(error.message).to.contain('has none such; expected one of shipped');
    expect(bed.node('member-2').containerId).to.equal(containerId);
    expect(await bed.verifyClean()).to.deep.equal({ clean: true, problems: [] });
  });

  it('comes back as it was when what it became ends at once, which is said with its exit code', async () => {
    // Without a controller the agent has nothing to do, and leaves.
    const { reference } = await ensureImage(engine, { kind: 'ours', name: 'packet-agent' });
    const error = await rejection(apply('brief', { image: reference }));
    expect(error.message).to.match(
      /node member-2: ended with code \d+ \(as a fault of ours had started it\) after .*, before it was ready/,
    );
    await until(allAlive);
    expect(bed.node('member-2')).to.include({ variant: 'grace', imageKind: 'ours' });
    expect(await bed.verifyClean()).to.deep.equal({ clean: true, problems: [] });
  });
});
