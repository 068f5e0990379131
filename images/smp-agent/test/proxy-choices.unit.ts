import { expect } from 'chai';
import type { ChoiceEventKind } from '../choice-event.ts';
import { ChoiceFixture, master, repick } from './choice-fixture.ts';

describe('the choice of a proxy', () => {
  it('is remembered until something forgets it', () => {
    const { choices, events } = bound(new ChoiceFixture(repick()));
    expect([choices.choose('R'), choices.choose('R')]).to.deep.equal(['P1', 'P1']);
    expect(events('proxy.chosen')).to.have.length(1);
  });

  it('is forgotten at once when the connection to the proxy fails', async () => {
    const fixture = new ChoiceFixture(repick());
    await fixture.came('connect-failed');
    expect(fixture.proxy).to.equal(undefined);
    expect(fixture.choices.choose('R')).to.equal('P2');
    expect(fixture.events('proxy.chosen')[1]).to.include({ proxy: 'P2', previous: 'P1', of: 3 });
  });

  it('stays when the connection fails, with forgetOnConnectFailure off and in the old agent', async () => {
    for (const rules of [repick({ forgetOnConnectFailure: false }), master()]) {
      const fixture = new ChoiceFixture(rules);
      await fixture.came('connect-failed');
      expect(fixture.proxy).to.equal('P1');
    }
  });

  it('stays when a request only waited for the connection of another, unless ignoreWaiterTimeout is off', async () => {
    const fixture = new ChoiceFixture(repick());
    await fixture.came('waiter-timed-out');
    expect(fixture.proxy).to.equal('P1');
    const mutant = new ChoiceFixture(repick({ ignoreWaiterTimeout: false }));
    await mutant.came('waiter-timed-out');
    expect(mutant.proxy).to.equal(undefined);
    const old = new ChoiceFixture(master());
    await old.came('waiter-timed-out');
    expect(old.proxy, 'the old agent').to.equal('P1');
  });

  it('is forgotten at once by a failed PRXY, in the old agent too: a control that both pass', async () => {
    for (const rules of [repick(), master()]) {
      const fixture = new ChoiceFixture(rules);
      await fixture.came('prxy-failed');
      expect(fixture.proxy).to.equal(undefined);
      expect(fixture.events('proxy.forgotten')[0]).to.include({ reason: 'prxy', by: 'P1' });
    }
  });

  it('stays for ever under host errors, in both versions, unless keepOnHostError is off', async () => {
    for (const rules of [repick(), master()]) {
      const fixture = new ChoiceFixture(rules);
      await fixture.came('prxy-host-error');
      await fixture.came('forward-host-error', 'P1', 1_000);
      await fixture.came('forward-host-error', 'P1', 86_400_000);
      expect([fixture.proxy, fixture.streakSinceMs]).to.deep.equal(['P1', null]);
    }
    const mutant = new ChoiceFixture(repick({ keepOnHostError: false }));
    await mutant.came('prxy-host-error');
    expect(mutant.proxy).to.equal(undefined);
  });

  it('goes with the connection that had a session to the destination', async () => {
    const fixture = new ChoiceFixture(repick());
    await fixture.came('disconnected');
    expect(fixture.proxy).to.equal(undefined);
  });
});

describe('the failure streak of a proxy', () => {
  it('keeps the proxy just under 30 s after its start, and forgets it at 30 s', async () => {
    const early = new ChoiceFixture(repick());
    await early.came('forward-failed', 'P1', 5_000);
    await early.came('forward-failed', 'P1', 29_999);
    expect([early.proxy, early.streakSinceMs]).to.deep.equal(['P1', 5_000]);
    expect(early.events('streak.kept')[0]).to.include({ ageMs: 29_999 });

    const due = new ChoiceFixture(repick());
    await due.came('forward-failed', 'P1', 5_000);
    await due.came('forward-failed', 'P1', 30_000);
    expect(due.proxy).to.equal(undefined);
    expect(due.events('proxy.forgotten')[0]).to.include({ reason: 'streak', ageMs: 30_000 });
  });

  it('does not move the choice for a single timeout, nor for a burst of errors', async () => {
    const fixture = new ChoiceFixture(repick());
    for (let error = 0; error < 50; error += 1) await fixture.came('forward-failed', 'P1', 500);
    expect(fixture.proxy).to.equal('P1');
    expect(fixture.events('proxy.forgotten')).to.deep.equal([]);
  });

  it('is never counted with forgetOnStreak off nor in the old agent', async () => {
    for (const rules of [repick({ forgetOnStreak: false }), master()]) {
      const fixture = new ChoiceFixture(rules);
      for (let turn = 0; turn < 20; turn += 1) await fixture.came('forward-failed', 'P1', 32_000);
      expect(fixture.proxy).to.equal('P1');
    }
  });

  const clearing = [
    ['forward-succeeded', 'clearOnSuccess'],
    ['relay-error', 'clearOnRelayError'],
    ['protocol-error', 'clearOnProtocolError'],
  ] as const;
  for (const [kind, fix] of clearing) {
    it(`restarts the count after a ${kind} in between, unless ${fix} is off`, async () => {
      const fixture = new ChoiceFixture(repick());
      await fixture.came('forward-failed');
      await fixture.came(kind, 'P1', 10_000);
      await fixture.came('forward-failed', 'P1', 20_000);
      expect([fixture.proxy, fixture.streakSinceMs]).to.deep.equal(['P1', 30_000]);
      const mutant = new ChoiceFixture(repick({ [fix]: false }));
      await mutant.came('forward-failed');
      await mutant.came(kind, 'P1', 10_000);
      await mutant.came('forward-failed', 'P1', 20_000);
      expect(mutant.proxy).to.equal(undefined);
    });
  }

  it('is neither started, advanced nor cleared by client-side timeouts', async () => {
    const fixture = new ChoiceFixture(repick());
    await fixture.came('forward-timed-out');
    await fixture.came('forward-timed-out', 'P1', 60_000);
    expect([fixture.proxy, fixture.streakSinceMs]).to.deep.equal(['P1', null]);
    await fixture.came('forward-failed');
    await fixture.came('forward-timed-out', 'P1', 45_000);
    expect([fixture.proxy, fixture.streakSinceMs]).to.deep.equal(['P1', 60_000]);
    await fixture.came('forward-failed');
    expect(fixture.proxy).to.equal(undefined);
  });

  it('counts client timeouts where that option is on', async () => {
    const fixture = new ChoiceFixture(repick({ countClientTimeouts: true }));
    await fixture.came('forward-timed-out');
    await fixture.came('forward-timed-out', 'P1', 30_000);
    expect(fixture.proxy).to.equal(undefined);
  });

  it('goes with the choice: the same proxy chosen again starts clean', async () => {
    const fixture = new ChoiceFixture(repick(), ['P1']);
    await fixture.came('forward-failed');
    await fixture.came('forward-failed', 'P1', 30_000);
    fixture.choices.choose('R');
    expect([fixture.proxy, fixture.streakSinceMs]).to.deep.equal(['P1', null]);
    await fixture.came('forward-failed', 'P1', 1_000);
    expect([fixture.proxy, fixture.streakSinceMs]).to.deep.equal(['P1', 31_000]);
  });

  it('is kept for each destination by itself', async () => {
    const fixture = new ChoiceFixture(repick(), ['P1']);
    fixture.choices.choose('S');
    await fixture.came('forward-failed');
    await fixture.came('forward-failed', 'P1', 30_000);
    expect([fixture.proxy, fixture.choices.chosen('S')]).to.deep.equal([undefined, 'P1']);
  });

  it('lets one timeout forget the proxy hours after another, unless it expires', async () => {
    const fixture = new ChoiceFixture(repick());
    await fixture.came('forward-failed');
    await fixture.came('forward-failed', 'P1', 6 * 3_600_000);
    expect(fixture.proxy).to.equal(undefined);
    const expiring = new ChoiceFixture(repick({ streakExpiryMs: 300_000 }));
    await expiring.came('forward-failed');
    await expiring.came('forward-failed', 'P1', 6 * 3_600_000);
    expect([expiring.proxy, expiring.streakSinceMs]).to.deep.equal(['P1', 6 * 3_600_000]);
    await expiring.came('forward-failed', 'P1', 30_000);
    expect(expiring.proxy, 'a streak that is alive still forgets').to.equal(undefined);
  });
});

describe('a late result of the proxy before', () => {
  const sites: readonly (readonly [
    ChoiceEventKind,
    'guardFailure' | 'guardSuccess' | 'guardDisconnect' | 'guardPrxy',
  ])[] = [
    ['forward-failed', 'guardFailure'],
    ['connect-failed', 'guardFailure'],
    ['forward-succeeded', 'guardSuccess'],
    ['relay-error', 'guardSuccess'],
    ['disconnected', 'guardDisconnect'],
    ['prxy-failed', 'guardPrxy'],
  ];
  for (const [kind, guard] of sites) {
    it(`(${kind}) leaves entry and streak of the new choice as they were, unless ${guard} is off`, async () => {
      const { fixture, before } = await rechosen({});
      await fixture.came(kind, 'P1');
      expect([fixture.proxy, fixture.streakSinceMs]).to.deep.equal(before);
      expect(fixture.events('late.ignored')[0]).to.include({ proxy: 'P1', chosen: 'P2' });
      const { fixture: mutant } = await rechosen({ [guard]: false });
      await mutant.came(kind, 'P1', 30_000);
      expect([mutant.proxy, mutant.streakSinceMs]).to.not.deep.equal(before);
    });
  }

  it('is not held back in the old agent, on a disconnect and on a failed PRXY', async () => {
    for (const kind of ['disconnected', 'prxy-failed'] as const) {
      const fixture = new ChoiceFixture(master());
      await fixture.came('prxy-failed');
      fixture.choices.choose('R');
      await fixture.came(kind, 'P1');
      expect(fixture.proxy, kind).to.equal(undefined);
    }
  });

  /** P2 is the choice after P1, and has failed once. */
  async function rechosen(changes: Parameters<typeof repick>[0]) {
    const fixture = new ChoiceFixture(repick(changes));
    await fixture.came('prxy-failed');
    fixture.choices.choose('R');
    await fixture.came('forward-failed', 'P2', 1_000);
    return { fixture, before: [fixture.proxy, fixture.streakSinceMs] };
  }
});

describe('the one more try after NO_SESSION', () => {
  it('goes through the same proxy', () => {
    expect(new ChoiceFixture(repick()).choices.chooseAgain('R', 'P1')).to.equal('P1');
  });

  it('records no choice where there is none, unless retryRecordsNoChoice is off', async () => {
    const fixture = new ChoiceFixture(repick());
    await fixture.came('disconnected');
    expect([fixture.choices.chooseAgain('R', 'P1'), fixture.proxy]).to.deep.equal(['P1', undefined]);
    for (const rules of [repick({ retryRecordsNoChoice: false }), master()]) {
      const other = new ChoiceFixture(rules);
      await other.came('disconnected');
      expect([other.choices.chooseAgain('R', 'P1'), other.proxy]).to.deep.equal(['P1', 'P1']);
    }
  });

  it('follows a choice that was made meanwhile, as the real agent does', async () => {
    const fixture = new ChoiceFixture(repick());
    await fixture.came('disconnected');
    fixture.choices.choose('R');
    expect(fixture.choices.chooseAgain('R', 'P1')).to.equal('P2');
  });
});

describe('excluding the failed proxy', () => {
  it('leaves it out of the next pick only, and only when it failed', async () => {
    const fixture = new ChoiceFixture(repick({ excludeFailed: true }));
    await fixture.came('prxy-failed');
    fixture.choices.choose('R');
    await fixture.came('disconnected', 'P2');
    fixture.choices.choose('R');
    expect(fixture.leftOut).to.deep.equal([undefined, 'P1', undefined]);
  });

  it('is not done without the option', async () => {
    const fixture = new ChoiceFixture(repick());
    await fixture.came('prxy-failed');
    fixture.choices.choose('R');
    expect(fixture.leftOut).to.deep.equal([undefined, undefined]);
  });
});

function bound(fixture: ChoiceFixture) {
  return { choices: fixture.choices, events: (name: string) => fixture.events(name) };
}
