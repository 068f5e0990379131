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
    room: () => ({ diskFreeBytes: GIB, memoryFreeBytes: GIB }),
    least: {},
    ...changes,
  });
}

/** Plays rounds as the runner would, and returns after which wave it was stopped. */
function play(
  waves: WaveJudge,
  rounds: number,
  drainS: (side: string, slot: number) => number,
): { readonly after: number; readonly why: string } | undefined {
  const done: Record<string, TrialRecord[]> = { old: [], new: [] };
  for (let slot = 1; slot <= rounds; slot += 1) {
    for (const side of slot % 2 ? ['old', 'new'] : ['new', 'old']) {
      done[side]?.push(wave(side, slot, drainS(side, slot)));
      const { action, why, everywhere } = waves.decide(`side=${side}`, done[side] ?? []);
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

  it('ends at the first look when the sides are far apart', () => {
    const stopped = play(judge(), 10, (side, slot) => (side === 'old' ? 60 : 20) + (slot % 3));
    expect(stopped).to.deep.equal({ after: 5, why: 'the answer is clear after 5 waves a side' });
  });

  it('looks at no other moment, however clear the answer is', () => {
    const stopped = play(judge({ lookAt: [7] }), 10, (side, slot) => (side === 'old' ? 60 : 20) + (slot % 3));
    expect(stopped?.after).to.equal(7);
  });

  it('goes on while the interval reaches over the margin', () => {
    const noisy = (side: string, slot: number): number => (side === 'old' ? 40 : 44) + ((slot * 7) % 5) * 9;
    expect(play(judge(), 10, noisy)).to.equal(undefined);
  });

  it('stops at a lost key at once, on either side, in the middle of a round', () => {
    for (const side of ['old', 'new']) {
      const lost = wave(side, 1, 20, { measures: { drainS: 20, keysLost: 2 } });
      const { action, why } = judge().decide(`side=${side}`, [lost]);
      expect(action).to.equal('stop');
      expect(why).to.include('keysLost is 2 in wave 1');
    }
  });

  it('counts no loss of a wave that the host spoiled', () => {
    const spoiled = wave('new', 1, 20, { outcome: 'void', measures: { drainS: 20, keysLost: 2 } });
    expect(judge().decide('side=new', [spoiled]).action).to.equal('continue');
  });

  it('ends when the budget is spent, but only when all sides have as many waves', () => {
    const waves = judge({ hasTime: () => false });
    expect(waves.decide('side=old', [wave('old', 1, 20)]).action).to.equal('continue');
    const { action, why } = waves.decide('side=new', [wave('new', 1, 20)]);
    expect([action, why]).to.deep.equal(['stop', 'the budget is spent after 1 waves a side']);
  });

  it('takes a void wave and its repeat for one', () => {
    const waves = judge({ hasTime: () => false });
    waves.decide('side=old', [wave('old', 1, 20, { outcome: 'void' }), wave('old', 1, 20, { trial: 2 })]);
    expect(waves.decide('side=new', [wave('new', 1, 20)]).action).to.equal('stop');
  });

  for (const [what, room, least] of [
    ['disk', { diskFreeBytes: GIB / 2, memoryFreeBytes: GIB }, { diskFreeBytes: GIB }],
    ['memory', { diskFreeBytes: GIB, memoryFreeBytes: GIB / 2 }, { memoryFreeBytes: GIB }],
  ] as const satisfies readonly (readonly [string, Room, Partial<Room>])[]) {
    it(`stops when too little ${what} is free`, () => {
      const { action, why } = judge({ room: () => room, least }).decide('side=old', [wave('old', 1, 20)]);
      expect(action).to.equal('stop');
      expect(why).to.equal(`only 512 MiB of ${what} are free; expected at least 1 GiB`);
    });
  }
});
