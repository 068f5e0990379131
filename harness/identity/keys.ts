import {
  createHash,
  createPrivateKey,
  createPublicKey,
  diffieHellman,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { SquallError } from '../errors/index.ts';

const KEY_BYTES = 32;

/** The curves by their names in a JSON Web Key (RFC 8037). */
const CURVE = { ed25519: 'Ed25519', x25519: 'X25519' } as const;

type Curve = keyof typeof CURVE;

export interface Ed25519Key {
  /** 32 bytes: the private key of RFC 8032. */
  readonly seed: Uint8Array;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  readonly privateKeyObject: KeyObject;
  readonly publicKeyObject: KeyObject;
  /** 64 bytes, the same for the same message. */
  sign(message: Uint8Array): Uint8Array;
}

export interface X25519Key {
  /** 32 bytes: the private key of RFC 7748. */
  readonly scalar: Uint8Array;
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The 32 bytes that both ends come to. @throws SquallError `bad-key` for a peer's key of small order */
  agree(peerPublicKey: Uint8Array): Uint8Array;
}

/** The Ed25519 key of a 32-byte seed. @throws SquallError `bad-key` */
export function ed25519Key(seed: Uint8Array): Ed25519Key {
  const privateKeyObject = privateKey('ed25519', seed);
  const publicKeyObject = createPublicKey(privateKeyObject);
  return {
    seed,
    publicKey: rawPublic(publicKeyObject),
    privateKeyObject,
    publicKeyObject,
    sign: (message) => sign(null, message, privateKeyObject),
  };
}

/** Whether `signature` is that key's for the message. */
export function verifyEd25519(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, message, publicKeyObjectOf('ed25519', publicKey), signature);
}

/** The X25519 key of 32 bytes; they are clamped as RFC 7748 says. @throws SquallError `bad-key` */
export function x25519Key(scalar: Uint8Array): X25519Key {
  const own = privateKey('x25519', scalar);
  return {
    scalar,
    publicKey: rawPublic(createPublicKey(own)),
    agree: (peerPublicKey) => {
      try {
        return diffieHellman({ privateKey: own, publicKey: publicKeyObjectOf('x25519', peerPublicKey) });
      } catch (cause) {
        throw new SquallError(
          'X25519: the keys come to no shared secret; expected a peer’s key of full order',
          {
            code: 'bad-key',
            cause,
          },
        );
      }
    },
  };
}

/** The X25519 key that belongs to an Ed25519 key: the first half of the SHA-512 of its seed, as libsodium derives it. */
export function x25519KeyOf(key: Ed25519Key): X25519Key {
  return x25519Key(createHash('sha512').update(key.seed).digest().subarray(0, KEY_BYTES));
}

/**
 * As JSON Web Keys, since OpenSSL's reading of PKCS #8 takes eight times as long. `x`, the public key, is not known yet and
 * not looked at for a private key: it follows from `d`.
 */
function privateKey(curve: Curve, bytes: Uint8Array): KeyObject {
  requireKeyBytes(curve, bytes);
  const key = { kty: 'OKP', crv: CURVE[curve], d: Buffer.from(bytes).toString('base64url'), x: '' };
  return createPrivateKey({ key, format: 'jwk' });
}

function publicKeyObjectOf(curve: Curve, bytes: Uint8Array): KeyObject {
  requireKeyBytes(curve, bytes);
  const key = { kty: 'OKP', crv: CURVE[curve], x: Buffer.from(bytes).toString('base64url') };
  return createPublicKey({ key, format: 'jwk' });
}

function rawPublic(key: KeyObject): Uint8Array {
  return Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url');
}

function requireKeyBytes(curve: Curve, bytes: Uint8Array): void {
  if (bytes.length === KEY_BYTES) return;
  throw new SquallError(`${curve} key: ${bytes.length} bytes found; expected ${KEY_BYTES}`, {
    code: 'bad-key',
  });
}
