import { createHash, sign } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  GeneralName,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import type { Ed25519Key } from './keys.ts';

const OID = {
  ed25519: '1.3.101.112',
  commonName: '2.5.4.3',
  subjectAltName: '2.5.29.17',
  basicConstraints: '2.5.29.19',
} as const;

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
 * An X.509 certificate with an Ed25519 key. The same request gives the same bytes: its serial number is a hash of the
 * key and the names, and Ed25519 signatures have no chance in them.
 */
export function issueCertificate(request: CertificateRequest): IssuedCertificate {
  const { commonName, key } = request;
  const issuer = request.issuer ?? { commonName, key };
  const tbs = new TBSCertificate({
    version: Version.v3,
    serialNumber: serialOf(request).buffer as ArrayBuffer,
    signature: new AlgorithmIdentifier({ algorithm: OID.ed25519 }),
    issuer: nameOf(issuer.commonName),
    validity: new Validity({
      notBefore: request.notBefore ?? NOT_BEFORE,
      notAfter: request.notAfter ?? NOT_AFTER,
    }),
    subject: nameOf(commonName),
    subjectPublicKeyInfo: new SubjectPublicKeyInfo({
      algorithm: new AlgorithmIdentifier({ algorithm: OID.ed25519 }),
      subjectPublicKey: copyOf(key.publicKey),
    }),
    extensions: new Extensions([
      new Extension({
        extnID: OID.basicConstraints,
        critical: true,
        extnValue: encoded(new BasicConstraints({ cA: request.authority ?? false })),
      }),
      new Extension({
        extnID: OID.subjectAltName,
        extnValue: encoded(new SubjectAlternativeName((request.hosts ?? [commonName]).map(generalName))),
      }),
    ]),
  });
  const signature = sign(null, Buffer.from(AsnConvert.serialize(tbs)), issuer.key.privateKeyObject);
  const certificate = new Certificate({
    tbsCertificate: tbs,
    signatureAlgorithm: new AlgorithmIdentifier({ algorithm: OID.ed25519 }),
    signatureValue: copyOf(signature),
  });
  const der = new Uint8Array(AsnConvert.serialize(certificate));
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

function nameOf(commonName: string): Name {
  const value = new AttributeTypeAndValue({
    type: OID.commonName,
    value: new AttributeValue({ utf8String: commonName }),
  });
  return new Name([new RelativeDistinguishedName([value])]);
}

function generalName(host: string): GeneralName {
  return isIP(host) === 0 ? new GeneralName({ dNSName: host }) : new GeneralName({ iPAddress: host });
}

function encoded(value: unknown): OctetString {
  return new OctetString(AsnConvert.serialize(value));
}

function copyOf(bytes: Uint8Array): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}

function pemOf(der: Uint8Array): string {
  const lines =
    Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}
