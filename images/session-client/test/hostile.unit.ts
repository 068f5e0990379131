import { expect } from 'chai';
import fc from 'fast-check';
import { stream } from '../../../harness/random/index.ts';
import { readBody } from '../../session-kit/index.ts';
import { body, huge, REFUSED } from '../../session-kit/test/hostile-bodies.ts';
import { DirectRouter } from '../direct-router.ts';
import { errorName } from '../errors.ts';
import { listFetcher } from '../list-fetcher.ts';
import { Network } from '../network.ts';
import type { FetchResult } from '../pool-refresher.ts';
import type { Answer } from '../request.ts';
import type { RouterPorts } from '../router-ports.ts';
import { account, MINUTE_MS, node } from './pool-world.ts';
import { RouterWorld } from './router-world.ts';
import { variant } from './rule-test.ts';

const TYPES = ['application/json', 'text/plain', 'application/octet-stream'];
const STATUSES = [200, 421, 406, 425, 500, 502, 503, 504, 0, -10_013];

/** A client whose every answer is written by a stranger. */
class HostileWorld extends RouterWorld {
  readonly network: Network;

  constructor() {
    super(variant('final'));
    const readAny: RouterPorts['readBody'] = ({ type, body: bytes }) =>
      readBody({ type, body: Buffer.from(bytes) });
    const router = new DirectRouter({ ...this.ports, readBody: readAny }, 'direct');
    router.start();
    this.network = new Network({
      rules: this.variant.rules,
      pool: this.pool,
      router,
      transport: this.transport,
      clock: this.clock,
      chance: stream('7', 'network'),
      tell: this.tell,
      redirectRetryCount: 1,
      resyncNodeCount: 3,
      infoTimeoutMs: 10_000,
    });
  }

  /** Answers whatever waits, and what is sent on its account, until nothing does. @returns how often */
  answerAll(answer: { readonly status: number; readonly type: string; readonly body: Uint8Array }): number {
    let answered = 0;
    for (const connection of this.connections) {
      for (let call = connection.calls.shift(); call; call = connection.calls.shift()) {
        call.onAnswer(answer);
        answered += 1;
      }
    }
    return answered;
  }
}

describe('a client among strangers', function () {
  this.timeout(30_000);

  it('ends every request once with a named error or an answer, ten thousand bodies long', async () => {
    const names = new Map<string, number>();
    let world = await freshWorld();
    let turn = 0;
    await fc.assert(
      fc.asyncProperty(
        body,
        fc.constantFrom(...STATUSES),
        fc.constantFrom(...TYPES),
        async (bytes, status, type) => {
          turn += 1;
          if (turn % 500 === 0) world = await freshWorld();
          const { network } = world;
          const ends: string[] = [];
          const request = network.request(
            node((turn % 24) + 1),
            'batch',
            {},
            [account(1), account(2)],
            10_000,
          );
          network.send(request, (answer) => ends.push(answer.ok ? 'ok' : errorName(answer.status)));
          while (world.answerAll({ status, type, body: bytes }) > 0);
          if (ends.length === 0) await world.clock.leap(MINUTE_MS);
          expect(ends).to.have.length(1);
          names.set(ends[0] ?? '', (names.get(ends[0] ?? '') ?? 0) + 1);
          world.told.splice(0);
          world.lines.splice(0);
        },
      ),
      { numRuns: 10_000 },
    );
    expect([...names.keys()]).to.include.members(['ok', '421', '500', 'ERROR_FAILED_TO_PARSE']);
  });

  for (const [fault, bytes] of Object.entries(REFUSED))
    it(`ends a request with ERROR_FAILED_TO_PARSE and the word "${fault}" for such a body`, async () => {
      const world = await freshWorld();
      const ends: Answer[] = [];
      world.network.send(world.network.request(node(1), 'info', {}, [], 10_000), (answer) =>
        ends.push(answer),
      );
      world.answerAll({ status: 200, type: 'application/json', body: bytes() });
      expect(ends.map(({ ok, status }) => [ok, errorName(status)])).to.deep.equal([
        [false, 'ERROR_FAILED_TO_PARSE'],
      ]);
      expect(ends[0]?.message).to.include(fault);
    });

  it('ends a request with ERROR_FAILED_TO_PARSE for whatever is larger than it reads', async () => {
    const world = await freshWorld();
    fc.assert(
      fc.property(huge, (bytes) => {
        const ends: Answer[] = [];
        const { network } = world;
        network.send(network.request(node(1), 'info', {}, [], 10_000), (answer) => ends.push(answer));
        world.answerAll({ status: 200, type: 'application/json', body: bytes });
        expect(ends.map(({ status }) => errorName(status))).to.deep.equal(['ERROR_FAILED_TO_PARSE']);
        expect(ends[0]?.message).to.include('too-large');
      }),
      { numRuns: 10, seed: 15 },
    );
  });

  it('takes no list of nodes that is none', () => {
    const world = new HostileWorld();
    fc.assert(
      fc.property(body, (bytes) => {
        const got: FetchResult[] = [];
        listFetcher(world.transport)(node(1), 10_000, (result) => got.push(result));
        world.answerAll({ status: 200, type: 'application/octet-stream', body: bytes });
        expect(got).to.have.length(1);
        if (bytes.length % 51 !== 0) expect(got[0]?.ok).to.equal(false);
      }),
      { numRuns: 300 },
    );
  });
});

/** The pool is old enough for a rejection to ask for a refresh. */
async function freshWorld(): Promise<HostileWorld> {
  const world = new HostileWorld();
  await world.clock.leap(10 * MINUTE_MS);
  return world;
}
