import { expect } from 'chai';
import type { ServerAddress } from '../../smp-kit/index.ts';
import { HOSTILE_CONNECTIONS, HOSTILE_FORWARDS, HOSTILE_REQUESTS } from './hostile-tries.ts';
import { RawClient } from './raw-client.ts';

/** Every hostile try, `rounds` times, one after the other, with a new session every ten rounds. */
export async function tryAll(address: ServerAddress, rounds: number): Promise<void> {
  for (let done = 0; done < rounds; done += 10) {
    const client = await RawClient.join(address);
    const proxy = await RawClient.join(address, true);
    for (let round = done; round < Math.min(done + 10, rounds); round += 1) {
      for (const { name, expected, run } of HOSTILE_CONNECTIONS) {
        expect(await run(address), name).to.match(expected);
      }
      for (const { name, expected, ask } of HOSTILE_REQUESTS)
        expect(await ask(client), name).to.equal(expected);
      for (const { name, expected, ask } of HOSTILE_FORWARDS)
        expect(await ask(proxy), name).to.equal(expected);
    }
    client.close();
    proxy.close();
    await Promise.all([client.stream.closed, proxy.stream.closed]);
  }
}
