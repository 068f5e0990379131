import { expect } from 'chai';
import type { ChoiceRules } from '../choice-rules.ts';
import { AgentBed, type BedAgent, seedWhere } from './agent-bed.ts';
import { master, repick } from './choice-fixture.ts';

const TWO = ['P1', 'P2'];
const P1_THEN_P2 = seedWhere(([first, second]) => first === 'P1' && second === 'P2', TWO);
const P1_TWICE_THEN_P2 = seedWhere(
  ([first, second, third]) => first === 'P1' && second === 'P1' && third === 'P2',
  TWO,
);

/** R, the black-holed P1, the good P2; the app whose servers are P1 and P2, and the contact at R. */
function blackHoled(choiceRules: ChoiceRules, seed: string, rules = {}) {
  const bed = new AgentBed();
  bed.network.server('P1').paths.set('R', 'black-hole');
  const app = bed.agent({ name: 'app', servers: TWO, choiceRules, seed, rules });
  return { bed, app, contact: bed.contact() };
}

/** The contact joins the app's link; the app replies in the background. */
async function contactJoins(app: BedAgent, contact: BedAgent): Promise<string> {
  const { link, connection } = await app.agent.link();
  contact.agent.join(link, true);
  return connection;
}

describe('an app whose contact joins its link while its first proxy is black-holed', () => {
  it('is still not connected after ten minutes, as the old agent', async () => {
    const { bed, app, contact } = blackHoled(master(), P1_THEN_P2);
    const connection = await contactJoins(app, contact);
    await bed.leap(600_000);
    expect(app.status(connection)).to.equal('answering');
    const failures = app.events('forward.failed');
    expect(failures.length).to.be.above(5);
    expect(failures.every((failure) => failure['proxy'] === 'P1' && failure['hop'] === 'relay')).to.equal(
      true,
    );
    expect(app.agent.state()).to.deep.include({ stuck: ['R'], exposed: { R: 1 } });
  });

  it('is connected after 64 s without any action, with the fix, when the next pick is the good proxy', async () => {
    const { bed, app, contact } = blackHoled(repick(), P1_THEN_P2);
    const connection = await contactJoins(app, contact);
    await bed.leap(63_900);
    expect(app.status(connection)).to.equal('answering');
    await bed.leap(200);
    expect([app.status(connection), contact.status('c1')]).to.deep.equal(['established', 'established']);
    expect(app.events('proxy.forgotten')[0]).to.include({ proxy: 'P1', reason: 'streak' });
    expect(app.agent.state()).to.deep.include({ stuck: [], exposed: { R: 2 } });
  });

  it('needs another streak when the re-pick chooses the same proxy again', async () => {
    const { bed, app, contact } = blackHoled(repick(), P1_TWICE_THEN_P2);
    await contactJoins(app, contact);
    await bed.leap(200_000);
    expect(app.at('connection.established')).to.be.within(128_000, 130_000);
  });

  it('needs one streak alone where the failed proxy is excluded from the next pick', async () => {
    const { bed, app, contact } = blackHoled(repick({ excludeFailed: true }), P1_TWICE_THEN_P2);
    await contactJoins(app, contact);
    await bed.leap(200_000);
    expect(app.at('connection.established')).to.be.within(64_000, 65_000);
  });

  it('is helped by a change of the configured servers only once it forgets the proxy', async () => {
    for (const [choiceRules, connects] of [
      [master(), undefined],
      [repick(), true],
    ] as const) {
      const { bed, app, contact } = blackHoled(choiceRules, P1_TWICE_THEN_P2);
      await contactJoins(app, contact);
      await bed.leap(59_000);
      app.agent.configure(['P2@P2'], ['P2@P2']);
      expect(app.agent.state()['choices'], 'the change alone clears nothing').to.have.nested.property(
        'R.proxy',
        'P1',
      );
      await bed.leap(181_000);
      const at = app.at('connection.established');
      expect(at === undefined ? undefined : at >= 64_000 && at < 65_000).to.equal(connects);
    }
  });
});

describe('an app that joins a link with Retry after each error, while its first proxy is black-holed', () => {
  const sixRetries = { retries: 6, retryOnErrorMs: 1_000 };

  it('fails six Retries, as the old agent', async () => {
    const { bed, app, contact } = blackHoled(master(), P1_THEN_P2, sixRetries);
    const { link } = await contact.agent.link();
    app.agent.join(link, true);
    await bed.leap(600_000);
    expect(app.events('join.failed')).to.have.length(7);
    expect(app.events('connection.established')).to.deep.equal([]);
  });

  it('sees two connection timeouts, then two private routing timeouts, and connects at the fourth Retry', async () => {
    const { bed, app, contact } = blackHoled(repick(), P1_THEN_P2, sixRetries);
    const { link } = await contact.agent.link();
    app.agent.join(link, true);
    await bed.leap(600_000);
    const failures = app.events('join.failed');
    expect(failures.map(({ alert }) => alert)).to.deep.equal([
      'Connection timeout',
      'Connection timeout',
      'Private routing timeout',
      'Private routing timeout',
    ]);
    expect((failures[3]?.atMs ?? 0) - (failures[2]?.atMs ?? 0)).to.be.within(30_000, 32_000);
    expect(app.events('connection.established')[0]).to.include({ retries: 4 });
    expect(app.at('connection.established')).to.be.within(86_000, 177_000);
  });

  it('connects at the first Retry after one wait and a half where client timeouts count', async () => {
    const { bed, app, contact } = blackHoled(repick({ countClientTimeouts: true }), P1_THEN_P2, sixRetries);
    const { link } = await contact.agent.link();
    app.agent.join(link, true);
    await bed.leap(600_000);
    expect(app.events('connection.established')[0]).to.include({ retries: 2 });
  });

  it('joins another link at once with only the good proxy left, unless it is the old agent', async () => {
    for (const [choiceRules, alerts] of [
      [master(), ['Private routing timeout']],
      [repick(), []],
    ] as const) {
      const { bed, app, contact } = blackHoled(choiceRules, P1_THEN_P2, { retries: 3 });
      const first = await contact.agent.link();
      app.agent.join(first.link, true);
      await bed.leap(200_000);
      expect(app.events('join.failed')).to.have.length(4);
      app.agent.configure(['P2@P2'], ['P2@P2']);
      const second = await contact.agent.link();
      const connection = app.agent.join(second.link, false);
      await bed.leap(2_000);
      expect(app.status(connection) === 'established').to.equal(alerts.length === 0);
    }
  });
});

describe('two agents', () => {
  it('connect at once through an open proxy, and neither is told that it failed', async () => {
    const bed = new AgentBed();
    const app = bed.agent({ name: 'app', servers: TWO, choiceRules: repick() });
    const contact = bed.contact();
    const { link } = await contact.agent.link();
    const connection = app.agent.join(link, true);
    await bed.settle();
    expect([app.status(connection), contact.status('c1')]).to.deep.equal(['established', 'established']);
    expect(app.events('join.failed')).to.deep.equal([]);
    const choices = app.agent.state()['choices'] as Record<string, { streakSinceMs: unknown }>;
    expect(choices['R']?.streakSinceMs).to.equal(null);
  });

  it('are connected although the joiner never heard that its confirmation had arrived', async () => {
    const bed = new AgentBed();
    bed.network.server('P1').paths.set('R', 'deaf');
    const app = bed.agent({ name: 'app', servers: ['P1'], choiceRules: repick() });
    const contact = bed.contact();
    const { link } = await contact.agent.link();
    const connection = app.agent.join(link, true);
    await bed.leap(120_000);
    expect(app.events('forward.succeeded')).to.deep.equal([]);
    expect([app.status(connection), contact.status('c1')]).to.deep.equal(['established', 'established']);
  });

  it('join in the background with nobody to tap Retry', async () => {
    const bed = new AgentBed();
    bed.network.server('P1').state = 'down';
    const app = bed.agent({ name: 'app', servers: ['P1'], choiceRules: repick() });
    const contact = bed.contact();
    const { link } = await contact.agent.link();
    const connection = app.agent.join(link, false);
    await bed.leap(20_000);
    expect(app.status(connection)).to.equal('joining');
    bed.network.server('P1').state = 'up';
    await bed.leap(10_000);
    expect(app.status(connection)).to.equal('established');
  });
});
