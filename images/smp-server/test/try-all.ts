import { expect } from 'chai';
import type { DestinationServer, ServerAddress } from '../../smp-kit/index.ts';
import {
  HOSTILE_CONNECTIONS,
  HOSTILE_FORWARDS,
  HOSTILE_RELAYS,
  HOSTILE_REQUESTS,
  HOSTILE_SENDS,
  sessionWith,
  stall,
} from './hostile-tries.ts';
import { RawClient } from './raw-client.ts';
import { RawQueue } from './raw-queue.ts';

const PER_ROUND = [HOSTILE_CONNECTIONS, HOSTILE_REQUESTS, HOSTILE_FORWARDS, HOSTILE_SENDS, HOSTILE_RELAYS];
/** Tries of a round. */
export const ROUND = PER_ROUND.reduce((sum, { length }) => sum + length, 0);
/** Relays that one client has the proxy wait for, below the slots that it has. */
const STALLED = 8;

/**
 * Every hostile try, `rounds` times, one after the other, with a new session every ten rounds.
 * @param silent a place where connections hang; each session then leaves some behind that are being made
 */
export async function tryAll(
  address: ServerAddress,
  rounds: number,
  silent?: Pick<DestinationServer, 'hosts' | 'port'>,
): Promise<void> {
  for (let done = 0; done < rounds; done += 10) {
    const client = await RawClient.join(address);
    const proxy = await RawClient.join(address, true);
    const queue = await RawQueue.make(address);
    for (let round = done; round < Math.min(done + 10, rounds); round += 1) {
      for (const { name, expected, run } of HOSTILE_CONNECTIONS) {
        expect(await run(address), name).to.match(expected);
      }
      for (const { name, expected, ask } of HOSTILE_REQUESTS)
        expect(await ask(client), name).to.equal(expected);
      for (const { name, expected, ask } of HOSTILE_FORWARDS)
        expect(await ask(proxy), name).to.equal(expected);
      for (const { name, expected, ask } of HOSTILE_SENDS)
        expect(await ask(client, queue), name).to.equal(expected);
      for (const { name, expected, relay } of HOSTILE_RELAYS)
        expect(await client.ask(sessionWith(relay(address))), name).to.equal(expected);
    }
    if (silent) await stall(address, silent, STALLED);
    expect(await queue.remove(), 'the queue was its recipient’s all the time').to.equal('OK');
    client.close();
    proxy.close();
    await Promise.all([client.stream.closed, proxy.stream.closed]);
  }
}
