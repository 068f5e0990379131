import { expect } from 'chai';
import { adminHandlers } from '../admin-handlers.ts';
import { AgentBed } from './agent-bed.ts';
import { repick } from './choice-fixture.ts';

function handled(servers: readonly string[] = ['P1']) {
  const bed = new AgentBed();
  const app = bed.agent({ name: 'app', servers, choiceRules: repick() });
  const contact = bed.contact();
  const handlers = adminHandlers({
    node: { clock: bed.clock, signal: new AbortController().signal },
    current: () => app.agent,
    restart: () => {
      app.restart();
      return app.agent;
    },
  });
  const ask = async (request: string, body?: unknown) => {
    const answer = await handlers[`POST /${request}`]?.(body);
    return { status: answer?.status, body: answer?.body as Record<string, unknown> };
  };
  return { bed, app, contact, ask };
}

describe('the admin requests of an agent', () => {
  it('refuse what makes no sense, and say what is expected', async () => {
    const { ask } = handled();
    const refused = [
      await ask('join', { link: 'https://example.org' }),
      await ask('join', {}),
      await ask('join', undefined),
      await ask('retry', { connection: 'c9' }),
      await ask('send', { connection: 'c9', count: 1 }),
      await ask('send', { connection: 'c9', count: -1 }),
      await ask('servers', { servers: [] }),
      await ask('servers', []),
    ];
    for (const { status, body } of refused) {
      expect([status, body['error']]).to.satisfy(
        ([code, text]: [number, string]) => code === 400 && text.includes('expected'),
      );
    }
  });

  it('refuse to send before there is a connection, and to retry what has not failed', async () => {
    const { app, ask } = handled();
    const { connection } = await app.agent.link();
    expect((await ask('send', { connection, count: 1 })).status).to.equal(400);
    expect((await ask('retry', { connection })).status).to.equal(400);
  });

  it('refuse to link and to join while no server is configured, and do both from then on', async () => {
    const { bed, app, contact, ask } = handled([]);
    const { link } = await contact.agent.link();
    for (const interactive of [true, false]) {
      const { status, body } = await ask('join', { link, interactive });
      expect([status, body['error']]).to.deep.equal([
        400,
        'agent: has no message server; expected at least one in SQUALL_SERVERS or POST /servers',
      ]);
    }
    expect((await ask('link')).status).to.equal(400);
    expect(app.agent.state()['connections'], 'what was refused left nothing').to.deep.equal([]);
    expect((await ask('servers', { servers: ['P1@P1'] })).status).to.equal(200);
    expect((await ask('join', { link })).status).to.equal(200);
    await bed.settle();
    expect(app.events('connection.established')).to.have.length(1);
    expect((await ask('link')).status).to.equal(200);
  });

  it('say that a server gave no queue', async () => {
    const { bed, ask } = handled();
    bed.network.server('P1').state = 'down';
    const { status, body } = await ask('link');
    expect([status, body['error']]).to.deep.equal([409, 'BROKER P1 NETWORK']);
  });

  it('spread messages evenly where a pace is given', async () => {
    const { bed, app, contact, ask } = handled();
    const { link } = await contact.agent.link();
    await ask('join', { link });
    await bed.settle();
    await ask('send', { connection: 'c1', count: 4, perSecond: 2 });
    await bed.leap(900);
    expect(contact.events('message.received')).to.have.length(2);
    await bed.leap(5_000);
    expect(contact.events('message.received')).to.have.length(4);
    expect(app.events('operation.ok')).to.have.length(4);
  });
});
