import { stream } from '../random/index.ts';
import { fingerprint, type IssuedCertificate, issueCertificate } from './certificate.ts';
import { type Ed25519Key, ed25519Key, type X25519Key, x25519KeyOf } from './keys.ts';

/** Who a node or a client is. */
export interface Identity {
  readonly name: string;
  readonly ed25519: Ed25519Key;
  /** Derived from the Ed25519 key. */
  readonly x25519: X25519Key;
  /** Public Ed25519 key as 64 hexadecimal digits. */
  readonly id: string;
}

/** The identity of `name` in a run: the same seed and name give the same keys. Never to be used for anything real. */
export function identityOf(seed: string, name: string): Identity {
  const ed25519 = ed25519Key(stream(seed, 'identity').derive(name).bytes(32));
  return {
    name,
    ed25519,
    x25519: x25519KeyOf(ed25519),
    id: Buffer.from(ed25519.publicKey).toString('hex'),
  };
}

/** A self-signed certificate of an identity, with its fingerprint (SHA-256 of the DER bytes, hexadecimal). */
export function selfSigned(
  identity: Identity,
  hosts: readonly string[] = [identity.name],
): IssuedCertificate & { readonly fingerprint: string } {
  const issued = issueCertificate({ commonName: identity.name, key: identity.ed25519, hosts });
  return { ...issued, fingerprint: fingerprint(issued.der) };
}
