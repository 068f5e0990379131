import { X509Certificate } from 'node:crypto';
import { type Ed25519Key, fingerprint, verifyEd25519 } from '../../harness/identity/index.ts';
import { SyntaxFailure } from './byte-reader.ts';
import { joined } from './byte-writer.ts';
import { ENCODED_KEY_BYTES, encodePublicKey, parsePublicKey } from './public-key.ts';

/** SEQUENCE { key, SEQUENCE { OID 1.3.101.112 }, BIT STRING signature }: the frame of a certificate around a key. */
const BEGINNING = Buffer.from('3076', 'hex');
const ALGORITHM_AND_BITS = Buffer.from('300506032b6570034100', 'hex');
const SIGNATURE_BYTES = 64;
const WHOLE_BYTES = BEGINNING.length + ENCODED_KEY_BYTES + ALGORITHM_AND_BITS.length + SIGNATURE_BYTES;

/** An X25519 key signed by the key of a server's certificate, as X.509 signs things. */
export function signKey(x25519PublicKey: Uint8Array, signer: Ed25519Key): Buffer {
  const key = encodePublicKey({ curve: 'x25519', bytes: x25519PublicKey });
  return joined(BEGINNING, key, ALGORITHM_AND_BITS, signer.sign(key));
}

/**
 * The X25519 key, when the chain is the expected server's and its first certificate signed the key.
 * @returns undefined when not
 */
export function openSignedKey(
  chain: readonly Uint8Array[],
  signedKey: Uint8Array,
  expectedFingerprint: Uint8Array,
): Uint8Array | undefined {
  const online = onlineKeyOf(chain, expectedFingerprint);
  const bytes = Buffer.from(signedKey);
  const keyEnd = BEGINNING.length + ENCODED_KEY_BYTES;
  const signatureStart = keyEnd + ALGORITHM_AND_BITS.length;
  const framed =
    bytes.length === WHOLE_BYTES &&
    bytes.subarray(0, BEGINNING.length).equals(BEGINNING) &&
    bytes.subarray(keyEnd, signatureStart).equals(ALGORITHM_AND_BITS);
  if (!online || !framed) return undefined;
  const key = bytes.subarray(BEGINNING.length, keyEnd);
  if (!verifyEd25519(online, key, bytes.subarray(signatureStart))) return undefined;
  const parsed = keyOrNothing(key);
  return parsed?.curve === 'x25519' ? parsed.bytes : undefined;
}

/**
 * The Ed25519 key of the first certificate, when each certificate of the chain is signed by the next, and one after the
 * first has the expected fingerprint. @returns undefined when not
 */
export function onlineKeyOf(
  chain: readonly Uint8Array[],
  expectedFingerprint: Uint8Array,
): Uint8Array | undefined {
  if (chain.length < 2 || chain.length > 4) return undefined;
  const certificates = chain.map(certificateOrNothing);
  const signed = certificates.slice(0, -1).every((certificate, index) => {
    const issuer = certificates[index + 1];
    return certificate && issuer && certificate.verify(issuer.publicKey);
  });
  const wanted = Buffer.from(expectedFingerprint).toString('hex');
  if (!signed || !chain.slice(1).some((der) => fingerprint(der) === wanted)) return undefined;
  const spki = certificates[0]?.publicKey.export({ format: 'der', type: 'spki' });
  const key = spki && keyOrNothing(spki);
  return key?.curve === 'ed25519' ? key.bytes : undefined;
}

function certificateOrNothing(der: Uint8Array): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch (error) {
    // OpenSSL's refusal of bytes that are no certificate.
    if (error instanceof Error && 'code' in error) return undefined;
    throw error;
  }
}

function keyOrNothing(spki: Uint8Array) {
  try {
    return parsePublicKey(spki);
  } catch (error) {
    if (error instanceof SyntaxFailure) return undefined;
    throw error;
  }
}
