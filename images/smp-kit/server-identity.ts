import { type Ed25519Key, fingerprint, identityOf, issueCertificate } from '../../harness/identity/index.ts';

/** What a server needs to be itself. */
export interface ServerIdentity {
  readonly name: string;
  /** SHA-256 of the offline certificate, 32 bytes: the server's name to its clients. */
  readonly fingerprint: Uint8Array;
  /** DER: online certificate, offline certificate. */
  readonly chain: readonly Uint8Array[];
  /** The same as PEM, and the online certificate's key, for TLS. */
  readonly chainPem: string;
  readonly keyPem: string;
  readonly onlineKey: Ed25519Key;
}

/**
 * A server of a run: an offline certificate that nobody's TLS uses and that signs the online one. The same seed and name
 * give the same bytes, so that whoever knows both knows the fingerprint.
 */
export function serverIdentity(seed: string, name: string): ServerIdentity {
  const key = JSON.stringify([seed, name]);
  const known = issued.get(key) ?? issue(seed, name);
  issued.set(key, known);
  return known;
}

/** Servers are named by topologies, so they are few, and asked for often. */
const issued = new Map<string, ServerIdentity>();

function issue(seed: string, name: string): ServerIdentity {
  const offlineName = `${name} offline`;
  const offline = identityOf(seed, `${name}/offline`).ed25519;
  const online = identityOf(seed, name).ed25519;
  const authority = issueCertificate({ commonName: offlineName, key: offline, authority: true });
  const certificate = issueCertificate({
    commonName: name,
    key: online,
    hosts: [name],
    issuer: { commonName: offlineName, key: offline },
  });
  return {
    name,
    fingerprint: Buffer.from(fingerprint(authority.der), 'hex'),
    chain: [certificate.der, authority.der],
    chainPem: certificate.pem + authority.pem,
    keyPem: certificate.keyPem,
    onlineKey: online,
  };
}
