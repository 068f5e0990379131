import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type TLSSocket } from 'node:tls';
import { expect } from 'chai';
import {
  ed25519Key,
  fingerprint,
  identityOf,
  issueCertificate,
  selfSigned,
  verifyEd25519,
  x25519Key,
  x25519KeyOf,
} from '../index.ts';

const bytes = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex, 'hex'));
const hex = (value: Uint8Array): string => Buffer.from(value).toString('hex');

describe('keys', () => {
  it('sign as RFC 8032 section 7.1 has it', () => {
    const key = ed25519Key(bytes('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60'));
    expect(hex(key.publicKey)).to.equal('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a');
    const signature = key.sign(new Uint8Array());
    expect(hex(signature)).to.equal(
      'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
    );
    expect(verifyEd25519(key.publicKey, new Uint8Array(), signature)).to.equal(true);
    expect(verifyEd25519(key.publicKey, bytes('00'), signature)).to.equal(false);
  });

  it('agree as RFC 7748 section 5.2 has it', () => {
    const key = x25519Key(bytes('a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4'));
    expect(
      hex(key.agree(bytes('e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c'))),
    ).to.equal('c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552');
  });

  it('turn Ed25519 into X25519 as libsodium does', () => {
    const key = ed25519Key(bytes('421151a459faeade3d247115f94aedae42318124095afabe4d1451a559faedee'));
    expect(hex(x25519KeyOf(key).publicKey)).to.equal(
      'f1814f0e8ff1043d8a44d25babff3cedcae6c22c3edaa48f857ae70de2baae50',
    );
  });

  it('come to the same secret at both ends', () => {
    const [alice, bob] = [identityOf('7', 'alice').x25519, identityOf('7', 'bob').x25519];
    expect(hex(alice.agree(bob.publicKey))).to.equal(hex(bob.agree(alice.publicKey)));
  });

  it('refuse what is no key', () => {
    expect(() => ed25519Key(new Uint8Array(31))).to.throw('31 bytes found; expected 32');
    expect(() => x25519Key(new Uint8Array(32).fill(7)).agree(new Uint8Array(32))).to.throw(
      'no shared secret',
    );
  });
});

describe('an identity', () => {
  it('is decided by seed and name alone', () => {
    expect(identityOf('7', 'relay-1').id).to.equal(identityOf('7', 'relay-1').id);
    const ids = [identityOf('7', 'relay-1'), identityOf('7', 'relay-2'), identityOf('8', 'relay-1')].map(
      ({ id }) => id,
    );
    expect(new Set(ids).size).to.equal(3);
    expect(ids[0]).to.match(/^[0-9a-f]{64}$/);
  });

  it('has a certificate that is the same bytes each time and verifies', () => {
    const identity = identityOf('7', 'relay-1');
    const first = selfSigned(identity, ['relay-1', '198.18.0.10']);
    expect(hex(first.der)).to.equal(hex(selfSigned(identity, ['relay-1', '198.18.0.10']).der));
    const read = new X509Certificate(first.pem);
    expect(read.subject).to.equal('CN=relay-1');
    expect(read.subjectAltName).to.equal('DNS:relay-1, IP Address:198.18.0.10');
    expect(read.verify(read.publicKey)).to.equal(true);
    expect(read.ca).to.equal(false);
    expect(read.fingerprint256.replaceAll(':', '').toLowerCase()).to.equal(first.fingerprint);
    expect(fingerprint(first.der, 'base64url')).to.have.length(43);
  });

  it('issues for others as an authority, and a chain of two carries TLS', async () => {
    const [authority, server] = [identityOf('7', 'authority'), identityOf('7', 'relay-1')];
    const root = issueCertificate({ commonName: 'authority', key: authority.ed25519, authority: true });
    const leaf = issueCertificate({
      commonName: 'relay-1',
      key: server.ed25519,
      hosts: ['relay-1', '127.0.0.1'],
      issuer: { commonName: 'authority', key: authority.ed25519 },
    });
    const rootRead = new X509Certificate(root.pem);
    expect(new X509Certificate(leaf.pem).verify(rootRead.publicKey)).to.equal(true);
    expect(rootRead.ca).to.equal(true);

    const listening = createServer({ cert: leaf.pem + root.pem, key: leaf.keyPem }, (socket) =>
      socket.end('over TLS'),
    );
    listening.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const { port } = listening.address() as AddressInfo;
    const client: TLSSocket = connect({ host: '127.0.0.1', port, ca: root.pem });
    let text = '';
    client.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
    });
    await once(client, 'close');
    listening.close();
    expect([client.authorized, text]).to.deep.equal([true, 'over TLS']);
  });

  it('is not believed by who does not know its authority', async () => {
    const own = selfSigned(identityOf('7', 'relay-1'), ['127.0.0.1']);
    const listening = createServer({ cert: own.pem, key: own.keyPem });
    listening.listen(0, '127.0.0.1');
    await once(listening, 'listening');
    const client = connect({ host: '127.0.0.1', port: (listening.address() as AddressInfo).port });
    const [error] = (await once(client, 'error')) as [NodeJS.ErrnoException];
    listening.close();
    expect(error.code).to.equal('DEPTH_ZERO_SELF_SIGNED_CERT');
  });
});
