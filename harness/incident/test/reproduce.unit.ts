import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import type { ScenarioSpec } from '../../scenario/index.ts';
import { oracleFor, type ReproduceOptions, reproduce, TRIALS_BROKEN, type TrialPort } from '../index.ts';
import { type FakeSystem, FakeTrials, faultsOf } from './fake-trials.ts';
import { incidentOf, RACK } from './incident-text.ts';

/** Four members and more, cut off for 36 s and more, leak as shipped; nothing else matters. */
const LEAKS: FakeSystem = (spec, point) =>
  point['variant'] === 'shipped' &&
  faultsOf(spec).some(({ kind, seconds, nodes }) => kind === 'hold' && seconds >= 36 && nodes >= 4);

async function reproduced(port: TrialPort, changes: Partial<ReproduceOptions> = {}) {
  return await reproduce({
    incident: incidentOf(RACK),
    port,
    seed: '7',
    attempts: 12,
    batch: 3,
    confirm: 10,
    shrinkTrials: 400,
    onProgress: () => undefined,
    signal: new AbortController().signal,
    ...changes,
  });
}

describe('reproducing an incident', () => {
  it('stops at the first way that shows it, and shrinks it to what is needed', async () => {
    const port = new FakeTrials(LEAKS);
    const { attempts, found, shrunk, kept, keptFrequency, withFix } = await reproduced(port);
    expect(attempts.length)
      .to.be.below(12)
      .and.to.satisfy((count: number) => count % 3 === 0);
    expect(attempts.some(({ outcome }) => outcome === 'shown')).to.equal(true);
    expect(found?.oracle).to.deep.equal({ need: 2, of: 3 });
    expect(shrunk?.minimal).to.equal(true);
    const [cut, ...others] = kept!.happenings;
    expect(others, 'the restart has nothing to do with it').to.deep.equal([]);
    expect(cut!.action).to.deep.include({ forMs: 36_000 });
    expect(cut!.action).to.have.nested.property('fault.on', 'pick(4,member)');
    expect(kept!.counts).to.deep.equal({ member: 4 });
    expect(kept!.watchMs).to.equal(1_000);
    expect(keptFrequency).to.include({ shown: 10, counted: 10 });
    expect(withFix).to.include({ shown: 0, counted: 10 });
  });

  it('takes nothing away without which the fix no longer helps', async () => {
    const crowded = (spec: ScenarioSpec): boolean =>
      ((spec.overrides as { counts?: Record<string, number> }).counts?.['member'] ?? 16) >= 9;
    const port = new FakeTrials((spec, point, chance) => LEAKS(spec, point, chance) || !crowded(spec));
    const { kept, withFix, shrunk } = await reproduced(port);
    expect(shrunk?.minimal).to.equal(true);
    expect(kept!.counts).to.deep.equal({ member: 9 });
    expect(withFix).to.include({ shown: 0, counted: 10 });
  });

  it('keeps what it has come to when it is interrupted while it shrinks', async () => {
    const whole = new FakeTrials(LEAKS);
    const interrupt = new AbortController();
    const port: TrialPort = {
      rolesOf: (spec) => whole.rolesOf(spec),
      tryAll: async (tryings, how) => {
        const smaller = tryings.some(({ spec }) => spec.overrides && 'counts' in spec.overrides);
        if (smaller) interrupt.abort(new Error('SIGINT'));
        how.signal.throwIfAborted();
        return await whole.tryAll(tryings, how);
      },
    };
    const { found, shrunk, kept, keptFrequency } = await reproduced(port, { signal: interrupt.signal });
    expect(found?.frequency).to.include({ shown: 10, counted: 10 });
    expect(shrunk?.minimal).to.equal(false);
    expect(kept?.happenings, 'the restart was taken away before').to.have.length(1);
    expect(keptFrequency, 'nobody measured it').to.equal(undefined);
  });

  it('takes a case whose trials break for one that does not show it', async () => {
    const whole = new FakeTrials(LEAKS);
    const fragile: TrialPort = {
      rolesOf: (spec) => whole.rolesOf(spec),
      tryAll: async (tryings, how) => {
        if (tryings.some(({ spec }) => (whole.rolesOf(spec)['member'] ?? 0) < 6))
          throw new SquallError('no trial came to its end', { code: TRIALS_BROKEN });
        return await whole.tryAll(tryings, how);
      },
    };
    const { kept, shrunk } = await reproduced(fragile);
    expect(shrunk?.minimal).to.equal(true);
    expect(kept!.counts).to.deep.equal({ member: 6 });
  });

  it('finds and shrinks what shows in half of the trials only', async () => {
    const port = new FakeTrials((spec, point, chance) => LEAKS(spec, point, chance) && chance < 0.5);
    const { found, kept, keptFrequency } = await reproduced(port, { attempts: 40 });
    expect(found?.oracle.need).to.equal(1);
    expect(found?.oracle.of).to.be.within(2, 12);
    expect(kept!.happenings).to.have.length(1);
    expect(keptFrequency!.low).to.be.below(0.5).and.above(0);
    expect(keptFrequency!.high).to.be.above(0.5);
  });

  it('says how rare it must be when nothing shows it', async () => {
    const result = await reproduced(new FakeTrials(() => false));
    expect(result.attempts).to.have.length(12);
    expect(result.found).to.equal(undefined);
    expect(result.excludes).to.be.closeTo(1 - 0.05 ** (1 / 12), 1e-9);
  });

  it('does not shrink what was seen once and never again', async () => {
    let trials = 0;
    const port = new FakeTrials(() => {
      trials += 1;
      return trials === 1;
    });
    const { found, shrunk, kept, notKept, keptFrequency } = await reproduced(port);
    expect(found?.frequency).to.include({ shown: 0, counted: 10 });
    expect(shrunk).to.equal(undefined);
    expect(keptFrequency?.high).to.be.below(0.31);
    expect(kept, 'nothing that a regression test can be made of').to.equal(undefined);
    expect(notKept?.because).to.equal('chance');
  });

  it('keeps nothing that shows with the fix as well', async () => {
    const port = new FakeTrials((spec) => LEAKS(spec, { variant: 'shipped' }, 0));
    const { found, shrunk, kept, notKept } = await reproduced(port);
    expect(found?.frequency).to.include({ shown: 10, counted: 10 });
    expect(shrunk).to.equal(undefined);
    expect(kept).to.equal(undefined);
    expect(notKept).to.deep.equal({
      because: 'fix-does-not-help',
      text: 'it shows with the fix too, in 10 of 10',
    });
  });

  it('keeps the one found where fresh trials do not bear out the smallest', async () => {
    const whole = new FakeTrials(LEAKS);
    let measured = 0;
    const port: TrialPort = {
      rolesOf: (spec) => whole.rolesOf(spec),
      tryAll: async (tryings, how) => {
        const tried = await whole.tryAll(tryings, how);
        if (!tryings.some(({ spec }) => spec.name.endsWith('-measured'))) return tried;
        measured += 1;
        return measured === 1 ? tried : tried.map((one) => ({ ...one, shown: 0 }));
      },
    };
    const { found, shrunk, kept, keptFrequency } = await reproduced(port);
    expect(measured).to.equal(2);
    expect(shrunk?.minimal).to.equal(true);
    expect(kept).to.equal(found?.drawn);
    expect(keptFrequency).to.include({ shown: 10, counted: 10 });
  });

  it('keeps within its budget of trials and says that it is not minimal', async () => {
    const port = new FakeTrials(LEAKS);
    const { shrunk } = await reproduced(port, { shrinkTrials: 9, confirm: 0, oracle: { need: 1, of: 1 } });
    expect(shrunk?.minimal).to.equal(false);
    expect(port.trials).to.be.at.most(12 + 9);
  });

  it('draws other seeds in each round, and the same ones again from the same seed', async () => {
    const [one, two] = [new FakeTrials(LEAKS), new FakeTrials(LEAKS)];
    const first = await reproduced(one);
    expect(await reproduced(two)).to.deep.equal(first);
    const seeds = one.calls.map(({ seed }) => seed);
    expect(new Set(seeds).size).to.equal(seeds.length);
  });

  it('is no result when no trial proves anything', async () => {
    class Spoiled extends FakeTrials {
      override readonly tryAll: FakeTrials['tryAll'] = async (tryings) =>
        tryings.map(() => ({ shown: 0, counted: 0, voids: 1 }));
    }
    const port = new Spoiled(LEAKS);
    let error: unknown;
    await reproduced(port).catch((caught: unknown) => {
      error = caught;
    });
    expect(error).to.be.instanceOf(SquallError).and.include({ code: 'no-attempt', blame: 'void' });
  });

  it('asks for more trials the more rarely it shows', () => {
    const asked = [10, 6, 3, 1].map((shown) => oracleFor({ shown, counted: 10 }));
    expect(asked).to.deep.equal([
      { need: 2, of: 3 },
      { need: 1, of: 3 },
      { need: 1, of: 7 },
      { need: 1, of: 12 },
    ]);
  });
});
