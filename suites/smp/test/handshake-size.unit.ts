import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { expect } from 'chai';
import { systemClock } from '../../../harness/clock/index.ts';
import {
  connectSmp,
  createSmpListener,
  parseServerAddress,
  type SmpListener,
  serverIdentity,
} from '../../../images/smp-kit/index.ts';
import { HANDSHAKE_BYTES } from '../bed.ts';

const SEED = '7';
const SOON_MS = 10_000;
/** A block of the protocol; in TLS it is one record, a few bytes longer. */
const BLOCK_BYTES = 16_384;

/** A relay that answers PONG to everything. */
async function relay(): Promise<SmpListener> {
  return await createSmpListener({
    host: '127.0.0.1',
    port: 0,
    identity: serverIdentity(SEED, 'relay-1'),
    clock: systemClock(),
    helloTimeoutMs: SOON_MS,
    connectionsMax: 2,
    onPeer: async (peer) => {
      for (let batch = await peer.next(); batch; batch = await peer.next()) {
        for (const one of batch) peer.send({ tag: 'PONG' }, one?.entityId, one?.correlationId);
      }
    },
    onRefused: () => undefined,
  });
}

/** Passes a connection on, and counts what passes each way. */
async function counting(toPort: number) {
  const bytes = { up: 0, down: 0 };
  const sockets: Socket[] = [];
  const server = createServer((client) => {
    const onward = connect(toPort, '127.0.0.1');
    sockets.push(client, onward);
    client.on('data', (data) => {
      bytes.up += data.length;
      onward.write(data);
    });
    onward.on('data', (data) => {
      bytes.down += data.length;
      client.write(data);
    });
    for (const socket of [client, onward]) socket.on('error', () => socket.destroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    bytes,
    port: (server.address() as AddressInfo).port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

describe('the bytes after which the black hole begins', () => {
  it('are more than the handshakes take each way, and less than they and one block', async () => {
    const listener = await relay();
    const way = await counting(listener.port);
    const address = parseServerAddress(`relay-1@127.0.0.1:${way.port}`, SEED);
    const connection = await connectSmp({
      address,
      clock: systemClock(),
      timeoutMs: SOON_MS,
      asProxy: true,
    });
    // The client's hello, a block, may still be on its way when the connection stands.
    while (way.bytes.up < BLOCK_BYTES) await new Promise((resolve) => setImmediate(resolve));
    const handshakes = { ...way.bytes };
    await connection.request({ tag: 'PING' }, { timeoutMs: SOON_MS });
    const withBlock = { ...way.bytes };
    connection.close();
    way.close();
    await listener.close();

    for (const direction of ['up', 'down'] as const) {
      const measured = `${direction}: ${handshakes[direction]} bytes, ${withBlock[direction]} with a block`;
      expect(handshakes[direction], measured).to.be.within(BLOCK_BYTES, HANDSHAKE_BYTES - 512);
      expect(withBlock[direction], measured).to.be.above(HANDSHAKE_BYTES + 512);
    }
  });
});
