import { expect } from 'chai';
import fc from 'fast-check';
import { buildOnion, type ListenerRequest, NodeTransport, PATH, written } from '../../session-kit/index.ts';
import { body, huge, REFUSED, request, wrongTypes } from '../../session-kit/test/hostile-bodies.ts';
import { testClock } from '../../session-kit/test/in-process.ts';
import { signedHeaders } from '../node-signature.ts';
import { Bed } from './bed.ts';
import { identity, singleNode } from './single-node.ts';

describe('a storage node among strangers', function () {
  this.timeout(30_000);

  const hop = { ed25519: identity.ed25519, x25519: identity.x25519Key.publicKey };
  const { ed25519 } = identity;

  it('answers ten thousand generated bodies, and every answer has a status of its protocol', async () => {
    const node = singleNode(testClock());
    const statuses = new Map<string, number>();
    const ask = async (
      path: string,
      bytes: Buffer,
      headers: ListenerRequest['headers'] = {},
    ): Promise<string> => {
      const answer = await node.answer({
        method: 'POST',
        path,
        body: bytes,
        headers,
        from: '127.9.9.9',
        connection: 1,
      });
      if (answer === 'cut') throw new Error('cut');
      const text = String(written(answer).bytes.subarray(0, 200));
      if (written(answer).bytes.length > 100_000) throw new Error(`${path}: a large answer`);
      const seen = `${path} ${answer.status}`;
      statuses.set(seen, (statuses.get(seen) ?? 0) + 1);
      return text;
    };
    const refused = async (bytes: Buffer, fault: string): Promise<void> => {
      const before = statuses.get(`${PATH.rpc} 400`) ?? 0;
      expect(await ask(PATH.rpc, bytes)).to.match(new RegExp(`^invalid request: ${fault}: `));
      expect(statuses.get(`${PATH.rpc} 400`)).to.equal(before + 1);
    };
    await fc.assert(
      fc.asyncProperty(body, fc.nat(19), async (bytes, what) => {
        await ask(PATH.rpc, bytes);
        if (what === 0) await ask(PATH.onion, bytes);
        if (what === 1) await ask(PATH.swarmData, bytes);
        if (what === 2)
          await ask(PATH.swarmCommand, bytes, signedHeaders(identity, ed25519, PATH.swarmCommand, bytes));
        if (what === 3)
          await ask(PATH.swarmData, bytes, signedHeaders(identity, ed25519, PATH.swarmData, bytes));
      }),
      { numRuns: 10_000, seed: 11 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          body,
          request.map((json) => Buffer.from(JSON.stringify(json))),
        ),
        async (bytes) => {
          await ask(PATH.onion, buildOnion(bytes, { kind: 'node', node: hop }, [], 'aes-gcm').body);
        },
      ),
      { numRuns: 100, seed: 12 },
    );
    // All that is refused unread is refused as a bad request, which says by name what is wrong with it.
    for (const [fault, bytes] of Object.entries(REFUSED)) await refused(bytes(), fault);
    await fc.assert(
      fc.asyncProperty(huge, (bytes) => refused(bytes, 'too-large')),
      { numRuns: 20, seed: 13 },
    );
    await fc.assert(
      fc.asyncProperty(wrongTypes, (bytes) => refused(bytes, 'wrong-shape')),
      { numRuns: 300, seed: 14 },
    );
    const known = new Set(['200', '400', '401', '403', '404', '406', '421', '500']);
    for (const seen of statuses.keys()) expect(known.has(seen.split(' ')[1] ?? ''), seen).to.equal(true);
    for (const seen of [
      `${PATH.rpc} 200`,
      `${PATH.rpc} 400`,
      `${PATH.onion} 400`,
      `${PATH.onion} 200`,
      `${PATH.swarmData} 403`,
      `${PATH.swarmCommand} 400`,
    ]) {
      expect(statuses.get(seen) ?? 0, seen).to.be.above(20);
    }
    await node.stop();
  });

  it('goes on after connections that are cut, stall, or speak no HTTP, and after bodies that are too large', async () => {
    const bed = await Bed.start({ count: 1, swarmSize: 1 });
    const { target } = bed.node('storage-1');
    const client = new NodeTransport({ clock: bed.clock, handshakeTimeoutMs: 60_000 });
    const large = await client
      .request(target, PATH.rpc, Buffer.alloc(10 * 1024 ** 2 + 1, 0x20), { timeoutMs: 60_000 })
      .then(
        ({ status }) => status,
        () => 'cut',
      );
    expect(large).to.be.oneOf([413, 'cut']);
    for (const path of ['/nowhere', '/storage_rpc/v1/../..', '//', '/%00']) {
      expect((await client.request(target, path, '{}', { timeoutMs: 60_000 })).status).to.equal(404);
    }
    expect((await client.request(target, PATH.swarmData, '{}', { timeoutMs: 60_000 })).status).to.equal(403);
    expect((await bed.ask('storage-1', { method: 'info', params: {} })).status).to.equal(200);
    client.close();
    await bed.stop();
  });
});
