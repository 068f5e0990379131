import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { monotonicNs } from '../time-budget.ts';
import { type FaultWork, TimedLease, type TimedLeaseOptions } from '../timed-lease.ts';
import type { FaultPlan } from '../types.ts';
import { never } from './fake-bed.ts';

const PLAN = { id: 'cut', kind: 'pause', targets: ['member-1', 'member-2'], selector: 'member' } as const;

function lease(work: Partial<FaultWork>, options: Partial<TimedLeaseOptions> = {}, forMs?: number) {
  const plan: FaultPlan = {
    ...PLAN,
    peers: [],
    direction: 'both',
    protocol: 'all',
    ports: [],
    seed: 's',
    settings: {},
    mustShow: {},
    ...(forMs !== undefined && { forMs }),
  };
  const whole: FaultWork = {
    arm: async () => undefined,
    apply: async () => ({ firstNs: monotonicNs(), lastNs: monotonicNs() }),
    undo: async () => undefined,
    remains: async () => [],
    witness: async () => ({ source: 'test', counts: {} }),
    ...work,
  };
  return new TimedLease(plan, whole, { liftBudgetMs: 5_000, ...options });
}

const msBetween = (from: number | undefined, to: number | undefined): number =>
  (Number(to) - Number(from)) / 1e6;

describe('TimedLease', () => {
  it('is over when its last target has had its length, however far the targets are apart', async () => {
    const spreadMs = 60;
    const one = lease(
      {
        apply: async () => {
          const firstNs = monotonicNs();
          await sleep(spreadMs);
          return { firstNs, lastNs: firstNs + spreadMs * 1e6 };
        },
      },
      {},
      40,
    );
    await one.arm(never());
    const { appliedNs, liftsAtNs } = await one.apply(never());
    expect(msBetween(appliedNs, liftsAtNs)).to.equal(spreadMs + 40);
    const { liftedNs } = await one.lifted(never());
    expect(msBetween(liftsAtNs, liftedNs)).to.be.within(-2, 500);
  });

  it('begins to lift with the order, and has ended when the undo has returned', async () => {
    const one = lease({ undo: () => sleep(50) });
    await one.arm(never());
    await one.apply(never());
    await one.lift();
    const { liftedNs, endedNs, goneNs } = await one.record();
    expect(msBetween(liftedNs, endedNs)).to.be.at.least(45);
    expect(msBetween(endedNs, goneNs)).to.be.at.least(0);
  });

  it('has ended with the order where nodes start again, which takes as long as it takes them', async () => {
    const one = lease({ undo: () => sleep(50) }, { endsAtOrder: true });
    await one.arm(never());
    await one.apply(never());
    await one.lift();
    const { liftedNs, endedNs, goneNs } = await one.record();
    expect(endedNs).to.equal(liftedNs);
    expect(msBetween(liftedNs, goneNs)).to.be.at.least(45);
  });

  it('undoes and verifies what was refused while it was armed, without asking for a witness of it', async () => {
    const done: string[] = [];
    const one = lease({
      arm: async () => {
        throw new Error('no such path');
      },
      undo: async () => void done.push('undo'),
      remains: async () => {
        done.push('remains');
        return [];
      },
      witness: async () => {
        throw new Error('no such path');
      },
    });
    expect(await one.arm(never()).catch((error: Error) => error.message)).to.equal('no such path');
    await one.lift();
    expect(done).to.deep.equal(['undo', 'remains']);
    expect(await one.record())
      .to.include({ bit: false, gone: true })
      .and.to.deep.include({ problems: [] });
  });

  it('is undone once more when it was lifted while it was being applied', async () => {
    let isThere = false;
    let begun: () => void = () => undefined;
    const beginning = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const one = lease({
      apply: async () => {
        begun();
        await sleep(30);
        isThere = true;
        return { firstNs: monotonicNs(), lastNs: monotonicNs() };
      },
      undo: async () => {
        isThere = false;
      },
      remains: async () => (isThere ? ['still there'] : []),
    });
    await one.arm(never());
    const applying = one.apply(never()).catch((error: { code?: string }) => error.code);
    await beginning;
    await one.lift();
    expect(await applying).to.equal('lifted-early');
    expect(isThere).to.equal(true);
    await one.lift();
    expect(isThere).to.equal(false);
    expect((await one.record()).gone).to.equal(true);
  });

  it('does not act any more when it was lifted before it was applied', async () => {
    let acted = false;
    const one = lease({
      apply: async () => {
        acted = true;
        return { firstNs: monotonicNs(), lastNs: monotonicNs() };
      },
    });
    await one.arm(never());
    await one.lift();
    expect(await one.apply(never()).catch((error: { code?: string }) => error.code)).to.equal('lifted-early');
    expect(acted).to.equal(false);
  });
});
