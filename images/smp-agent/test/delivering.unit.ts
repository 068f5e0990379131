import { expect } from 'chai';
import { analyseHistory } from '../../../harness/workload/index.ts';
import { AgentBed, type BedAgent } from './agent-bed.ts';
import { repick } from './choice-fixture.ts';

/** Two agents that are connected; P1 is the app's only server and proxy. */
async function connected(rules = {}) {
  const bed = new AgentBed();
  const app = bed.agent({ name: 'app', servers: ['P1'], choiceRules: repick(), rules });
  const contact = bed.contact();
  const { link } = await contact.agent.link();
  app.agent.join(link, true);
  await bed.settle();
  return { bed, app, contact };
}

function history(...agents: readonly BedAgent[]) {
  return analyseHistory(
    agents
      .flatMap(({ told }) => told)
      .sort((one, other) => one.atMs - other.atMs)
      .map(({ event, atMs, ...fields }) => ({ node: 'n', event, atNs: atMs * 1e6, fields })),
  );
}

/** Ids in the order in which they came. */
function received(agent: BedAgent): unknown[] {
  return agent.events('message.received').map((event) => event['message']);
}

describe('messages of a connection', () => {
  it('arrive both ways, in order, before and after a restart of either agent', async () => {
    const { bed, app, contact } = await connected();
    const there = [...app.agent.send('c1', 3)];
    const back = [...contact.agent.send('c1', 2)];
    await bed.settle();
    app.restart();
    contact.restart();
    await bed.settle();
    there.push(...app.agent.send('c1', 2));
    back.push(...contact.agent.send('c1', 2));
    await bed.settle();
    expect(received(contact)).to.deep.equal(there);
    expect(received(app)).to.deep.equal(back);
    const { lost, doubled, problems } = history(app, contact);
    expect([lost, doubled, problems]).to.deep.equal([[], [], []]);
  });

  it('wait in the outbox while their server is away, and go out in order over a restart', async () => {
    const { bed, app, contact } = await connected();
    bed.network.server('R').state = 'down';
    bed.network.server('R').cut();
    const sent = app.agent.send('c1', 4);
    await bed.leap(5_000);
    app.restart();
    await bed.leap(60_000);
    expect(received(contact)).to.deep.equal([]);
    expect(app.agent.state()['outbox']).to.equal(4);
    bed.network.server('R').state = 'up';
    bed.network.server('P1').sessionEpoch += 1;
    await bed.leap(400_000);
    expect(received(contact)).to.deep.equal(sent);
    expect(history(app, contact).doubled).to.deep.equal([]);
  });

  it('are told apart from their repetition, when only the answer was lost', async () => {
    const { bed, app, contact } = await connected();
    bed.network.server('P1').paths.set('R', 'deaf');
    const sent = app.agent.send('c1', 1);
    await bed.leap(70_000);
    bed.network.server('P1').paths.set('R', 'open');
    await bed.leap(120_000);
    expect(received(contact)).to.deep.equal(sent);
    expect(contact.events('message.repeated').length).to.be.above(0);
    const { lost, doubled, ok } = history(app, contact);
    expect([lost, doubled, ok]).to.deep.equal([[], [], 1]);
  });

  it('fail for certain when the relay refuses them, and come to an unknown end when they may have arrived', async () => {
    const { bed, app } = await connected();
    const relay = bed.network.server('R');
    relay.refusal = 'AUTH';
    app.agent.send('c1', 1);
    await bed.settle();
    expect(app.events('operation.failed')[0]?.['reason']).to.equal('SMP R AUTH');
    bed.network.server('P1').paths.set('R', 'deaf');
    relay.refusal = undefined;
    app.agent.send('c1', 1);
    await bed.leap(1_000);
    relay.refusal = 'AUTH';
    bed.network.server('P1').paths.set('R', 'open');
    await bed.leap(60_000);
    expect(app.events('operation.unknown')).to.have.length(1);
  });

  it('wait long for a full queue, and not at all for other errors of the relay', async () => {
    const { bed, app, contact } = await connected();
    const relay = bed.network.server('R');
    relay.refusal = 'QUOTA';
    const sent = app.agent.send('c1', 1);
    await bed.leap(200_000);
    relay.refusal = undefined;
    await bed.leap(99_000);
    expect(received(contact)).to.deep.equal([]);
    await bed.leap(2_000);
    expect(received(contact)).to.deep.equal(sent);
  });

  it('are given up after messageExpiryMs', async () => {
    const { bed, app } = await connected({ messageExpiryMs: 60_000 });
    bed.network.server('P1').paths.set('R', 'closed');
    bed.network.server('P1').sessionEpoch += 1;
    app.agent.send('c1', 1);
    await bed.leap(100_000);
    expect(app.events('send.failed')).to.have.length(1);
  });
});

describe('the choice over a restart', () => {
  it('is gone with its streak, as with the real agent: both live in memory', async () => {
    const { bed, app } = await connected();
    bed.network.server('P1').paths.set('R', 'black-hole');
    app.agent.send('c1', 1);
    await bed.leap(31_000);
    const choices = app.agent.state()['choices'] as Record<string, { streakSinceMs: number | null }>;
    expect(choices['R']?.streakSinceMs).to.be.a('number');
    app.restart();
    await bed.settle();
    expect(app.agent.state()['choices']).to.deep.equal({ R: { proxy: 'P1', streakSinceMs: null } });
  });
});

describe('what strangers put into a queue', () => {
  it('is acknowledged, told and not believed', async () => {
    const bed = new AgentBed();
    const app = bed.agent({ name: 'app', servers: ['P1'], choiceRules: repick() });
    await app.agent.link();
    const server = bed.network.server('P1');
    const [queue] = [...server.queues.values()];
    for (const body of [Buffer.alloc(0), Buffer.alloc(16_000, 7), Buffer.from('\u0000\u00011')]) {
      expect(server.take({ senderId: queue?.senderId ?? '', body })).to.equal('OK');
    }
    await bed.settle();
    expect(app.events('message.rejected')).to.have.length(3);
    expect(queue?.waiting).to.deep.equal([]);
    expect(app.status('c1')).to.equal('invited');
  });
});
