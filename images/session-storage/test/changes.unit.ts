import { expect } from 'chai';
import { parseStored, readRedirect } from '../../session-kit/index.ts';
import { until } from '../../session-kit/test/in-process.ts';
import { Bed, type Owner, ownerIn } from './bed.ts';

/** Hashes at each member of the swarm that has the account now. */
async function held(bed: Bed, owner: Owner): Promise<Record<string, readonly string[]>> {
  const members = await bed.members(owner.account);
  return Object.fromEntries(
    await Promise.all(members.map(async (name) => [name, await bed.hashes(name, owner.account)] as const)),
  );
}

async function store(bed: Bed, owner: Owner, text: string, at?: string): Promise<string> {
  const name = at ?? ((await bed.members(owner.account))[0] as string);
  const { status, body } = await bed.ask(name, owner.store(text));
  expect(status, `${name}: ${JSON.stringify(body)}`).to.equal(200);
  return parseStored(body).hash;
}

function everywhere(holding: Record<string, readonly string[]>, hashes: readonly string[]): void {
  for (const [name, own] of Object.entries(holding)) expect(own, name).to.deep.equal([...hashes].sort());
}

describe('messages over a change of the swarms', function () {
  this.timeout(30_000);

  let bed: Bed | undefined;
  const start = async (more: Partial<Parameters<typeof Bed.start>[0]> = {}): Promise<Bed> => {
    bed = await Bed.start({ count: 7, swarmSize: 3, reserve: ['storage-7'], ...more });
    return bed;
  };
  afterEach(async () => {
    await bed?.stop();
    bed = undefined;
  });

  it('go to a new member, to whoever gets the account by a split, and to all heirs of a dissolved swarm', async () => {
    const bed = await start();
    const owner = await ownerIn(bed, '1');
    const hashes = [await store(bed, owner, 'first')];
    await bed.epoch({ change: 'join', node: 'storage-7', swarm: '1' });
    await bed.handedOver();
    everywhere(await held(bed, owner), hashes);
    expect(bed.node('storage-1').told).to.deep.include({
      event: 'message.handed-over',
      as: 'storage-1',
      to: bed.node('storage-7').target.ed25519,
      messages: 1,
      reason: 'joined',
    });

    hashes.push(await store(bed, owner, 'second'));
    await bed.epoch({ change: 'split', swarm: '1', account: owner.account.id });
    await bed.handedOver();
    expect(Object.keys(await held(bed, owner))).to.have.length(2);
    everywhere(await held(bed, owner), hashes);

    hashes.push(await store(bed, owner, 'third'));
    await bed.epoch({ change: 'dissolve', swarm: '3' });
    await bed.handedOver();
    everywhere(await held(bed, owner), hashes);
    await bed.epoch({ change: 'move', account: owner.account.id, to: '2' });
    await bed.handedOver();
    everywhere(await held(bed, owner), hashes);
  });

  it('are neither lost nor doubled when they are stored while some nodes are behind', async () => {
    const behind = { SQUALL_LAG_MS: '5000' };
    const bed = await start({
      environments: { 'storage-1': behind, 'storage-2': behind, 'storage-7': behind },
    });
    const owner = await ownerIn(bed, '1');
    const hashes = [await store(bed, owner, 'before')];
    await bed.epoch({ change: 'join', node: 'storage-7', swarm: '1' });
    // Through a member that knows of the new one, which itself does not; and through one that is behind.
    hashes.push(await store(bed, owner, 'through the new view', 'storage-3'));
    hashes.push(await store(bed, owner, 'through the old view', 'storage-1'));
    await bed.clock.leap(5_000);
    hashes.push(await store(bed, owner, 'after', 'storage-7'));
    await bed.handedOver();
    const holding = await held(bed, owner);
    expect(Object.keys(holding)).to.have.length(4);
    everywhere(holding, hashes);
  });

  it('answer 421 from the nodes that know already, while those that are behind still take messages', async () => {
    const bed = await start({ environments: { 'storage-1': { SQUALL_LAG_MS: '5000' } } });
    const owner = await ownerIn(bed, '1');
    await bed.epoch({ change: 'move', account: owner.account.id, to: '2' });
    const known = await bed.ask('storage-2', owner.store('x'));
    expect([known.status, readRedirect(known.body).nodes.length]).to.deep.equal([421, 3]);
    const late = await store(bed, owner, 'x', 'storage-1');
    expect((await bed.ask('storage-1', owner.signed('retrieve'))).status).to.equal(200);
    await bed.clock.leap(5_000);
    expect((await bed.ask('storage-1', owner.signed('retrieve'))).status).to.equal(421);
    await bed.handedOver();
    everywhere(await held(bed, owner), [late]);
  });

  it('reach the others from a member that took them before it knew that it had left the network', async () => {
    const arrives = async (variant: string): Promise<boolean> => {
      const bed = await start({
        environment: { SQUALL_VARIANT: variant },
        environments: { 'storage-1': { SQUALL_LAG_MS: '5000' } },
      });
      const owner = await ownerIn(bed, '1');
      await bed.epoch({ change: 'leave', node: 'storage-1' });
      const late = await store(bed, owner, 'late', 'storage-1');
      await bed.clock.leap(5_000);
      if (variant === 'shipped') await bed.handedOver();
      const holding = Object.values(await held(bed, owner));
      await bed.stop();
      return holding.every((hashes) => hashes.includes(late));
    };
    expect(await arrives('shipped')).to.equal(true);
    expect(await arrives('leavers-refused')).to.equal(false);
    bed = undefined;
  });

  it('reach a member that was away once it is back', async () => {
    const bed = await start();
    const owner = await ownerIn(bed, '1');
    const away = bed.node('storage-3');
    await away.running.stop?.();
    const answer = await bed.ask('storage-1', owner.store('missed'));
    expect(parseStored(answer.body).failed).to.deep.equal([away.target.ed25519]);
    expect(answer.status).to.equal(200);
    expect((bed.state('storage-1')['handOver'] as { waiting: number }).waiting).to.equal(1);
    const back = await bed.restart('storage-3');
    await bed.handedOver();
    everywhere(await held(bed, owner), [parseStored(answer.body).hash]);
    await until(() => back.told.some(({ event }) => event === 'view.changed'));
  });

  it('are lost without hand-over, and are at one member alone without replication: the mutants show', async () => {
    const lost = async (
      variant: string,
      act: (bed: Bed, owner: Owner) => Promise<void>,
    ): Promise<boolean> => {
      const bed = await start({
        environment: { SQUALL_VARIANT: variant },
        environments: { 'storage-7': { SQUALL_LAG_MS: '5000' } },
      });
      const owner = await ownerIn(bed, '1');
      await store(bed, owner, 'message', 'storage-1');
      await act(bed, owner);
      await bed.clock.leap(5_000);
      await bed.handedOver();
      const holding = Object.values(await held(bed, owner));
      await bed.stop();
      return holding.some((hashes) => hashes.length === 0);
    };
    const move = async (bed: Bed, owner: Owner): Promise<void> => {
      await bed.epoch({ change: 'move', account: owner.account.id, to: '2' });
    };
    expect(await lost('no-hand-over', move)).to.equal(true);
    expect(await lost('no-replication', async () => undefined)).to.equal(true);
    expect(await lost('shipped', move)).to.equal(false);
    bed = undefined;
  });

  it('are missed by a member that did not know yet that it was one, without repeated replication', async () => {
    const missed = async (variant: string): Promise<boolean> => {
      const bed = await start({
        environment: { SQUALL_VARIANT: variant },
        environments: { 'storage-7': { SQUALL_LAG_MS: '5000' } },
      });
      const owner = await ownerIn(bed, '1');
      await bed.epoch({ change: 'join', node: 'storage-7', swarm: '1' });
      await bed.handedOver();
      await store(bed, owner, 'meanwhile', 'storage-2');
      await bed.clock.leap(5_000);
      await bed.handedOver();
      const missing = (await bed.hashes('storage-7', owner.account)).length === 0;
      await bed.stop();
      return missing;
    };
    expect([await missed('no-retried-replication'), await missed('shipped')]).to.deep.equal([true, false]);
    bed = undefined;
  });
});
