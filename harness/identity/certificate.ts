import { createHash } from 'node:crypto';
import { isIP } from 'node:net';
import {
  bitString,
  DER_TRUE,
  integer,
  objectIdentifier,
  octetString,
  sequence,
  setOf,
  tagged,
  time,
  utf8String,
  wrapped,
} from './der.ts';
import { ipBytes } from './ip-bytes.ts';
import type { Ed25519Key } from './keys.ts';

const OID = {
  ed25519: objectIdentifier('1.3.101.112'),
  commonName: objectIdentifier('2.5.4.3'),
  subjectAltName: objectIdentifier('2.5.29.17'),
  basicConstraints: objectIdentifier('2.5.29.19'),
} as const;

const ED25519 = sequence(OID.ed25519);
const VERSION_3 = wrapped(0, integer(Uint8Array.of(2)));
/** Numbers of the choices of a GeneralName. */
const DNS_NAME = 2;
const IP_ADDRESS = 7;

/** A leap of any scenario stays inside, and two runs of a seed give the same bytes. */
const NOT_BEFORE = new Date('2020-01-01T00:00:00Z');
const NOT_AFTER = new Date('2049-12-31T00:00:00Z');

export interface CertificateRequest {
  readonly commonName: string;
  readonly key: Ed25519Key;
  /** DNS names and IP addresses that the certificate is for; the common name alone by default. */
  readonly hosts?: readonly string[];
  /** Who signs; itself by default. */
  readonly issuer?: { readonly commonName: string; readonly key: Ed25519Key };
  /** May sign others. */
  readonly authority?: boolean;
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

export interface IssuedCertificate {
  readonly der: Uint8Array;
  readonly pem: string;
  /** Of the certificate's key, PKCS #8. */
  readonly keyPem: string;
}

/**
 * An X.509 certificate (RFC 5280) with an Ed25519 key (RFC 8410). The same request gives the same bytes: its serial number is
 * a hash of the key and the names, and Ed25519 signatures have no chance in them. Written by hand: a library for ASN.1 is
 * larger than a node, and each would read it as it starts.
 */
export function issueCertificate(request: CertificateRequest): IssuedCertificate {
  const { commonName, key, authority = false } = request;
  const issuer = request.issuer ?? { commonName, key };
  const hosts = request.hosts ?? [commonName];
  const toBeSigned = sequence(
    VERSION_3,
    integer(serialOf(request)),
    ED25519,
    nameOf(issuer.commonName),
    sequence(time(request.notBefore ?? NOT_BEFORE), time(request.notAfter ?? NOT_AFTER)),
    nameOf(commonName),
    sequence(ED25519, bitString(key.publicKey)),
    wrapped(
      3,
      sequence(
        // What is false by default is left out.
        sequence(OID.basicConstraints, DER_TRUE, octetString(authority ? sequence(DER_TRUE) : sequence())),
        sequence(OID.subjectAltName, octetString(sequence(...hosts.map(generalName)))),
      ),
    ),
  );
  const der = new Uint8Array(sequence(toBeSigned, ED25519, bitString(issuer.key.sign(toBeSigned))));
  return {
    der,
    pem: pemOf(der),
    keyPem: key.privateKeyObject.export({ format: 'pem', type: 'pkcs8' }).toString(),
  };
}

/** SHA-256 of the certificate's DER bytes. */
export function fingerprint(der: Uint8Array, encoding: 'hex' | 'base64url' = 'hex'): string {
  return createHash('sha256').update(der).digest(encoding);
}

function serialOf({ key, commonName, hosts, issuer }: CertificateRequest): Uint8Array {
  const hash = createHash('sha256')
    .update(key.publicKey)
    .update(JSON.stringify([commonName, hosts ?? [], issuer?.commonName ?? '']));
  const serial = Uint8Array.from(hash.digest().subarray(0, 16));
  // Positive and of full length, as RFC 5280 wants it.
  serial[0] = ((serial[0] ?? 0) & 0x3f) | 0x40;
  return serial;
}

function nameOf(commonName: string): Uint8Array {
  return sequence(setOf(sequence(OID.commonName, utf8String(commonName))));
}

function generalName(host: string): Uint8Array {
  return isIP(host) === 0 ? tagged(DNS_NAME, Buffer.from(host, 'latin1')) : tagged(IP_ADDRESS, ipBytes(host));
}

function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
