import { expect } from 'chai';
import type { ChoiceRules } from '../choice-rules.ts';
import { AgentBed, type BedAgent, seedWhere } from './agent-bed.ts';
import { master, repick } from './choice-fixture.ts';

const TWO = ['P1', 'P2'];
const P1_THEN_P2 = seedWhere(([first, second]) => first === 'P1' && second === 'P2', TWO);

/** An app with P1 chosen for R and `connections` contacts there, each with an outbox of its own. */
async function forwarding(choiceRules: ChoiceRules, connections = 1, rules = {}) {
  const bed = new AgentBed();
  const app = bed.agent({ name: 'app', servers: ['M'], proxies: TWO, choiceRules, seed: P1_THEN_P2, rules });
  const contact = bed.contact();
  for (let count = 0; count < connections; count += 1) {
    const { link } = await contact.agent.link();
    app.agent.join(link, true);
    await bed.settle();
  }
  expect(chosen(app), 'the first pick').to.equal('P1');
  return { bed, app, contact, p1: bed.network.server('P1'), p2: bed.network.server('P2') };
}

function choiceOf(app: BedAgent) {
  return (app.agent.state()['choices'] as Record<string, { proxy: string; streakSinceMs: number | null }>)[
    'R'
  ];
}

function chosen(app: BedAgent): string | undefined {
  return choiceOf(app)?.proxy;
}

describe('a proxy that is offline or unreachable', () => {
  it('is replaced at the next try, with the fix; the old agent keeps it', async () => {
    for (const [choiceRules, proxy, arrived] of [
      [repick(), 'P2', 1],
      [master(), 'P1', 0],
    ] as const) {
      const { bed, app, contact, p1 } = await forwarding(choiceRules);
      p1.state = 'down';
      p1.cut();
      // The lost connection removed the choice in both; with P1 alone to pick from, both choose it again.
      app.agent.configure(['M@M'], ['P1@P1']);
      app.agent.send('c1', 1);
      await bed.settle();
      app.agent.configure(['M@M'], ['P2@P2']);
      await bed.leap(30_000);
      expect(contact.events('message.received')).to.have.length(arrived);
      expect(chosen(app)).to.equal(proxy);
    }
  });

  it('is given up by the request that connects, not by one that only waited for that, in the background and not', async () => {
    const waits = async (changes: Partial<ChoiceRules>) => {
      const { bed, app, contact, p1 } = await forwarding(repick(changes));
      const { link } = await contact.agent.link();
      p1.cut();
      p1.state = 'silent';
      app.agent.configure(['M@M'], ['P1@P1']);
      // The outbox connects and may take 45 s; a user's join waits for that, and for 15 s alone.
      app.agent.send('c1', 1);
      await bed.settle();
      app.agent.join(link, true);
      await bed.leap(16_000);
      expect(app.events('join.failed')).to.have.length(1);
      const early = app.events('proxy.forgotten').length;
      await bed.leap(30_000);
      return [early, app.events('proxy.forgotten').length];
    };
    const [early, late] = await waits({});
    const [mutantEarly] = await waits({ ignoreWaiterTimeout: false });
    expect([early, mutantEarly, (late ?? 0) > (early ?? 0)]).to.deep.equal([1, 2, true]);
  });
});

describe('a proxy that cannot have the relay', () => {
  it('is forgotten at once when its PRXY fails, in both versions', async () => {
    for (const choiceRules of [repick(), master()]) {
      const { bed, app, contact, p1 } = await forwarding(choiceRules);
      p1.paths.set('R', 'closed');
      p1.sessionEpoch += 1;
      app.agent.send('c1', 1);
      await bed.leap(10_000);
      expect(app.events('proxy.forgotten')[0]).to.include({ proxy: 'P1', reason: 'prxy' });
      expect(contact.events('message.received')).to.have.length(1);
    }
  });

  it('names the relay in the error of its PRXY, and the way there is blamed', async () => {
    for (const [path, error] of [
      ['closed', 'PROXY P1 R PROXY BROKER NETWORK'],
      ['no-host', 'PROXY P1 R PROXY BROKER HOST'],
    ] as const) {
      const { bed, app, contact, p1 } = await forwarding(master());
      app.agent.configure(['M@M'], ['P1@P1']);
      p1.paths.set('R', path);
      p1.sessionEpoch += 1;
      app.agent.send('c1', 1);
      await bed.leap(1_000);
      app.agent.join((await contact.agent.link()).link, true);
      await bed.leap(1_000);
      const { connections, trouble } = app.agent.state() as {
        readonly connections: readonly { readonly lastError: string | null }[];
        readonly trouble: Readonly<Record<string, { readonly lastError: string; readonly hop: string }>>;
      };
      expect(connections.map(({ lastError }) => lastError)).to.deep.equal([error, error]);
      expect(trouble['R']).to.include({ lastError: error, hop: 'relay' });
      expect(app.events('join.failed').at(-1)).to.include({ error, alert: 'Private routing error' });
    }
  });

  it('has had nothing of a message whose session it refused, so that giving up is no doubt', async () => {
    for (const [path, end] of [
      ['closed', 'operation.failed'],
      ['black-hole', 'operation.unknown'],
    ] as const) {
      const { bed, app, p1 } = await forwarding(master(), 1, { messageExpiryMs: 60_000 });
      app.agent.configure(['M@M'], ['P1@P1']);
      p1.paths.set('R', path);
      if (path === 'closed') p1.sessionEpoch += 1;
      app.agent.send('c1', 1);
      await bed.leap(150_000);
      expect(app.events(end), path).to.have.length(1);
    }
  });

  it('keeps its destination for ever when it says that host or version is none for it, in both versions', async () => {
    const cases = (
      [
        ['no-host', 'PROXY BROKER HOST'],
        ['no-version', 'PROXY BROKER TRANSPORT VERSION'],
      ] as const
    ).flatMap((one) => [repick(), master()].map((choiceRules) => ({ one, choiceRules })));
    for (const { one, choiceRules } of cases) {
      const [path, error] = one;
      const { bed, app, contact, p1 } = await forwarding(choiceRules);
      p1.paths.set('R', path);
      p1.sessionEpoch += 1;
      const before = p1.prxys;
      app.agent.send('c1', 1);
      await bed.leap(1_800_000);
      expect([chosen(app), contact.events('message.received').length]).to.deep.equal(['P1', 0]);
      // What the proxy said stays its answer while the connection stands: it is not asked again.
      expect(p1.prxys).to.equal(before + 1);
      expect(app.events('forward.failed').at(-1)).to.include({ error, hop: 'relay' });
    }
    const { bed, app, contact, p1 } = await forwarding(repick({ keepOnHostError: false }));
    p1.paths.set('R', 'no-host');
    p1.sessionEpoch += 1;
    app.agent.send('c1', 1);
    await bed.leap(10_000);
    expect([chosen(app), contact.events('message.received').length]).to.deep.equal(['P2', 1]);
  });

  it('begins no streak by a forward that it answers so, unless keepOnHostError is off', async () => {
    for (const path of ['no-host', 'no-version'] as const) {
      const streakAfter = async (changes: Partial<ChoiceRules>) => {
        const { bed, app, p1 } = await forwarding(repick(changes));
        p1.paths.set('R', path);
        app.agent.send('c1', 1);
        await bed.leap(1_000);
        return choiceOf(app)?.streakSinceMs;
      };
      expect(await streakAfter({}), path).to.equal(null);
      expect(await streakAfter({ keepOnHostError: false }), path).to.be.a('number');
    }
  });

  it('does not lose its choice for a single timeout, nor for a burst while the relay restarts', async () => {
    const { bed, app, contact, p1 } = await forwarding(repick(), 4);
    p1.paths.set('R', 'black-hole');
    for (let connection = 1; connection <= 4; connection += 1) app.agent.send(`c${connection}`, 2);
    await bed.leap(29_000);
    p1.paths.set('R', 'open');
    await bed.leap(30_000);
    expect([chosen(app), app.events('proxy.forgotten').length]).to.deep.equal(['P1', 0]);
    expect(contact.events('message.received')).to.have.length(8);
    expect(choiceOf(app)?.streakSinceMs).to.equal(null);
  });

  it('is blamed for the way to the relay and not for itself, and the relay comes back within a retry', async () => {
    const { bed, app, contact } = await forwarding(repick());
    const relay = bed.network.server('R');
    relay.state = 'down';
    relay.cut();
    app.agent.send('c1', 1);
    await bed.leap(20_000);
    relay.state = 'up';
    await bed.leap(45_000);
    expect(contact.events('message.received')).to.have.length(1);
    expect(new Set(app.events('forward.failed').map(({ hop }) => hop))).to.deep.equal(new Set(['relay']));
  });
});

describe('a streak', () => {
  it('is cleared by an error of the relay that came back through the proxy, unless clearOnRelayError is off', async () => {
    const outcomeOf = async (changes: Partial<ChoiceRules>) => {
      const { bed, app, p1 } = await forwarding(repick(changes), 2);
      p1.paths.set('R', 'black-hole');
      app.agent.send('c1', 1);
      await bed.leap(31_000);
      expect(choiceOf(app)?.streakSinceMs).to.be.a('number');
      p1.paths.set('R', 'open');
      bed.network.server('R').refusal = 'AUTH';
      app.agent.send('c2', 1);
      await bed.settle();
      expect(app.agent.state()['trouble'], 'the relay was reached').to.deep.equal({});
      return choiceOf(app)?.streakSinceMs;
    };
    expect(await outcomeOf({})).to.equal(null);
    expect(await outcomeOf({ clearOnRelayError: false })).to.be.a('number');
  });

  it('is cleared by PROXY PROTOCOL, an error that the relay gave the proxy, unless clearOnProtocolError is off', async () => {
    const outcomeOf = async (changes: Partial<ChoiceRules>) => {
      const { bed, app, p1 } = await forwarding(repick(changes), 2);
      p1.paths.set('R', 'black-hole');
      app.agent.send('c1', 1);
      await bed.leap(31_000);
      expect(choiceOf(app)?.streakSinceMs).to.be.a('number');
      p1.paths.set('R', 'refused');
      app.agent.send('c2', 1);
      await bed.settle();
      expect(app.events('forward.failed').at(-1)).to.include({
        error: 'PROXY PROTOCOL INTERNAL',
        hop: 'relay',
      });
      expect(app.agent.state()['trouble'], 'the relay was reached').to.deep.equal({});
      expect(app.events('send.failed')[0]?.['error']).to.equal('PROXY P1 R PROXY PROTOCOL INTERNAL');
      return [choiceOf(app)?.streakSinceMs ?? null, app.events('streak.cleared')[0]?.['reason']];
    };
    expect(await outcomeOf({})).to.deep.equal([null, 'protocol-error']);
    const [kept, reason] = await outcomeOf({ clearOnProtocolError: false });
    expect([typeof kept, reason]).to.deep.equal(['number', undefined]);
  });

  it('forgets after the interval of the agent, whatever interval the proxy has for its own errors', async () => {
    for (const [proxyFailureIntervalMs, atMs] of [
      [1_000, 64_000],
      [90_000, 128_000],
    ] as const) {
      const { bed, app, contact, p1 } = await forwarding(repick({ proxyFailureIntervalMs }));
      p1.paths.set('R', 'black-hole');
      const sinceMs = bed.clock.nowMs();
      app.agent.send('c1', 1);
      await bed.leap(200_000);
      expect((contact.at('message.received') ?? 0) - sinceMs).to.be.within(atMs, atMs + 2_000);
    }
  });

  it('ends with one timeout hours after another, where sends are rare, unless it expires', async () => {
    const outcomeOf = async (changes: Partial<ChoiceRules>) => {
      const { bed, app, p1 } = await forwarding(repick(changes), 1, { messageExpiryMs: 1 });
      for (let turn = 0; turn < 2; turn += 1) {
        p1.paths.set('R', 'black-hole');
        app.agent.send('c1', 1);
        await bed.leap(31_000);
        p1.paths.set('R', 'open');
        await bed.leap(4 * 3_600_000);
      }
      return chosen(app);
    };
    expect(await outcomeOf({})).to.equal(undefined);
    expect(await outcomeOf({ streakExpiryMs: 300_000 })).to.equal('P1');
  });
});

describe('NO_SESSION', () => {
  it('is answered with a new session through the same proxy, and the caller hears nothing of it', async () => {
    const { bed, app, contact, p1 } = await forwarding(repick());
    p1.sessionEpoch += 1;
    app.agent.send('c1', 1);
    await bed.settle();
    expect(contact.events('message.received')).to.have.length(1);
    expect(app.events('session.removed')).to.have.length(1);
    expect([chosen(app), p1.forwards > 0]).to.deep.equal(['P1', true]);
  });

  /** NO_SESSION that comes while the choice has been forgotten by another request's failure. */
  async function forgottenMeanwhile(changes: Partial<ChoiceRules>) {
    const { bed, app, contact, p1, p2 } = await forwarding(repick(changes), 2);
    // The first fails by the black hole, twice; the second is on its way when the proxy's connection to the relay dies.
    p1.paths.set('R', 'black-hole');
    app.agent.send('c1', 1);
    await bed.leap(61_000);
    p1.hold('forward');
    app.agent.send('c2', 1);
    await bed.leap(1_500);
    p1.paths.set('R', 'open');
    p1.sessionEpoch += 1;
    const forwards = p1.forwards;
    const told = app.told.length;
    p1.release();
    await bed.settle();
    return { bed, app, contact, p1, p2, since: app.told.slice(told), forwards: p1.forwards - forwards };
  }

  it('does not put back a proxy that was forgotten meanwhile, unless retryRecordsNoChoice is off', async () => {
    const { app, contact } = await forgottenMeanwhile({});
    expect(chosen(app)).to.equal(undefined);
    expect(contact.events('message.received')).to.have.length(1);
    const mutant = await forgottenMeanwhile({ retryRecordsNoChoice: false });
    expect(chosen(mutant.app)).to.equal('P1');
  });

  it('takes the dead session from the client that handled it, unless removeDeadSession is off', async () => {
    const { since, contact } = await forgottenMeanwhile({});
    expect(since.some(({ event }) => event === 'session.removed')).to.equal(true);
    expect(contact.events('message.received')).to.have.length(1);
    const mutant = await forgottenMeanwhile({ removeDeadSession: false });
    expect(mutant.since.some(({ event }) => event === 'session.removed')).to.equal(false);
    const failed = mutant.since.filter(({ event }) => event === 'forward.failed');
    expect(failed.map(({ error }) => error)).to.deep.equal(['PROXY NO_SESSION', 'PROXY NO_SESSION']);
    expect(mutant.contact.events('message.received')).to.have.length(0);
  });
});

describe('a result of P1 that comes after P2 was chosen', () => {
  /** The first connection's failures move the choice to P2; the second's forward through P1 is still under way. */
  async function late(changes: Partial<ChoiceRules>) {
    const parts = await forwarding(repick(changes), 2);
    const { bed, app, p1 } = parts;
    p1.paths.set('R', 'black-hole');
    app.agent.send('c1', 1);
    await bed.leap(40_000);
    app.agent.send('c2', 1);
    await bed.leap(25_000);
    expect(chosen(app)).to.equal('P2');
    return parts;
  }

  /** The same, where P1 looks at what the second asked of it only when it is released. */
  async function held(changes: Partial<ChoiceRules>, what: 'prxy' | 'forward') {
    const parts = await forwarding(repick(changes), 2);
    const { bed, app, p1 } = parts;
    p1.paths.set('R', 'black-hole');
    app.agent.send('c1', 1);
    await bed.leap(61_000);
    p1.hold(what);
    // The second's forward finds its session dead then, and asks for a new one.
    if (what === 'prxy') p1.sessionEpoch += 1;
    app.agent.send('c2', 1);
    await bed.leap(4_000);
    expect(chosen(app)).to.equal('P2');
    return parts;
  }

  it('(a failure) leaves P2 its entry and its streak, unless guardFailure is off', async () => {
    const { bed, app } = await late({});
    await bed.leap(6_000);
    expect(choiceOf(app)).to.deep.equal({ proxy: 'P2', streakSinceMs: null });
    expect(app.events('late.ignored')[0]).to.include({ proxy: 'P1', site: 'failure' });
    const mutant = await late({ guardFailure: false });
    await mutant.bed.leap(6_000);
    const byAnother = mutant.app.told.filter(
      ({ event, proxy, by }) => event.startsWith('streak.') && proxy !== by,
    );
    expect(byAnother[0]).to.include({ event: 'streak.started', proxy: 'P2', by: 'P1' });
  });

  it('(a disconnect) leaves P2 its entry, unless guardDisconnect is off', async () => {
    const { bed, app, p1 } = await late({});
    p1.cut();
    await bed.settle();
    expect(chosen(app)).to.equal('P2');
    const mutant = await late({ guardDisconnect: false });
    mutant.p1.cut();
    await mutant.bed.settle();
    expect(mutant.app.events('proxy.forgotten').at(-1)).to.include({
      proxy: 'P2',
      by: 'P1',
      reason: 'disconnect',
    });
  });

  it('(a success) leaves P2 its streak, unless guardSuccess is off', async () => {
    const streakAfter = async (changes: Partial<ChoiceRules>) => {
      const { bed, app, p1, p2 } = await held(changes, 'forward');
      p2.paths.set('R', 'black-hole');
      app.agent.send('c1', 1);
      await bed.leap(31_000);
      expect(choiceOf(app)?.streakSinceMs, 'P2 has failed').to.be.a('number');
      p1.paths.set('R', 'open');
      p1.release();
      await bed.settle();
      return choiceOf(app)?.streakSinceMs;
    };
    expect(await streakAfter({})).to.be.a('number');
    expect(await streakAfter({ guardSuccess: false })).to.equal(null);
  });

  it('(a PRXY result) leaves P2 its entry, unless guardPrxy is off', async () => {
    const chosenAfter = async (changes: Partial<ChoiceRules>) => {
      const { bed, app, p1 } = await held(changes, 'prxy');
      p1.paths.set('R', 'closed');
      p1.release();
      await bed.leap(200);
      return chosen(app);
    };
    expect(await chosenAfter({})).to.equal('P2');
    expect(await chosenAfter({ guardPrxy: false })).to.equal(undefined);
  });
});
