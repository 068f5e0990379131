import { expect } from 'chai';
import {
  type ClientFailure,
  createSmpListener,
  errorText,
  forwardCommand,
  parseServerAddress,
  requestProxiedRelay,
  type ServerMessage,
  serverIdentity,
} from '../../smp-kit/index.ts';
import { proxyError } from '../proxy-commands.ts';
import { SEED, SOON_MS, send, TestBed } from './in-process.ts';

describe('what a proxy tells its client of a relay', () => {
  for (const [failure, words] of [
    [{ kind: 'protocol', error: { tag: 'AUTH' } }, 'PROXY PROTOCOL AUTH'],
    [{ kind: 'protocol', error: { tag: 'CMD', command: 'SYNTAX' } }, 'PROXY PROTOCOL CMD SYNTAX'],
    [
      { kind: 'protocol', error: { tag: 'PROXY', proxy: { tag: 'NO_SESSION' } } },
      'PROXY PROTOCOL PROXY NO_SESSION',
    ],
    [{ kind: 'response', error: { tag: 'CMD', command: 'UNKNOWN' } }, 'PROXY BROKER RESPONSE CMD UNKNOWN'],
    [{ kind: 'unexpected', text: 'OK' }, 'PROXY BROKER UNEXPECTED OK'],
    [{ kind: 'timeout' }, 'PROXY BROKER TIMEOUT'],
    [{ kind: 'network', detail: 'connect ECONNREFUSED 198.18.0.2:5223' }, 'PROXY BROKER NETWORK'],
    [{ kind: 'host' }, 'PROXY BROKER HOST'],
    [{ kind: 'transport', transport: 'VERSION' }, 'PROXY BROKER TRANSPORT VERSION'],
    [{ kind: 'transport', transport: 'HANDSHAKE IDENTITY' }, 'PROXY BROKER TRANSPORT HANDSHAKE IDENTITY'],
    [{ kind: 'crypto' }, 'CRYPTO'],
  ] as const satisfies readonly (readonly [ClientFailure, string])[]) {
    it(`is ${words}`, () => {
      expect(errorText(proxyError(failure))).to.equal(words);
    });
  }

  const bed = new TestBed();
  after(() => bed.close());

  /** What comes of a forward to a relay that answers every command so. */
  async function forwardedTo(name: string, answer: ServerMessage): Promise<string> {
    const listener = await createSmpListener({
      host: '127.0.0.1',
      port: 0,
      identity: serverIdentity(SEED, name),
      clock: bed.clock,
      helloTimeoutMs: SOON_MS,
      connectionsMax: 10,
      onPeer: async (peer) => {
        for (let batch = await peer.next(); batch; batch = await peer.next()) {
          for (const one of batch) if (one) peer.send(answer, one.entityId, one.correlationId);
        }
      },
      onRefused: () => undefined,
    });
    bed.later(() => listener.close());
    const relay = parseServerAddress(`${name}@127.0.0.1:${listener.port}`, SEED);
    const client = await bed.connect((await bed.serve('proxy-1')).address);
    const route = await requestProxiedRelay(client, relay, { timeoutMs: SOON_MS });
    const options = { entityId: Buffer.alloc(24), timeoutMs: SOON_MS };
    const answered = await forwardCommand(client, route, send('x'), options);
    if (answered.from === 'relay') return `relay ${answered.message.tag}`;
    return answered.failure.kind === 'protocol' ? errorText(answered.failure.error) : answered.failure.kind;
  }

  it('is PROXY PROTOCOL with the relay’s own error, where the relay refuses what is handed on', async () => {
    expect(await forwardedTo('relay-1', { tag: 'ERR', error: { tag: 'INTERNAL' } })).to.equal(
      'PROXY PROTOCOL INTERNAL',
    );
  });

  it('is PROXY BROKER UNEXPECTED, where the relay answers something else', async () => {
    expect(await forwardedTo('relay-2', { tag: 'PONG' })).to.equal('PROXY BROKER UNEXPECTED PONG');
  });
});
