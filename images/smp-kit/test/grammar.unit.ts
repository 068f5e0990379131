import { expect } from 'chai';
import {
  type Command,
  encodeBlock,
  encodeCommand,
  encodePublicKey,
  encodeServerMessage,
  errorText,
  NOTHING,
  pad,
  parseBlock,
  parseCommand,
  parsePublicKey,
  parseServerMessage,
  type SmpError,
  unpad,
} from '../index.ts';

const bytes = (value: number, count: number): Buffer => Buffer.alloc(count, value);
const ED25519_HEAD = '302a300506032b6570032100';
const X25519_HEAD = '302a300506032b656e032100';
const signKey = { curve: 'ed25519', bytes: bytes(1, 32) } as const;
const keyHex = (head: string, value: number): string => `2c${head}${bytes(value, 32).toString('hex')}`;
const text = (words: string): string => Buffer.from(words).toString('hex');

/** What the protocol text says a command looks like, in hexadecimal. */
const COMMANDS: readonly (readonly [string, Command, string])[] = [
  [
    'NEW without a password, subscribed, secured by the recipient',
    {
      tag: 'NEW',
      recipientKey: signKey,
      recipientDhKey: bytes(2, 32),
      basicAuth: undefined,
      subscribe: true,
      senderSecures: false,
    },
    `${text('NEW ')}${keyHex(ED25519_HEAD, 1)}${keyHex(X25519_HEAD, 2)}${text('0SF')}`,
  ],
  [
    'NEW with a password, created only, secured by the sender',
    {
      tag: 'NEW',
      recipientKey: signKey,
      recipientDhKey: bytes(2, 32),
      basicAuth: 'abc',
      subscribe: false,
      senderSecures: true,
    },
    `${text('NEW ')}${keyHex(ED25519_HEAD, 1)}${keyHex(X25519_HEAD, 2)}${text('1')}03${text('abcCT')}`,
  ],
  ['SUB', { tag: 'SUB' }, text('SUB')],
  ['PING', { tag: 'PING' }, text('PING')],
  ['KEY', { tag: 'KEY', senderKey: signKey }, `${text('KEY ')}${keyHex(ED25519_HEAD, 1)}`],
  [
    'SKEY with a key for authenticators',
    { tag: 'SKEY', senderKey: { curve: 'x25519', bytes: bytes(3, 32) } },
    `${text('SKEY ')}${keyHex(X25519_HEAD, 3)}`,
  ],
  ['ACK', { tag: 'ACK', messageId: bytes(9, 24) }, `${text('ACK ')}18${bytes(9, 24).toString('hex')}`],
  ['SEND', { tag: 'SEND', notify: true, message: Buffer.from('a b') }, text('SEND T a b')],
  [
    'PRXY with two hosts',
    {
      tag: 'PRXY',
      server: { hosts: ['r1', '10.0.0.1'], port: '5223', fingerprint: bytes(5, 32) },
      basicAuth: undefined,
    },
    `${text('PRXY ')}0202${text('r1')}08${text('10.0.0.1')}04${text('5223')}20${bytes(5, 32).toString('hex')}${text('0')}`,
  ],
  [
    'PFWD',
    { tag: 'PFWD', version: 10, commandKey: bytes(6, 32), sealed: Buffer.from('xyz') },
    `${text('PFWD ')}000a${keyHex(X25519_HEAD, 6)}${text('xyz')}`,
  ],
  ['RFWD', { tag: 'RFWD', sealed: Buffer.from('xyz') }, text('RFWD xyz')],
];

describe('commands of SMP', () => {
  for (const [name, command, encoded] of COMMANDS) {
    it(`writes and reads ${name} as the protocol text has it`, () => {
      expect(encodeCommand(command).toString('hex')).to.equal(encoded);
      expect(encodeCommand(parseCommand(Buffer.from(encoded, 'hex')) as Command).toString('hex')).to.equal(
        encoded,
      );
    });
  }

  it('tells what is unknown from what is wrong', () => {
    expect(parseCommand(Buffer.from('GIMME now'))).to.equal('UNKNOWN');
    expect(parseCommand(NOTHING)).to.equal('UNKNOWN');
    expect(parseCommand(Buffer.from('constructor'))).to.equal('UNKNOWN');
    expect(parseCommand(Buffer.from('SUB x'))).to.equal('SYNTAX');
    expect(parseCommand(Buffer.from('SEND X abc'))).to.equal('SYNTAX');
    expect(parseCommand(Buffer.from('KEY '))).to.equal('SYNTAX');
    const short = encodeCommand({ tag: 'KEY', senderKey: signKey }).subarray(0, 40);
    expect(parseCommand(short)).to.equal('SYNTAX');
  });

  it('keeps a message that begins with a space, and reserved flags out of it', () => {
    const read = (sent: string) => parseCommand(Buffer.from(sent));
    expect(read('SEND F  x')).to.deep.equal({ tag: 'SEND', notify: false, message: Buffer.from(' x') });
    expect(read('SEND Tfuture x')).to.deep.equal({ tag: 'SEND', notify: true, message: Buffer.from('x') });
  });
});

describe('messages of SMP servers', () => {
  it('writes IDS and MSG as the protocol text has them', () => {
    const ids = encodeServerMessage({
      tag: 'IDS',
      recipientId: bytes(1, 24),
      senderId: bytes(2, 24),
      serverDhKey: bytes(3, 32),
      senderSecures: false,
    });
    const id = (value: number) => `18${bytes(value, 24).toString('hex')}`;
    expect(ids.toString('hex')).to.equal(
      `${text('IDS ')}${id(1)}${id(2)}${keyHex(X25519_HEAD, 3)}${text('F')}`,
    );
    const msg = encodeServerMessage({ tag: 'MSG', messageId: bytes(4, 24), sealed: Buffer.from('abc') });
    expect(msg.toString('hex')).to.equal(`${text('MSG ')}${id(4)}${text('abc')}`);
  });

  it('writes PKEY as the protocol text has it', () => {
    const session = { sessionId: bytes(1, 32), versions: { min: 8, max: 17 }, signedKey: bytes(7, 3) };
    const pkey = encodeServerMessage({ tag: 'PKEY', ...session, chain: [bytes(5, 2), bytes(6, 1)] });
    expect(pkey.toString('hex')).to.equal(
      `${text('PKEY ')}20${bytes(1, 32).toString('hex')}0008001102${'0002'}0505${'0001'}06${'0003'}070707`,
    );
  });

  const ERRORS: readonly (readonly [string, SmpError])[] = [
    ['BLOCK', { tag: 'BLOCK' }],
    ['SESSION', { tag: 'SESSION' }],
    ['CMD SYNTAX', { tag: 'CMD', command: 'SYNTAX' }],
    ['CMD NO_ENTITY', { tag: 'CMD', command: 'NO_ENTITY' }],
    ['PROXY BASIC_AUTH', { tag: 'PROXY', proxy: { tag: 'BASIC_AUTH' } }],
    ['PROXY NO_SESSION', { tag: 'PROXY', proxy: { tag: 'NO_SESSION' } }],
    ['PROXY PROTOCOL AUTH', { tag: 'PROXY', proxy: { tag: 'PROTOCOL', error: { tag: 'AUTH' } } }],
    ['PROXY BROKER TIMEOUT', { tag: 'PROXY', proxy: { tag: 'BROKER', broker: { tag: 'TIMEOUT' } } }],
    ['PROXY BROKER NETWORK', { tag: 'PROXY', proxy: { tag: 'BROKER', broker: { tag: 'NETWORK' } } }],
    ['PROXY BROKER HOST', { tag: 'PROXY', proxy: { tag: 'BROKER', broker: { tag: 'HOST' } } }],
    [
      'PROXY BROKER TRANSPORT HANDSHAKE IDENTITY',
      {
        tag: 'PROXY',
        proxy: { tag: 'BROKER', broker: { tag: 'TRANSPORT', transport: 'HANDSHAKE IDENTITY' } },
      },
    ],
    ['AUTH', { tag: 'AUTH' }],
    ['QUOTA', { tag: 'QUOTA' }],
    ['LARGE_MSG', { tag: 'LARGE_MSG' }],
    ['INTERNAL', { tag: 'INTERNAL' }],
  ];
  for (const [words, error] of ERRORS) {
    it(`writes and reads ERR ${words}`, () => {
      const encoded = encodeServerMessage({ tag: 'ERR', error });
      expect(encoded.toString()).to.equal(`ERR ${words}`);
      expect(parseServerMessage(encoded)).to.deep.equal({ tag: 'ERR', error });
      expect(errorText(error)).to.equal(words);
    });
  }

  it('gives the text of RESPONSE and UNEXPECTED its length', () => {
    const error: SmpError = {
      tag: 'PROXY',
      proxy: { tag: 'BROKER', broker: { tag: 'RESPONSE', text: 'BLOCK' } },
    };
    const encoded = encodeServerMessage({ tag: 'ERR', error });
    expect(encoded.toString()).to.equal('ERR PROXY BROKER RESPONSE \x05BLOCK');
    expect(parseServerMessage(encoded)).to.deep.equal({ tag: 'ERR', error });
  });

  it('reads the detail that newer servers add to NETWORK, and no error inside errors without end', () => {
    const newer = parseServerMessage(Buffer.from('ERR PROXY BROKER NETWORK CONNECT \x03abc'));
    expect(newer).to.deep.equal({
      tag: 'ERR',
      error: { tag: 'PROXY', proxy: { tag: 'BROKER', broker: { tag: 'NETWORK' } } },
    });
    expect(parseServerMessage(Buffer.from(`ERR ${'PROXY PROTOCOL '.repeat(900)}AUTH`))).to.equal('SYNTAX');
  });
});

describe('blocks of SMP', () => {
  const transmission = {
    authorization: bytes(1, 64),
    correlationId: bytes(2, 24),
    entityId: bytes(3, 24),
    content: Buffer.from('SUB'),
  };

  it('are 16,384 bytes: a length, a count, and each transmission after its length, filled with #', () => {
    const block = encodeBlock([transmission, transmission]);
    expect(block.length).to.equal(16_384);
    const one = 1 + 64 + 1 + 24 + 1 + 24 + 3;
    expect(block.readUInt16BE(0)).to.equal(1 + 2 * (2 + one));
    expect(block.readUInt8(2)).to.equal(2);
    expect(block.readUInt16BE(3)).to.equal(one);
    expect(block.subarray(5, 7).toString('hex')).to.equal('4001');
    expect(block.subarray(3 + 2 * (2 + one)).every((byte) => byte === '#'.charCodeAt(0))).to.equal(true);
    const read = parseBlock(block);
    expect(read).to.have.length(2);
    expect(read?.[1]).to.deep.include({ entityId: transmission.entityId, content: transmission.content });
  });

  it('hold a message of 16,064 bytes with an authorization of either kind, and not one of 16,384', () => {
    for (const sizeBytes of [64, 80]) {
      const message = { tag: 'SEND', notify: true, message: bytes(0, 16_064) } as const;
      const sent = { ...transmission, authorization: bytes(1, sizeBytes), content: encodeCommand(message) };
      expect(parseBlock(encodeBlock([sent]))?.[0]?.content.length).to.equal(16_064 + 7);
    }
    expect(() => encodeBlock([{ ...transmission, content: bytes(0, 16_384) }])).to.throw('expected at most');
  });

  it('are refused when their lengths do not fit', () => {
    expect(unpad(Buffer.from('ffff00', 'hex'))).to.equal(undefined);
    expect(parseBlock(bytes(0xff, 16_384))).to.equal(undefined);
    expect(parseBlock(pad(Buffer.from('00', 'hex'), 16_384))).to.equal(undefined);
    expect(parseBlock(pad(Buffer.from('0200', 'hex'), 16_384))).to.equal(undefined);
    // A transmission whose ids run over its end is none; the one beside it still is.
    const broken = pad(Buffer.from('0200020040000400000058', 'hex'), 16_384);
    expect(parseBlock(broken)?.map((one) => one?.content.toString())).to.deep.equal([undefined, 'X']);
  });
});

describe('public keys', () => {
  it('are written as RFC 8410 has them, and nothing else is read as one', () => {
    const encoded = encodePublicKey({ curve: 'x25519', bytes: bytes(8, 32) });
    expect(encoded.toString('hex')).to.equal(X25519_HEAD + bytes(8, 32).toString('hex'));
    expect(parsePublicKey(encoded)).to.deep.equal({ curve: 'x25519', bytes: bytes(8, 32) });
    expect(() => parsePublicKey(bytes(0, 44))).to.throw('no public key');
    expect(() => parsePublicKey(encoded.subarray(1))).to.throw('no public key');
  });
});
