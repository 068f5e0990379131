import { expect } from 'chai';
import type { Engine } from '../../../harness/engine/index.ts';
import { FAULT_REFERENCE, type FaultNode } from '../../../harness/fault/index.ts';
import { fakeBed, never } from '../../../harness/fault/test/fake-bed.ts';
import { readRedirect } from '../../session-kit/index.ts';
import { REDIRECTS } from '../storm-spec.ts';
import { Bed, ownerIn } from './bed.ts';

/** The board's fault, asked of a real node of this process. */
async function boardOf(bed: Bed, name: string) {
  const node: FaultNode = {
    name,
    containerId: 'c',
    pid: 100,
    address: bed.node(name).target.ip,
    image: 'session-storage',
    imageKind: 'ours',
    adminPort: 7_100,
  };
  const { board } = await fakeBed({
    nodes: () => [node],
    select: () => [name],
    refreshNode: async () => node,
    engine: { inspectContainer: async () => ({ running: true }) } as unknown as Engine,
    adminRequest: async (to, method, path, body) => {
      const answer = await bed.node(to).running.handlers?.[`${method} ${path}`]?.(body);
      return { status: answer?.status ?? 404, body: JSON.stringify(answer?.body ?? {}) };
    },
  });
  return board;
}

describe('the 421 storm of the fault board', function () {
  this.timeout(30_000);

  it('offers every redirect that a storage node knows', () => {
    expect(FAULT_REFERENCE['storm-421'].settings['redirect']?.unit.split(' | ')).to.deep.equal([
      ...REDIRECTS,
    ]);
  });

  it('switches a storm on at the node with its settings, sees it bite, and takes it away', async () => {
    const bed = await Bed.start({ count: 4, swarmSize: 2 });
    const owner = await ownerIn(bed, '1');
    const [name = ''] = await bed.members(owner.account);
    const board = await boardOf(bed, name);
    const settings = {
      redirect: 'bounce',
      echo: 'account',
      at: 'direct',
      account: owner.account.id,
      named: 1,
    };
    const [applied] = await board.apply(
      [board.plan({ id: 's', kind: 'storm-421', on: name, seed: 's', settings })],
      never(),
    );
    const answer = await bed.ask(name, owner.store('x'));
    expect(answer.status).to.equal(421);
    const redirect = readRedirect(answer.body);
    expect([redirect.nodes.length, redirect.echo]).to.deep.equal([1, owner.account.id]);
    const other = await ownerIn(bed, '1', 'other');
    expect((await bed.ask(name, other.store('x'))).status).to.equal(200);
    await board.lift('s');
    const record = await applied?.lifted;
    expect(record).to.include({ bit: true, gone: true });
    expect(record?.witness).to.deep.include({ source: 'node', counts: { storm421: 1 } });
    expect((await bed.ask(name, owner.store('x'))).status).to.equal(200);
    await bed.stop();
  });
});
