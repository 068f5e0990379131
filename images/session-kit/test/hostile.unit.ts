import { expect } from 'chai';
import fc from 'fast-check';
import {
  buildOnion,
  nodeIdentity,
  openAnswer,
  parseJson,
  parseNetworkList,
  parseNodeRecords,
  parseOnionBody,
  parseOpenedLayer,
  parseRetrieved,
  parseRpcBody,
  parseStored,
  parseSubrequests,
  readRedirect,
  readSubAnswers,
  WireError,
} from '../index.ts';

const METHODS = [
  'store',
  'retrieve',
  'delete',
  'expire',
  'expire_all',
  'delete_all',
  'get_expiries',
  'revoke_subaccount',
  'batch',
  'sequence',
  'ifelse',
  'get_swarm',
  'info',
  'constructor',
];
const NAMES = [
  'pubkey',
  'pubKey',
  'signature',
  'timestamp',
  'ttl',
  'expiry',
  'data',
  'namespace',
  'messages',
  'requests',
  'results',
  'snodes',
  'swarm',
  'hash',
  'code',
  'body',
  'revoke',
  'subaccount',
  'headers',
  'host',
  'enc_type',
  'ephemeral_key',
  '__proto__',
  'service_node_states',
];

const scalar = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    '',
    'all',
    `05${'a'.repeat(64)}`,
    'A'.repeat(88),
    -1,
    0.5,
    1.7e12,
    2 ** 53,
    2 ** 60,
    'a'.repeat(43),
  ),
  fc.string({ maxLength: 20 }),
  fc.integer(),
);
const value: fc.Arbitrary<unknown> = fc.letrec<{ node: unknown }>((tie) => ({
  node: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    scalar,
    fc.array(tie('node'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...NAMES), tie('node'), { maxKeys: 6 }),
  ),
})).node;
const request = fc.record({
  method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...METHODS) }, { weight: 1, arbitrary: scalar }),
  params: fc.oneof(
    { weight: 9, arbitrary: fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 10 }) },
    { weight: 1, arbitrary: value },
  ),
});
/** JSON as it is, cut off, with a byte turned, or no JSON at all. */
const body = fc.oneof(
  fc
    .tuple(fc.oneof(request, value), fc.nat(), fc.nat(), fc.constantFrom('whole', 'cut', 'turned'))
    .map(([json, at, bits, what]) => {
      const bytes = Buffer.from(JSON.stringify(json));
      if (what === 'cut') return bytes.subarray(0, at % (bytes.length + 1));
      if (what === 'turned' && bytes.length > 0) bytes[at % bytes.length] = bits % 256;
      return bytes;
    }),
  fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes)),
);

const node = nodeIdentity('7', 'a');
const { answerKey } = buildOnion(
  Buffer.alloc(0),
  { kind: 'node', node: { ed25519: node.ed25519, x25519: node.x25519Key.publicKey } },
  [],
);

describe('bodies of strangers', function () {
  this.timeout(20_000);

  it('are read or refused with a named fault, ten thousand of them, and nothing else happens', () => {
    const faults = new Map<string, number>();
    const attempt = (read: () => unknown): void => {
      let fault = 'taken';
      try {
        read();
      } catch (error) {
        if (!(error instanceof WireError)) throw error;
        fault = error.code;
      }
      faults.set(fault, (faults.get(fault) ?? 0) + 1);
    };
    fc.assert(
      fc.property(body, (bytes) => {
        attempt(() => {
          const parsed = parseRpcBody(bytes);
          if (parsed.method === 'batch' || parsed.method === 'sequence') parseSubrequests(parsed.fields);
        });
        attempt(() => parseOnionBody(bytes));
        attempt(() => parseOpenedLayer(bytes));
        attempt(() => parseNodeRecords(bytes));
        attempt(() => openAnswer(bytes, answerKey));
        attempt(() => openAnswer(answerKey.seal(bytes), answerKey));
        attempt(() => {
          const json = parseJson(bytes, { bigIntegers: 'text' });
          readRedirect(json);
          readSubAnswers(json);
          attempt(() => parseStored(json));
          attempt(() => parseRetrieved(json));
          attempt(() => parseNetworkList(json));
        });
      }),
      { numRuns: 10_000, seed: 7 },
    );
    // The generator is worth something only if it reaches what it is meant to reach.
    for (const fault of [
      'taken',
      'not-json',
      'invalid-utf8',
      'unsafe-number',
      'wrong-shape',
      'bad-onion-layer',
      'bad-node-record',
      'not-authentic',
    ]) {
      expect(faults.get(fault) ?? 0, fault).to.be.above(20);
    }
  });
});
