import fc from 'fast-check';

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
export const request = fc.record({
  method: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...METHODS) }, { weight: 1, arbitrary: scalar }),
  params: fc.oneof(
    { weight: 9, arbitrary: fc.dictionary(fc.constantFrom(...NAMES), value, { maxKeys: 10 }) },
    { weight: 1, arbitrary: value },
  ),
});
/** Brackets inside brackets, some of them closed again. */
const deep = fc
  .tuple(fc.integer({ min: 20, max: 400 }), fc.constantFrom('[', '{"a":', '[{"body":'), fc.boolean())
  .map(([levels, open, closes]) => {
    const close = [...open].reverse().map((one) => ({ '[': ']', '{': '}' })[one] ?? '');
    return Buffer.from(open.repeat(levels) + (closes ? `1${close.join('').repeat(levels)}` : ''));
  });

/** JSON as it is, cut off, with a byte turned, too deep, or no JSON at all. */
export const body = fc.oneof(
  {
    weight: 13,
    arbitrary: fc
      .tuple(fc.oneof(request, value), fc.nat(), fc.nat(), fc.constantFrom('whole', 'cut', 'turned'))
      .map(([json, at, bits, what]) => {
        const bytes = Buffer.from(JSON.stringify(json));
        if (what === 'cut') return bytes.subarray(0, at % (bytes.length + 1));
        if (what === 'turned' && bytes.length > 0) bytes[at % bytes.length] = bits % 256;
        return bytes;
      }),
  },
  { weight: 8, arbitrary: fc.uint8Array({ maxLength: 120 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: deep },
);

/** One body for each thing that is refused before it is looked into, by the fault's name. */
export const REFUSED: Readonly<Record<string, () => Buffer>> = {
  'too-large': () => Buffer.alloc(10 * 1024 ** 2 + 1, ' '),
  'too-deep': () => Buffer.from('['.repeat(33) + ']'.repeat(33)),
  'unsafe-number': () => Buffer.from('{"method":"info","params":{"timestamp":9007199254740993}}'),
  'invalid-utf8': () => Buffer.from([0x22, 0xc3, 0x28, 0x22]),
  'not-json': () => Buffer.from('{"method":'),
};

/** More than anybody reads, whatever it would be. */
export const huge = fc
  .tuple(fc.nat(2 ** 20), fc.constantFrom(' ', '[', '"', '1', '\u00e9'))
  .map(([more, fill]) => Buffer.alloc(10 * 1024 ** 2 + 1 + more, fill));

const notText = fc.constantFrom<unknown>(null, true, 7, 0.5, [], {}, ['info']);
const notObject = fc.constantFrom<unknown>(null, true, 7, 'x', [], [{}]);
const ofWrongType = fc.oneof(
  notObject,
  fc.record({ method: notText, params: fc.constant({}) }),
  fc.record({ method: fc.constantFrom(...METHODS), params: notObject }),
  fc.record({
    method: fc.constantFrom('store', 'retrieve', 'delete_all', 'get_swarm'),
    params: fc.record({ pubkey: notText }),
  }),
  fc.record({
    method: fc.constantFrom('batch', 'sequence'),
    params: fc.record({ requests: fc.oneof(notObject, fc.array(notObject, { minLength: 1, maxLength: 3 })) }),
  }),
  fc.record({
    method: fc.constant('retrieve'),
    params: fc.record({
      pubkey: fc.constant(`05${'a'.repeat(64)}`),
      max_count: fc.constantFrom<unknown>('1', 0.5, true, [1]),
    }),
  }),
);

/** Requests that are JSON, and have one thing of a type that it cannot be. */
export const wrongTypes = ofWrongType.map((json) => Buffer.from(JSON.stringify(json)));
