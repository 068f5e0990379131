import { expect } from 'chai';
import type { PlannedScenario, TrialRecord } from '../../record/index.ts';
import { looksAt, type Room, WaveJudge, type WaveJudgeOptions } from '../index.ts';

const GIB = 1024 ** 3;
const POINTS = ['side=old', 'side=new'];

const PLANNED: PlannedScenario = {
  suite: 's',
  scenario: 'wave',
  description: '',
  kills: [],
  points: [],
  checks: [],
  expectations: [],
  published: [],
  measures: [{ name: 'drainS', title: 'drain time', unit: 's' }],
  plots: [],
  comparisons: [
    {
      title: 'new against old',
      parameter: 'side',
      baseline: 'old',
      candidate: 'new',
      primary: { measure: 'drainS', better: 'lower', margin: 5, level: 0.9875 },
      noLoss: ['keysLost'],
    },
  ],
};

function wave(side: string, slot: number, drainS: number, changes: Partial<TrialRecord> = {}): TrialRecord {
  return {
    point: { side },
    pointId: `side=${side}`,
    trial: slot,
    seed: `seed-${slot}`,
    outcome: 'completed',
    host: { verdict: 'quiet', measures: [], reasons: [] },
    faults: [],
    measures: { drainS, keysLost: 0 },
    ...changes,
  } as unknown as TrialRecord;
}

function judge(changes: Partial<WaveJudgeOptions> = {}): WaveJudge {
  return new WaveJudge({
    scenario: PLANNED,
    pointIds: POINTS,
    lookAt: [5, 10],
    noLoss: ['keysLost'],
    hasTime: () => true,
    room: async () => ({ diskFreeBytes: GIB, memoryFreeBytes: GIB }),
    least: {},
    ...changes,
  });
}

/** Plays rounds as the runner would, and returns after which wave it was stopped. */
async function play(
  waves: WaveJudge,
  rounds: number,
  drainS: (side: string, slot: number) => number,
): Promise<{ readonly after: number; readonly why: string } | undefined> {
  const done: Record<string, TrialRecord[]> = { old: [], new: [] };
  for (let slot = 1; slot <= rounds; slot += 1) {
    for (const side of slot % 2 ? ['old', 'new'] : ['new', 'old']) {
      done[side]?.push(wave(side, slot, drainS(side, slot)));
      const { action, why, everywhere } = await waves.decide(`side=${side}`, done[side] ?? []);
      if (action === 'stop') {
        expect(everywhere).to.equal(true);
        return { after: slot, why };
      }
    }
  }
  return undefined;
}

describe('judge of waves', () => {
  it('looks at the first and the last, and evenly between', () => {
    expect(looksAt(5, 20, 4)).to.deep.equal([5, 10, 15, 20]);
    expect(looksAt(5, 8, 9)).to.deep.equal([5, 6, 7, 8]);
    expect(looksAt(5, 20, 1)).to.deep.equal([20]);
    expect(looksAt(5, 5, 4)).to.deep.equal([5]);
  });

  it('ends at the first look when the sides are far apart', async () => {
    const stopped = await play(judge(), 10, (side, slot) => (side === 'old' ? 60 : 20) + (slot % 3));
    expect(stopped).to.deep.equal({ after: 5, why: 'the answer is clear after 5 waves a side' });
  });

  it('looks at no other moment, however clear the answer is', async () => {
    const stopped = await play(
      judge({ lookAt: [7] }),
      10,
      (side, slot) => (side === 'old' ? 60 : 20) + (slot % 3),
    );
    expect(stopped?.after).to.equal(7);
  });

  it('goes on while the interval reaches over the margin', async () => {
    const noisy = (side: string, slot: number): number => (side === 'old' ? 40 : 44) + ((slot * 7) % 5) * 9;
    expect(await play(judge(), 10, noisy)).to.equal(undefined);
  });

  it('stops at a lost key at once, on either side, in the middle of a round', async () => {
    for (const side of ['old', 'new']) {
      const lost = wave(side, 1, 20, { measures: { drainS: 20, keysLost: 2 } });
      const { action, why } = await judge().decide(`side=${side}`, [lost]);
      expect(action).to.equal('stop');
      expect(why).to.include('keysLost is 2 in wave 1');
    }
  });

  it('stops at a loss of any wave that it is told of, whichever ended last', async () => {
    const lost = wave('new', 1, 20, { measures: { drainS: 20, keysLost: 2 } });
    const { action, why } = await judge().decide('side=new', [lost, wave('new', 2, 20)]);
    expect([action, why]).to.deep.equal(['stop', 'keysLost is 2 in wave 1 of side=new, which decides']);
  });

  it('counts no loss of a wave that the host spoiled', async () => {
    const spoiled = wave('new', 1, 20, { outcome: 'void', measures: { drainS: 20, keysLost: 2 } });
    expect((await judge().decide('side=new', [spoiled])).action).to.equal('continue');
  });

  it('ends when the budget is spent, but only when all sides have as many waves', async () => {
    const waves = judge({ hasTime: () => false });
    expect((await waves.decide('side=old', [wave('old', 1, 20)])).action).to.equal('continue');
    const { action, why } = await waves.decide('side=new', [wave('new', 1, 20)]);
    expect([action, why]).to.deep.equal(['stop', 'the budget is spent after 1 waves a side']);
  });

  it('takes a void wave and its repeat for one', async () => {
    const waves = judge({ hasTime: () => false });
    await waves.decide('side=old', [
      wave('old', 1, 20, { outcome: 'void' }),
      wave('old', 1, 20, { trial: 2 }),
    ]);
    expect((await waves.decide('side=new', [wave('new', 1, 20)])).action).to.equal('stop');
  });

  it('ends with the budget or the room after a void wave too', async () => {
    const spoiled = [wave('old', 1, 20, { outcome: 'void' })];
    expect((await judge({ hasTime: () => false }).decide('side=old', spoiled)).why).to.equal(
      'the budget is spent after 0 waves a side',
    );
    const cramped = judge({ least: { diskFreeBytes: 2 * GIB } });
    expect((await cramped.decide('side=old', spoiled)).why).to.include('only 1 GiB of disk');
  });

  it('ends with the budget although a wave of the round was given up', async () => {
    let time = true;
    const waves = judge({ hasTime: () => time });
    await waves.decide('side=old', [wave('old', 1, 20)]);
    time = false;
    const given = wave('new', 1, 20, { outcome: 'void' });
    expect((await waves.decide('side=new', [given])).action).to.equal('continue');
    await waves.decide('side=new', [given, wave('new', 2, 20)]);
    const { action, why } = await waves.decide('side=old', [wave('old', 1, 20), wave('old', 2, 20)]);
    expect([action, why]).to.deep.equal(['stop', 'the budget is spent after 1 waves a side']);
  });

  describe('when waves end out of order', () => {
    const drainS = (side: string, slot: number): number => (side === 'old' ? 60 : 20) + (slot % 3);
    /** Decisions of a judge as waves end in this order: `old 3` is the third of the old side. */
    async function end(waves: WaveJudge, order: readonly string[]): Promise<string[]> {
      const done: Record<string, TrialRecord[]> = { old: [], new: [] };
      const stops: string[] = [];
      for (const one of order) {
        const [side = '', slot] = one.split(' ');
        done[side]?.push(wave(side, Number(slot), drainS(side, Number(slot))));
        const { action, why } = await waves.decide(`side=${side}`, done[side] ?? []);
        if (action === 'stop') stops.push(`${one}: ${why}`);
      }
      return stops;
    }
    // One side is always a wave or two ahead, so that never as many have ended on both.
    const ahead = (rounds: number): string[] => [
      'old 1',
      ...Array.from({ length: rounds }, (_, at) => [`old ${at + 2}`, `new ${at + 1}`]).flat(),
    ];

    it('looks once the lesser side has as many', async () => {
      expect((await end(judge(), ahead(6)))[0]).to.equal('new 5: the answer is clear after 5 waves a side');
    });

    it('counts only rounds that all sides have played', async () => {
      const apart = [
        'old 1',
        'new 2',
        'old 3',
        'new 4',
        'old 5',
        'new 6',
        'old 7',
        'new 8',
        'old 9',
        'new 10',
      ];
      expect(await end(judge(), apart)).to.deep.equal([]);
    });

    it('ends with the budget though an earlier round still runs', async () => {
      const waves = judge({ hasTime: () => false });
      expect((await end(waves, ['old 1', 'old 2', 'new 2', 'new 1']))[0]).to.equal(
        'new 2: the budget is spent after 1 waves a side',
      );
    });

    it('sees the same at a look when it is resumed past it', async () => {
      // Far apart only from the sixth wave on: the first look is unclear, whenever it is taken.
      const late = (side: string, slot: number): number =>
        slot <= 5 ? 40 + ((slot * 7 + (side === 'old' ? 3 : 0)) % 5) * 9 : side === 'old' ? 90 : 20;
      const played = (side: string): TrialRecord[] =>
        Array.from({ length: 9 }, (_, at) => wave(side, at + 1, late(side, at + 1)));
      const waves = judge();
      await waves.decide('side=old', played('old'));
      expect((await waves.decide('side=new', played('new'))).action).to.equal('continue');
      expect(waves.progress).to.deep.equal({ rounds: 9, nextLook: 10 });
    });
  });

  for (const [what, room, least] of [
    ['disk', { diskFreeBytes: GIB / 2, memoryFreeBytes: GIB }, { diskFreeBytes: GIB }],
    ['memory', { diskFreeBytes: GIB, memoryFreeBytes: GIB / 2 }, { memoryFreeBytes: GIB }],
  ] as const satisfies readonly (readonly [string, Room, Partial<Room>])[]) {
    it(`stops when too little ${what} is free`, async () => {
      const { action, why } = await judge({ room: async () => room, least }).decide('side=old', [
        wave('old', 1, 20),
      ]);
      expect(action).to.equal('stop');
      expect(why).to.equal(`only 512 MiB of ${what} are free; expected at least 1 GiB`);
    });
  }
});
