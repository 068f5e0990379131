import { randomBytes } from 'node:crypto';
import {
  type DestinationServer,
  encodeClientHello,
  encodeCommand,
  encodePublicKey,
  pad,
  type ServerAddress,
  SIZE,
  wrapCommand,
} from '../../smp-kit/index.ts';
import { RawClient, sendPlain } from './raw-client.ts';
import type { RawQueue } from './raw-queue.ts';

/** Something that a stranger tries, and what has to come of it: an error by its words, or the end of the connection. */
export interface HostileTry {
  readonly name: string;
  readonly expected: RegExp;
  run(address: ServerAddress): Promise<string>;
}

/** Over a session: one block or transmission. */
export interface HostileRequest {
  readonly name: string;
  readonly expected: string;
  ask(client: Awaited<ReturnType<typeof RawClient.join>>): Promise<string>;
}

const noise = (sizeBytes: number) => randomBytes(sizeBytes);
const CUT = /./;

/** Each takes a connection of its own and loses it. */
export const HOSTILE_CONNECTIONS: readonly HostileTry[] = [
  { name: 'bytes that are no TLS', expected: /^closed$/, run: (address) => sendPlain(address, noise(2_000)) },
  {
    name: 'noise in the place of the hello',
    expected: CUT,
    run: async (address) => {
      const client = await RawClient.connect(address);
      client.stream.send(noise(SIZE.block));
      return await client.stream.closed;
    },
  },
  {
    name: 'a hello for another server',
    expected: CUT,
    run: async (address) => {
      const client = await RawClient.connect(address);
      const fingerprint = Buffer.alloc(32, 1);
      client.stream.send(encodeClientHello({ version: 10, fingerprint, clientKey: undefined }));
      return await client.stream.closed;
    },
  },
  {
    name: 'a version that was not offered',
    expected: CUT,
    run: async (address) => {
      const client = await RawClient.connect(address);
      const { fingerprint } = address;
      client.stream.send(encodeClientHello({ version: 6, fingerprint, clientKey: undefined }));
      return await client.stream.closed;
    },
  },
  {
    name: 'a key of small order in the hello',
    expected: CUT,
    run: async (address) => {
      const client = await RawClient.connect(address);
      const { fingerprint } = address;
      client.stream.send(encodeClientHello({ version: 10, fingerprint, clientKey: Buffer.alloc(32) }));
      return await client.stream.closed;
    },
  },
  {
    name: 'the end in the middle of the hello',
    expected: CUT,
    run: async (address) => (await RawClient.connect(address)).end(noise(100)),
  },
  {
    name: 'the end in the middle of a block',
    expected: CUT,
    run: async (address) => (await RawClient.join(address)).end(noise(16_000)),
  },
];

const key = (fill: number): Buffer => {
  const encoded = encodePublicKey({ curve: 'x25519', bytes: Buffer.alloc(32, fill) });
  return Buffer.concat([Buffer.of(encoded.length), encoded]);
};
const small = encodePublicKey({ curve: 'x25519', bytes: Buffer.alloc(32) });
const forwarded = (sizeBytes: number) =>
  encodeCommand({ tag: 'PFWD', version: 10, commandKey: Buffer.alloc(32, 9), sealed: noise(sizeBytes) });

/** Each is answered, and the session goes on. */
export const HOSTILE_REQUESTS: readonly HostileRequest[] = [
  {
    name: 'a block of noise',
    expected: 'BLOCK',
    ask: (client) => client.askBlock(withLength(noise(SIZE.block), 9_000)),
  },
  {
    name: 'a length beyond the block',
    expected: 'BLOCK',
    ask: (client) => client.askBlock(withLength(noise(SIZE.block), 65_535)),
  },
  {
    name: 'a block without transmissions',
    expected: 'BLOCK',
    ask: (client) => client.askBlock(pad(Buffer.of(0), SIZE.block)),
  },
  {
    name: 'a transmission shorter than its ids',
    expected: 'BLOCK',
    ask: (client) => client.askBlock(pad(Buffer.from('0100020040', 'hex'), SIZE.block)),
  },
  {
    name: 'an authorization of a size that none has',
    expected: 'BLOCK',
    ask: (client) => client.ask('PING', { authorization: noise(63) }),
  },
  {
    name: 'a correlation id of another length',
    expected: 'BLOCK',
    ask: (client) => client.ask('PING', { correlationId: noise(255) }),
  },
  {
    name: 'a command that there is not',
    expected: 'CMD UNKNOWN',
    ask: (client) => client.ask(noise(40).fill('A', 0, 8)),
  },
  {
    name: 'a command without its parameters',
    expected: 'CMD SYNTAX',
    ask: (client) => client.ask('NEW ', { authorization: noise(64) }),
  },
  {
    name: 'a queue with a key of small order',
    expected: 'AUTH',
    ask: (client) =>
      client.ask(
        Buffer.concat([Buffer.from('NEW '), key(5), Buffer.of(small.length), small, Buffer.from('0SF')]),
        {
          authorization: noise(80),
        },
      ),
  },
  {
    name: 'a queue that there is not',
    expected: 'AUTH',
    ask: (client) => client.ask('SUB', { authorization: noise(80), entityId: noise(24) }),
  },
  {
    name: 'a message to a queue that there is not',
    expected: 'AUTH',
    ask: (client) => client.ask('SEND T hello', { entityId: noise(255) }),
  },
  {
    name: 'a session with a relay that there is not',
    expected: 'PROXY NO_SESSION',
    ask: (client) => client.ask(forwarded(16_258), { entityId: noise(32) }),
  },
  {
    name: 'a relay at no host',
    expected: 'CMD SYNTAX',
    ask: (client) =>
      client.ask(
        Buffer.concat([
          Buffer.from('PRXY '),
          Buffer.from('01000435323233', 'hex'),
          Buffer.of(32),
          noise(32),
          Buffer.from('0'),
        ]),
      ),
  },
  {
    name: 'a forwarded command of one who is no proxy',
    expected: 'PROXY BROKER TRANSPORT NO_AUTH',
    ask: (client) => client.ask(Buffer.concat([Buffer.from('RFWD '), noise(500)])),
  },
];

/** As a proxy. */
export const HOSTILE_FORWARDS: readonly HostileRequest[] = [
  {
    name: 'a forwarded command of noise',
    expected: 'CRYPTO',
    ask: (proxy) => proxy.ask(Buffer.concat([Buffer.from('RFWD '), noise(16_000)])),
  },
  { name: 'a forwarded command of nothing', expected: 'CRYPTO', ask: (proxy) => proxy.ask('RFWD ') },
  {
    name: 'noise in the right box',
    expected: 'CMD SYNTAX',
    ask: (proxy) => {
      const sealed = proxy.box?.seal(Buffer.alloc(24, 3), noise(100)) ?? noise(100);
      return proxy.ask(Buffer.concat([Buffer.from('RFWD '), sealed]));
    },
  },
  {
    name: 'noise in the place of the client’s box',
    expected: 'CRYPTO',
    ask: (proxy) => {
      const command = {
        correlationId: noise(24),
        version: 10,
        commandKey: Buffer.alloc(32, 9),
        sealed: noise(16_000),
      };
      const sealed = proxy.box ? wrapCommand(proxy.box, Buffer.alloc(24, 3), command) : noise(100);
      return proxy.ask(Buffer.concat([Buffer.from('RFWD '), sealed]));
    },
  },
];

/** Over a session, about a queue of somebody else's. */
export interface HostileSend {
  readonly name: string;
  readonly expected: string;
  ask(client: RawClient, queue: RawQueue): Promise<string>;
}

export const HOSTILE_SENDS: readonly HostileSend[] = [
  {
    name: 'a message longer than any may be',
    expected: 'LARGE_MSG',
    ask: (client, { senderId }) => {
      const message = noise(SIZE.message + 1);
      return client.ask(encodeCommand({ tag: 'SEND', notify: false, message }), { entityId: senderId });
    },
  },
  {
    name: 'the recipient’s own authorization, given in another session',
    expected: 'AUTH',
    ask: (client, queue) => client.askBlock(queue.authorized({ tag: 'SUB' })),
  },
  {
    name: 'a deletion with that',
    expected: 'AUTH',
    ask: (client, queue) => client.askBlock(queue.authorized({ tag: 'DEL' })),
  },
];

/** A relay that a stranger has the proxy connect to, each time another one as far as the proxy knows. */
export interface HostileRelay {
  readonly name: string;
  readonly expected: string;
  /** @param server some server that the proxy reaches, be it the proxy itself */
  relay(server: ServerAddress): DestinationServer;
}

export const HOSTILE_RELAYS: readonly HostileRelay[] = [
  {
    name: 'a relay that is somebody else',
    expected: 'PROXY BROKER NETWORK',
    relay: (server) => ({ ...server, fingerprint: noise(32) }),
  },
  {
    name: 'a relay at a port where nobody listens',
    expected: 'PROXY BROKER NETWORK',
    relay: (server) => ({ ...server, port: '1', fingerprint: noise(32) }),
  },
  {
    name: 'a relay behind Tor',
    expected: 'PROXY BROKER HOST',
    relay: (server) => ({ ...server, hosts: [`${noise(28).toString('hex')}.onion`], fingerprint: noise(32) }),
  },
];

/** PRXY, for a relay that the proxy has not heard of. */
export const sessionWith = (server: DestinationServer): Buffer =>
  encodeCommand({ tag: 'PRXY', server, basicAuth: undefined });

/** As many sessions with relays that never speak as a client may wait for, and then it leaves. */
export async function stall(
  proxy: ServerAddress,
  silent: Pick<DestinationServer, 'hosts' | 'port'>,
  relays: number,
): Promise<void> {
  const client = await RawClient.join(proxy);
  for (let asked = 0; asked < relays; asked += 1) {
    client.tell(sessionWith({ ...silent, fingerprint: noise(32) }));
  }
  // What was sent has been taken in when this is answered; the slots leave room for it.
  await client.ask('PING');
  client.close();
  await client.stream.closed;
}

function withLength(block: Buffer, length: number): Buffer {
  block.writeUInt16BE(length);
  return block;
}
