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

/** Beginnings of PKCS #8 and SPKI as RFC 8410 has them; the 32 bytes of the key follow. */
const PRIVATE_PREFIX = {
  ed25519: '302e020100300506032b657004220420',
  x25519: '302e020100300506032b656e04220420',
} as const;
const PUBLIC_PREFIX = {
  ed25519: '302a300506032b6570032100',
  x25519: '302a300506032b656e032100',
} as const;

type Curve = keyof typeof PRIVATE_PREFIX;

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

function privateKey(curve: Curve, bytes: Uint8Array): KeyObject {
  requireKeyBytes(curve, bytes);
  const der = Buffer.concat([Buffer.from(PRIVATE_PREFIX[curve], 'hex'), bytes]);
  return createPrivateKey({ key: der, format: 'der', type: 'pkcs8' });
}

function publicKeyObjectOf(curve: Curve, bytes: Uint8Array): KeyObject {
  requireKeyBytes(curve, bytes);
  const der = Buffer.concat([Buffer.from(PUBLIC_PREFIX[curve], 'hex'), bytes]);
  return createPublicKey({ key: der, format: 'der', type: 'spki' });
}

function rawPublic(key: KeyObject): Uint8Array {
  return key.export({ format: 'der', type: 'spki' }).subarray(-KEY_BYTES);
}

function requireKeyBytes(curve: Curve, bytes: Uint8Array): void {
  if (bytes.length === KEY_BYTES) return;
  throw new SquallError(`${curve} key: ${bytes.length} bytes found; expected ${KEY_BYTES}`, {
    code: 'bad-key',
  });
}
