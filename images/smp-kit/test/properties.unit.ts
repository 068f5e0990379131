import { expect } from 'chai';
import fc from 'fast-check';
import { x25519Key } from '../../../harness/identity/index.ts';
import {
  BoxKey,
  type Command,
  encodeBlock,
  encodeCommand,
  encodeError,
  encodeServerMessage,
  formatServerAddress,
  openClientMessage,
  openDelivered,
  openForwarded,
  openSignedKey,
  type PublicKey,
  parseBlock,
  parseClientHello,
  parseClientMessage,
  parseCommand,
  parseServerAddress,
  parseServerHello,
  parseServerMessage,
  type SmpError,
  sealClientMessage,
  sealDelivered,
  sealForwarded,
  serverIdentity,
  signKey,
  unwrapAnswer,
  unwrapCommand,
  wrapAnswer,
  wrapCommand,
} from '../index.ts';

const octets = (count: number) =>
  fc.uint8Array({ minLength: count, maxLength: count }).map((bytes) => Buffer.from(bytes));
const some = (maxLength: number) => fc.uint8Array({ maxLength }).map((bytes) => Buffer.from(bytes));
const key: fc.Arbitrary<PublicKey> = fc.record({
  curve: fc.constantFrom('ed25519', 'x25519'),
  bytes: octets(32),
});
const password = fc.option(fc.stringMatching(/^[\x21-\x7e]{0,40}$/), { nil: undefined });
const host = fc.stringMatching(/^[a-z0-9.-]{1,40}$/);
const server = fc.record({
  hosts: fc.array(host, { minLength: 1, maxLength: 8 }),
  port: fc.integer({ min: 1, max: 65_535 }).map(String),
  fingerprint: octets(32),
});
const command: fc.Arbitrary<Command> = fc.oneof(
  fc.record({
    tag: fc.constant('NEW' as const),
    recipientKey: key,
    recipientDhKey: octets(32),
    basicAuth: password,
    subscribe: fc.boolean(),
    senderSecures: fc.boolean(),
  }),
  fc.record({ tag: fc.constantFrom('SUB' as const, 'OFF' as const, 'DEL' as const, 'PING' as const) }),
  fc.record({ tag: fc.constantFrom('KEY' as const, 'SKEY' as const), senderKey: key }),
  fc.record({ tag: fc.constant('ACK' as const), messageId: some(255) }),
  fc.record({ tag: fc.constant('SEND' as const), notify: fc.boolean(), message: some(300) }),
  fc.record({ tag: fc.constant('PRXY' as const), server, basicAuth: password }),
  fc.record({
    tag: fc.constant('PFWD' as const),
    version: fc.integer({ min: 0, max: 65_535 }),
    commandKey: octets(32),
    sealed: some(300),
  }),
  fc.record({ tag: fc.constant('RFWD' as const), sealed: some(300) }),
);
const plainError = fc.constantFrom<SmpError>(
  { tag: 'BLOCK' },
  { tag: 'AUTH' },
  { tag: 'QUOTA' },
  { tag: 'CMD', command: 'SYNTAX' },
  { tag: 'PROXY', proxy: { tag: 'NO_SESSION' } },
  { tag: 'PROXY', proxy: { tag: 'BROKER', broker: { tag: 'TIMEOUT' } } },
  { tag: 'PROXY', proxy: { tag: 'BROKER', broker: { tag: 'UNEXPECTED', text: 'OK' } } },
  { tag: 'PROXY', proxy: { tag: 'BROKER', broker: { tag: 'TRANSPORT', transport: 'VERSION' } } },
);
const error: fc.Arbitrary<SmpError> = fc.oneof(
  plainError,
  plainError.map((inner): SmpError => ({ tag: 'PROXY', proxy: { tag: 'PROTOCOL', error: inner } })),
);
/** Bytes of anybody: noise, or something well formed with some of its bytes changed or cut off. */
const hostile = fc.oneof(
  some(400),
  fc
    .tuple(
      command,
      fc.array(fc.tuple(fc.nat(200), fc.integer({ min: 0, max: 255 })), { maxLength: 4 }),
      fc.nat(200),
    )
    .map(([one, changes, cut]) => {
      const bytes = encodeCommand(one);
      for (const [at, value] of changes) if (at < bytes.length) bytes.writeUInt8(value, at);
      return bytes.subarray(0, Math.max(0, bytes.length - (cut % 50)));
    }),
  error.chain((one) =>
    fc.nat(30).map((cut) => Buffer.concat([Buffer.from('ERR '), encodeError(one)]).subarray(0, 40 - cut)),
  ),
);

describe('the grammar of SMP', () => {
  it('reads every command that it writes', () => {
    fc.assert(
      fc.property(command, (one) => {
        expect(parseCommand(encodeCommand(one))).to.deep.equal(one);
      }),
    );
  });

  it('reads every error that it writes', () => {
    fc.assert(
      fc.property(error, (one) => {
        expect(parseServerMessage(encodeServerMessage({ tag: 'ERR', error: one }))).to.deep.equal({
          tag: 'ERR',
          error: one,
        });
      }),
    );
  });

  it('reads every block that it writes', () => {
    const transmission = fc.record({
      authorization: fc.constantFrom(0, 64, 80).chain(octets),
      correlationId: octets(24),
      entityId: some(255),
      content: some(500),
    });
    fc.assert(
      fc.property(fc.array(transmission, { minLength: 1, maxLength: 15 }), (all) => {
        const read = parseBlock(encodeBlock(all))?.map((one) => one && { ...one, signed: undefined });
        expect(read).to.deep.equal(all.map((one) => ({ ...one, signed: undefined })));
      }),
    );
  });

  it('takes bytes of anybody for what they are, and never for a reason to throw', () => {
    fc.assert(
      fc.property(hostile, (bytes) => {
        const [one, message] = [parseCommand(bytes), parseServerMessage(bytes)];
        // Whatever was read can be written, and reads the same again.
        if (typeof one !== 'string') expect(parseCommand(encodeCommand(one))).to.deep.equal(one);
        if (typeof message !== 'string') encodeServerMessage(message);
        parseBlock(bytes);
        parseServerHello(bytes);
        parseClientHello(bytes);
        parseClientMessage(bytes);
      }),
      { numRuns: 300 },
    );
  });
});

describe('what is sealed', () => {
  const [one, other] = [x25519Key(Buffer.alloc(32, 1)), x25519Key(Buffer.alloc(32, 2))];
  const mine = new BoxKey(one, other.publicKey);
  const theirs = new BoxKey(other, one.publicKey);
  const stranger = new BoxKey(x25519Key(Buffer.alloc(32, 3)), one.publicKey);

  it('comes out at the other end, through proxy and relay and between clients, and nowhere else', () => {
    fc.assert(
      fc.property(
        octets(24),
        octets(24),
        some(500),
        fc.option(key, { nil: undefined }),
        (nonce, inner, body, senderKey) => {
          const transmission = {
            authorization: Buffer.alloc(0),
            correlationId: inner,
            entityId: nonce,
            content: body,
          };
          const sealed = sealForwarded(mine, nonce, transmission);
          expect(sealed.length).to.equal(16_242 + 16);
          expect(openForwarded(theirs, nonce, sealed)).to.deep.include(transmission);
          expect(openForwarded(stranger, nonce, sealed)).to.equal('CRYPTO');

          const forwarded = { correlationId: inner, version: 10, commandKey: one.publicKey, sealed: body };
          const wrapped = wrapCommand(mine, nonce, { ...forwarded, commandKey: Buffer.from(one.publicKey) });
          expect(unwrapCommand(theirs, nonce, wrapped)).to.deep.equal({
            ...forwarded,
            commandKey: Buffer.from(one.publicKey),
          });
          expect(unwrapAnswer(theirs, nonce, wrapAnswer(mine, nonce, inner, body))).to.deep.equal(body);
          expect(unwrapAnswer(stranger, nonce, wrapAnswer(mine, nonce, inner, body))).to.equal(undefined);

          const delivered = { kind: 'message', sentAtS: 1_760_000_000, notify: true, message: body } as const;
          const message = sealDelivered(mine, nonce, delivered);
          expect(message.length).to.equal(16_082 + 16);
          expect(openDelivered(theirs, nonce, message)).to.deep.equal(delivered);

          for (const dhKey of [undefined, Buffer.from(one.publicKey)]) {
            const between = parseClientMessage(sealClientMessage(mine, nonce, { senderKey, body }, dhKey));
            expect(between?.senderDhKey).to.deep.equal(dhKey);
            expect(between && openClientMessage(theirs, between)).to.deep.equal({ senderKey, body });
            expect(between && openClientMessage(stranger, between)).to.equal(undefined);
          }
        },
      ),
      { numRuns: 10 },
    );
  });

  it('tells a recipient that senders were turned away', () => {
    const quota = { kind: 'quota', sentAtS: 1_760_000_000 } as const;
    const nonce = Buffer.alloc(24, 1);
    expect(openDelivered(theirs, nonce, sealDelivered(mine, nonce, quota))).to.deep.equal(quota);
  });

  it('is an empty message too, between clients of the largest size', () => {
    const nonce = Buffer.alloc(24, 1);
    const largest = Buffer.alloc(16_016 - 3, 7);
    const sealed = sealClientMessage(mine, nonce, { senderKey: undefined, body: largest });
    expect(sealed.length).to.be.at.most(16_064);
    const read = parseClientMessage(sealed);
    expect(read && openClientMessage(theirs, read)?.body.length).to.equal(largest.length);
  });
});

describe('a server’s identity', () => {
  const identity = serverIdentity('7', 'relay-1');

  it('follows from seed and name, and differs with either', () => {
    const again = serverIdentity('7', 'relay-1');
    expect(again.chainPem).to.equal(identity.chainPem);
    for (const other of [serverIdentity('8', 'relay-1'), serverIdentity('7', 'relay-2')]) {
      expect(Buffer.from(other.fingerprint).equals(identity.fingerprint)).to.equal(false);
    }
  });

  it('is in its address, in both forms', () => {
    const address = parseServerAddress('relay-1@198.18.0.2', '7');
    const text = formatServerAddress(address);
    expect(text).to.match(/^smp:\/\/[A-Za-z0-9_-]{43}=@198\.18\.0\.2:5223$/);
    expect(formatServerAddress(parseServerAddress(text, 'another seed'))).to.equal(text);
    for (const bad of ['relay-1', '@r', 'relay-1@r:99999', 'relay-1@r:0', 'smp://abc@r', 'smp://r']) {
      expect(() => parseServerAddress(bad, '7'), bad).to.throw('not understood');
    }
  });

  it('is not believed of certificates and signed keys that are none', () => {
    fc.assert(
      fc.property(some(200), (bytes) => {
        expect(openSignedKey([bytes, ...identity.chain], bytes, identity.fingerprint)).to.equal(undefined);
        expect(openSignedKey(identity.chain, bytes, identity.fingerprint)).to.equal(undefined);
      }),
      { numRuns: 20 },
    );
  });

  it('signs a key that nobody else could have signed', () => {
    const session = x25519Key(Buffer.alloc(32, 5));
    const signed = signKey(session.publicKey, identity.onlineKey);
    const opened = openSignedKey(identity.chain, signed, identity.fingerprint);
    expect(opened && Buffer.from(opened).equals(session.publicKey)).to.equal(true);
    const other = serverIdentity('7', 'relay-2');
    expect(openSignedKey(identity.chain, signed, other.fingerprint), 'another server').to.equal(undefined);
    const forged = signKey(session.publicKey, other.onlineKey);
    expect(openSignedKey(identity.chain, forged, identity.fingerprint), 'another signer').to.equal(undefined);
    const [online = Buffer.alloc(0)] = other.chain;
    const mixed = [online, ...identity.chain.slice(1)];
    expect(openSignedKey(mixed, forged, identity.fingerprint), 'another online certificate').to.equal(
      undefined,
    );
    const alone = identity.chain.slice(0, 1);
    expect(openSignedKey(alone, signed, identity.fingerprint), 'no offline certificate').to.equal(undefined);
  });
});
