import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { stream } from '../../random/index.ts';
import { agentFor, awaitAddresses, createFleet } from '../index.ts';

describe('a fleet', () => {
  it('has clients with a name, an address and a chance each, the same in each repetition', () => {
    const fleet = () => createFleet('client-1', ['198.18.0.20', '198.18.1.20'], stream('7', 'fleet'));
    expect(fleet().map(({ name, index, address }) => [name, index, address])).to.deep.equal([
      ['client-1/1', 1, '198.18.0.20'],
      ['client-1/2', 2, '198.18.1.20'],
    ]);
    const draws = fleet().map(({ chance }) => chance.next());
    expect(draws[0]).not.to.equal(draws[1]);
    expect(fleet().map(({ chance }) => chance.next())).to.deep.equal(draws);
  });

  it('is seen as many callers by a server', async () => {
    const seen: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      seen.push(request.socket.remoteAddress);
      response.end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    for (const { address } of createFleet('c', ['127.0.0.31', '127.0.0.32'], stream('7', 'fleet'))) {
      const agent = agentFor(address);
      const [response] = (await once(get({ host: '127.0.0.1', port, agent: agent.http }), 'response')) as [
        IncomingMessage,
      ];
      response.resume();
      await once(response, 'end');
      agent.destroy();
    }
    server.close();
    expect(seen).to.deep.equal(['127.0.0.31', '127.0.0.32']);
  });

  it('waits for its addresses and says which is missing', async () => {
    const { signal } = new AbortController();
    await awaitAddresses(['127.0.0.31', '127.0.0.32'], { signal });
    const error = await awaitAddresses(['127.0.0.31', '198.51.100.7'], { signal, withinMs: 60 }).catch(
      (reason: unknown) => reason,
    );
    expect(error)
      .to.be.instanceOf(SquallError)
      .with.property('message')
      .that.matches(/^fleet: 198\.51\.100\.7 cannot be bound; expected all 2 addresses/);
  });

  it('stops waiting when it is told to', async () => {
    const stop = new AbortController();
    const waiting = awaitAddresses(['198.51.100.7'], { signal: stop.signal }).catch(
      (error: Error) => error.name,
    );
    stop.abort();
    expect(await waiting).to.equal('AbortError');
  });
});
