import { expect } from 'chai';
import fc from 'fast-check';
import { History } from '../../../harness/workload/index.ts';
import { nodeContext, testClock } from '../../session-kit/test/in-process.ts';
import { ClientAccount } from '../client-account.ts';
import image from '../image.json' with { type: 'json' };
import { Mailbox } from '../mailbox.ts';
import type { SessionClient } from '../session-client.ts';

/** A client's accounts, and answers with status 200 that a test writes. */
function world(pollMethod: 'retrieve' | 'batch') {
  const facts = { name: 'client-1', role: 'client', address: '127.0.0.1', clock: testClock() };
  const environment = {
    SQUALL_SEEDS: 'registry-1@127.0.0.1:1',
    SQUALL_NODES: 'storage-1@',
    SQUALL_POLL_METHOD: pollMethod,
    SQUALL_BATCH_ACCOUNTS: '2',
  };
  const { context, told } = nodeContext(image, facts, environment);
  const said: { body: unknown } = { body: {} };
  const client = {
    own: { name: 'client-1/1', index: 1 },
    networkMs: () => context.clock.wallMs(),
    ask: async () => ({ ok: true, timeout: false, status: 200, message: '', body: said.body }),
    pool: { getSwarm: (_: string, on: (swarm: object) => void) => on({ nodes: [] }) },
  };
  const accounts = [new ClientAccount('7', 'anna', true), new ClientAccount('7', 'bert', true)];
  const history = new History(context.emit, context.name);
  return { mailbox: new Mailbox(context, client as unknown as SessionClient, history, accounts), said, told };
}

const noList = fc.constantFrom<unknown>(null, true, 7, 'x', {});
const good = { hash: 'a'.repeat(43), timestamp: 1, expiration: 2, data: '' };
const noMessage = fc.oneof(
  noList,
  fc.constantFrom('hash', 'timestamp', 'expiration', 'data').map((name) => ({ ...good, [name]: [7] })),
);
/** Answers to `retrieve` of which one thing is of a type that it cannot be. */
const wrongAnswer = fc.oneof(
  noList,
  fc.record({ messages: noList }),
  fc.record({ messages: fc.array(noMessage, { minLength: 1, maxLength: 3 }) }),
  fc.constant({ messages: [], more: 'x' }),
);

describe('a mailbox whose answers are of wrong types', () => {
  it('refuses each by the name of its fault, and takes no message of it', async () => {
    const { mailbox, said, told } = world('retrieve');
    await fc.assert(
      fc.asyncProperty(wrongAnswer, async (body) => {
        said.body = body;
        told.splice(0);
        await mailbox.poll();
        expect(told.map(({ event, fault }) => [event, fault])).to.deep.equal(
          mailbox.accounts.map(() => ['answer.refused', 'wrong-shape']),
        );
      }),
      { numRuns: 200, seed: 16 },
    );
  });

  it('refuses a part of a batch for itself', async () => {
    const { mailbox, said, told } = world('batch');
    const results = [7, { messages: [] }].map((body) => ({ code: 200, body }));
    said.body = { results };
    await mailbox.poll();
    expect(told.map(({ event }) => event)).to.deep.equal(['answer.refused']);
  });
});
