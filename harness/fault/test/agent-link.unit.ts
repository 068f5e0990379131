import { expect } from 'chai';
import type { SquallError } from '../../errors/index.ts';
import { AgentLink } from '../agent/agent-link.ts';
import { FakeAgent } from '../index.ts';

const PATIENT = { deadlineMs: 5_000 };

async function failure(work: Promise<unknown>): Promise<SquallError> {
  return work.then(
    () => expect.fail('expected a rejection'),
    (error: SquallError) => error,
  );
}

describe('AgentLink', () => {
  it('matches answers to requests that are under way at once', async () => {
    const fake = new FakeAgent();
    const link = new AgentLink(fake.process);
    fake.onHttp = ({ path }) => ({ status: 200, body: String(path) });
    const answers = await Promise.all(
      ['/a', '/b', '/c'].map((path) => link.request('http', { path }, PATIENT)),
    );
    expect(answers.map((answer) => answer.body)).to.deep.equal(['/a', '/b', '/c']);
  });

  it('turns a refusal into an error with the code of the agent', async () => {
    const fake = new FakeAgent();
    const link = new AgentLink(fake.process);
    expect((await failure(link.request('apply', { ids: ['x'] }, PATIENT))).code).to.equal(
      'agent-unknown-fault',
    );
    expect(link.lost).to.equal(undefined);
  });

  it('rejects everything pending, once, when the output of the agent ends', async () => {
    const fake = new FakeAgent();
    const link = new AgentLink(fake.process);
    fake.hang();
    const losses: SquallError[] = [];
    link.onLost((error) => losses.push(error));
    const pending = [link.request('witness', {}, PATIENT), link.request('snapshot', {}, PATIENT)].map(
      failure,
    );
    fake.die();
    for (const error of await Promise.all(pending))
      expect(error).to.include({ code: 'agent-lost', blame: 'void' });
    expect(losses).to.have.lengthOf(1);
    expect(losses[0]!.facts.pendingOps).to.deep.equal(['witness', 'snapshot']);
    expect((await failure(link.request('hello', {}, PATIENT))).code).to.equal('agent-lost');
  });

  it('declares an agent lost that misses a deadline, and ends its input', async () => {
    const fake = new FakeAgent();
    const link = new AgentLink(fake.process);
    fake.hang();
    const error = await failure(link.request('snapshot', {}, { deadlineMs: 10 }));
    expect(error.message).to.match(/did not answer "snapshot" within 10 ms/);
    await link.finished;
    expect(link.lost).to.equal(error);
  });

  it('reads what has come before it calls an agent lost, when it stood still itself over the deadline', async () => {
    const fake = new FakeAgent();
    const link = new AgentLink(fake.process);
    fake.hang();
    const asked = link.request('snapshot', {}, { deadlineMs: 10 });
    const blockedUntil = performance.now() + 250;
    while (performance.now() < blockedUntil);
    // As a socket's data: read after the timers that are due.
    setImmediate(() => fake.say(JSON.stringify({ id: 1, ok: true, redirects: [] })));
    expect(await asked).to.include({ ok: true });
    expect(link.lost).to.equal(undefined);
  });

  it('declares an agent lost that says what is not the protocol', async () => {
    const fake = new FakeAgent();
    const link = new AgentLink(fake.process);
    const lost = new Promise<SquallError>((resolve) => link.onLost(resolve));
    fake.say('panic: runtime error');
    expect((await lost).message).to.match(/not JSON/);
  });

  it('gives up a request when its signal aborts, and goes on', async () => {
    const fake = new FakeAgent();
    const link = new AgentLink(fake.process);
    const controller = new AbortController();
    const request = link.request('snapshot', {}, { ...PATIENT, signal: controller.signal });
    controller.abort(new Error('enough'));
    expect((await failure(request)).message).to.equal('enough');
    expect(await link.request('snapshot', {}, PATIENT)).to.have.property('faults');
  });

  it('does not call it a loss when the end was wanted', async () => {
    const fake = new FakeAgent();
    const link = new AgentLink(fake.process);
    link.onLost(() => expect.fail('not a loss'));
    link.close();
    await link.finished;
  });
});
