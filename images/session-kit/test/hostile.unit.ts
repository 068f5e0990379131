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
import { body } from './hostile-bodies.ts';

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
    const json = (bytes: Uint8Array): unknown => parseJson(bytes, { bigIntegers: 'text' });
    // A tenth of the bodies for each of these; requests, which anybody may send, read them all.
    const readers: readonly ((bytes: Buffer) => unknown)[] = [
      parseOnionBody,
      parseOpenedLayer,
      parseNodeRecords,
      (bytes) => openAnswer(bytes, answerKey),
      (bytes) => openAnswer(answerKey.seal(bytes), answerKey),
      (bytes) => readRedirect(json(bytes)),
      (bytes) => readSubAnswers(json(bytes)),
      (bytes) => parseStored(json(bytes)),
      (bytes) => parseRetrieved(json(bytes)),
      (bytes) => parseNetworkList(json(bytes)),
    ];
    fc.assert(
      fc.property(body, fc.nat(readers.length - 1), (bytes, turn) => {
        attempt(() => {
          const parsed = parseRpcBody(bytes);
          if (parsed.method === 'batch' || parsed.method === 'sequence') parseSubrequests(parsed.fields);
        });
        attempt(() => readers[turn]?.(bytes));
      }),
      { numRuns: 10_000, seed: 7 },
    );
    // The generator is worth something only if it reaches what it is meant to reach.
    for (const fault of [
      'taken',
      'not-json',
      'too-deep',
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
