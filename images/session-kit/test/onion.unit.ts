import { expect } from 'chai';
import {
  type BuiltOnion,
  buildOnion,
  combine,
  isServerTarget,
  LayerKey,
  missingNode,
  type NodeIdentity,
  nodeIdentity,
  type OpenedLayer,
  openAnswer,
  parseOnionBody,
  parseOpenedLayer,
  sealAnswer,
  WireError,
} from '../index.ts';

const nodes = ['a', 'b', 'c', 'd'].map((name) => nodeIdentity('7', name)) as [
  NodeIdentity,
  NodeIdentity,
  NodeIdentity,
  NodeIdentity,
];
const hop = (node: NodeIdentity) => ({ ed25519: node.ed25519, x25519: node.x25519Key.publicKey });
const CONTENT = Buffer.from('{"method":"info","params":{}}');

function peel(body: Buffer, node: NodeIdentity): { layer: OpenedLayer; key: LayerKey; hop: number } {
  const sealed = parseOnionBody(body);
  const key = LayerKey.ofNode(sealed.type, node.x25519Key, sealed.ephemeralKey);
  return { layer: parseOpenedLayer(key.open(sealed.ciphertext), sealed.hop), key, hop: sealed.hop };
}

function codeOf(act: () => unknown): unknown {
  try {
    act();
  } catch (error) {
    return error instanceof WireError ? error.code : error;
  }
  return undefined;
}

describe('onion requests', () => {
  for (const type of ['xchacha20', 'aes-gcm'] as const) {
    it(`go over three nodes, each of which learns the next and no more (${type})`, () => {
      const onion = buildOnion(
        CONTENT,
        { kind: 'node', node: hop(nodes[3]) },
        nodes.slice(0, 3).map(hop),
        type,
      );
      let body = onion.body;
      for (const [index, node] of nodes.slice(0, 3).entries()) {
        const { layer, hop: at } = peel(body, node);
        if (layer.kind !== 'relay') throw new Error('expected a relay');
        expect([layer.destination, at]).to.deep.equal([nodes[index + 1]?.ed25519, index]);
        expect(layer.request.includes(CONTENT)).to.equal(false);
        body = layer.request;
      }
      const { layer, key } = peel(body, nodes[3]);
      expect(layer).to.deep.equal({ kind: 'final', body: CONTENT, json: false, base64: true });
      const answer = { status: 421, body: { snodes: [] } };
      for (const options of [
        { json: false, base64: true },
        { json: true, base64: false },
      ]) {
        expect(openAnswer(sealAnswer(answer, key, options), onion.answerKey)).to.deep.equal(answer);
      }
    });
  }

  it('cannot be opened by anybody but the node of each layer', () => {
    const onion = buildOnion(CONTENT, { kind: 'node', node: hop(nodes[1]) }, [hop(nodes[0])]);
    expect(codeOf(() => peel(onion.body, nodes[1]))).to.equal('not-authentic');
    const forged = Buffer.from(onion.body);
    forged[30] = (forged[30] as number) ^ 1;
    expect(codeOf(() => peel(forged, nodes[0]))).to.equal('not-authentic');
  });

  it('have answers that only the destination can write', () => {
    const onion: BuiltOnion = buildOnion(CONTENT, { kind: 'node', node: hop(nodes[1]) }, [hop(nodes[0])]);
    const relay = peel(onion.body, nodes[0]);
    const forged = sealAnswer({ status: 421, body: '' }, relay.key, { json: false, base64: true });
    for (const bytes of [forged, Buffer.from('{"snodes":[]}'), Buffer.alloc(0), Buffer.alloc(500, 65)]) {
      expect(codeOf(() => openAnswer(bytes, onion.answerKey))).to.equal('not-authentic');
    }
    const { key } = peel(relay.layer.kind === 'relay' ? relay.layer.request : onion.body, nodes[1]);
    expect(codeOf(() => openAnswer(key.seal(Buffer.from('nonsense')), onion.answerKey))).to.equal('not-json');
  });

  it('carry a server’s request through their last node, which hands it on whole', () => {
    const server = nodeIdentity('7', 'server');
    const target = {
      kind: 'server',
      x25519: server.x25519Key.publicKey,
      protocol: 'https',
      host: '198.18.0.9',
      port: 443,
      target: '/oxen/v4/lsrpc',
    } as const;
    const onion = buildOnion(CONTENT, target, [hop(nodes[0])]);
    const { layer } = peel(onion.body, nodes[0]);
    if (layer.kind !== 'server') throw new Error('expected a server');
    expect(layer).to.include({ host: '198.18.0.9', port: 443, target: '/oxen/v4/lsrpc' });
    const { ciphertext, ephemeralKey, type } = parseOnionBody(layer.payload);
    expect(LayerKey.ofNode(type, server.x25519Key, ephemeralKey).open(ciphertext)).to.deep.equal(CONTENT);
    expect(isServerTarget('/oxen/v4/lsrpc')).to.equal(true);
    for (const bad of ['/other/lsrpc', '/oxen/v4/lsrpc?x', '/oxen/v4/file']) {
      expect(isServerTarget(bad)).to.equal(false);
    }
  });

  it('are refused with a named fault when they are none', () => {
    const key = 'aa'.repeat(32);
    const cases: readonly (readonly [Buffer, string])[] = [
      [Buffer.alloc(3), 'bad-onion-layer'],
      [Buffer.from([255, 255, 255, 255, 1]), 'bad-onion-layer'],
      [Buffer.from([0, 0, 0, 0]), 'not-json'],
      [combine(Buffer.alloc(1), {}), 'wrong-shape'],
      [combine(Buffer.alloc(1), { ephemeral_key: key, enc_type: 'aes-cbc' }), 'wrong-shape'],
      [combine(Buffer.alloc(1), { ephemeral_key: 'zz' }), 'wrong-shape'],
    ];
    for (const [bytes, fault] of cases) expect(codeOf(() => parseOnionBody(bytes))).to.equal(fault);
    const small = parseOnionBody(combine(Buffer.alloc(60), { ephemeral_key: '00'.repeat(32) }));
    expect(codeOf(() => LayerKey.ofNode(small.type, nodes[0].x25519Key, small.ephemeralKey))).to.equal(
      'bad-onion-layer',
    );
  });

  it('name the node that a relay does not know, with or without the words in front', () => {
    const key = 'AB'.repeat(32);
    expect(missingNode(`Next node not found: ${key}`)).to.equal(key.toLowerCase());
    expect(missingNode(`502 Bad Gateway\n\nNext node not found: ${key}`)).to.equal(key.toLowerCase());
    expect(missingNode('Request time out')).to.equal(undefined);
  });
});
