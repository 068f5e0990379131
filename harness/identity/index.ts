/**
 * identity: seeded keys and certificates, so that a run's nodes are the same each time it is repeated.
 *
 *   identityOf(seed, name) ─▶ Ed25519 and X25519 keys ─ selfSigned ─▶ certificate, fingerprint
 *   issueCertificate({…, issuer}) ─▶ chains
 *
 * Certificates run from 2020 to 2049 and are the same bytes for the same request. Keys come from a seed that is printed:
 * they protect nothing. Not here: TLS servers and what a protocol does with a fingerprint.
 */
export {
  type CertificateRequest,
  fingerprint,
  type IssuedCertificate,
  issueCertificate,
} from './certificate.ts';
export { type Identity, identityOf, selfSigned } from './identity.ts';
export {
  type Ed25519Key,
  ed25519Key,
  verifyEd25519,
  type X25519Key,
  x25519Key,
  x25519KeyOf,
} from './keys.ts';
