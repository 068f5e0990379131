import { expect } from 'chai';
import { NodeTransport, PATH } from '../../session-kit/index.ts';
import { loopback, testClock } from '../../session-kit/test/in-process.ts';
import { RateLimit } from '../rate-limit.ts';
import { Bed, ownerIn } from './bed.ts';

describe('the rate limit', function () {
  this.timeout(30_000);

  it('lets 600 come at once and 300 a second after that, each caller for itself', async () => {
    const clock = testClock();
    const limit = new RateLimit({ clock, perSecond: 300, bucket: 600, callersMax: 100 });
    const granted = (caller: string, count: number): number =>
      Array.from({ length: count }, () => limit.take(caller)).filter((taken) => taken).length;
    expect([granted('a', 1_000), granted('b', 10)]).to.deep.equal([600, 10]);
    await clock.leap(1_000);
    expect(granted('a', 1_000)).to.equal(300);
    await clock.leap(3_600_000);
    expect(granted('a', 1_000)).to.equal(600);
  });

  it('forgets who has been silent longest when there are too many', () => {
    const limit = new RateLimit({ clock: testClock(), perSecond: 1, bucket: 1, callersMax: 2 });
    expect(['a', 'b', 'a', 'c', 'b'].map((caller) => limit.take(caller))).to.deep.equal([
      true,
      true,
      false,
      true,
      true,
    ]);
    expect(limit.callers).to.equal(2);
  });

  it('is one for all clients with the mutant, as if they came from one gateway', async () => {
    const answers = async (variant: string): Promise<readonly number[]> => {
      const bed = await Bed.start({
        count: 1,
        swarmSize: 1,
        environment: { SQUALL_RATE_BUCKET: '1', SQUALL_RATE_PER_SECOND: '0', SQUALL_VARIANT: variant },
      });
      const statuses: number[] = [];
      for (const client of [251, 252]) {
        const transport = new NodeTransport({
          clock: bed.clock,
          handshakeTimeoutMs: 60_000,
          localAddress: loopback(client),
        });
        const body = JSON.stringify({ method: 'info', params: {} });
        const { target } = bed.node('storage-1');
        statuses.push((await transport.request(target, PATH.rpc, body, { timeoutMs: 60_000 })).status);
        transport.close();
      }
      await bed.stop();
      return statuses;
    };
    expect(await answers('shipped')).to.deep.equal([200, 200]);
    expect(await answers('one-limit-for-all')).to.deep.equal([200, 429]);
  });

  it('counts clients by their addresses, answers 429, and is another one for nodes', async () => {
    const bed = await Bed.start({
      count: 2,
      swarmSize: 2,
      environment: { SQUALL_RATE_BUCKET: '5', SQUALL_RATE_PER_SECOND: '1' },
    });
    const owner = await ownerIn(bed, '1');
    const second = new NodeTransport({
      clock: bed.clock,
      handshakeTimeoutMs: 60_000,
      localAddress: loopback(251),
    });
    const ask = async (client: NodeTransport): Promise<number> => {
      const body = JSON.stringify({ method: 'info', params: {} });
      return (await client.request(bed.node('storage-1').target, PATH.rpc, body, { timeoutMs: 60_000 }))
        .status;
    };
    const answers: number[] = [];
    for (let index = 0; index < 7; index += 1) answers.push(await ask(bed.client));
    expect(answers).to.deep.equal([200, 200, 200, 200, 200, 429, 429]);
    expect(await ask(second)).to.equal(200);
    await bed.clock.leap(1_000);
    expect([await ask(bed.client), await ask(bed.client)]).to.deep.equal([200, 429]);
    expect((bed.state('storage-1')['statuses'] as Record<string, number>)['429']).to.equal(3);
    // What members hand on to each other is not limited with clients.
    for (let index = 0; index < 5; index += 1)
      expect((await bed.ask('storage-2', owner.store(`${index}`))).status).to.equal(200);
    expect(await bed.hashes('storage-1', owner.account)).to.have.length(5);
    second.close();
    await bed.stop();
  });
});
