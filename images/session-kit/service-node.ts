import {
  type IssuedCertificate,
  identityOf,
  selfSigned,
  type X25519Key,
} from '../../harness/identity/index.ts';
import { INVALID_SWARM_ID } from './ring.ts';

/** A service node as the network's list has it. Keys are 64 lower-case hexadecimal digits. */
export interface ServiceNode {
  readonly ed25519: string;
  readonly x25519: string;
  readonly legacy: string;
  /** INVALID_SWARM_ID: in no swarm. */
  readonly swarmId: bigint;
  /** Dotted quad; 0.0.0.0 (and ports 0) while no address of it is known. */
  readonly ip: string;
  readonly httpsPort: number;
  /** OMQ and QUIC share one. */
  readonly omqPort: number;
  readonly version: readonly [number, number, number];
}

/** What a node needs to be itself. */
export interface NodeIdentity {
  readonly name: string;
  readonly ed25519: string;
  readonly x25519: string;
  readonly legacy: string;
  readonly x25519Key: X25519Key;
  readonly sign: (message: Uint8Array) => Uint8Array;
  /** Self-signed with the Ed25519 key, so that whoever knows the node's record knows its certificate. */
  readonly certificate: IssuedCertificate;
}

/** The node of a run: the same seed and name give the same keys, so that the registry can list it before it lives. */
export function nodeIdentity(seed: string, name: string): NodeIdentity {
  const identity = identityOf(seed, name);
  let certificate: IssuedCertificate | undefined;
  return {
    name,
    ed25519: identity.id,
    x25519: Buffer.from(identity.x25519.publicKey).toString('hex'),
    legacy: identityOf(seed, `${name}/legacy`).id,
    x25519Key: identity.x25519,
    sign: (message) => identity.ed25519.sign(message),
    // A registry knows all nodes, and is none of them.
    get certificate() {
      certificate ??= selfSigned(identity);
      return certificate;
    },
  };
}

export function inSwarm(node: ServiceNode): boolean {
  return node.swarmId !== INVALID_SWARM_ID;
}

/** A record without an address: its node has not yet said where it is, or somebody leaves it out. */
export function hasAddress(node: ServiceNode): boolean {
  return node.ip !== '0.0.0.0' && node.httpsPort !== 0;
}
