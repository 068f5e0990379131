import { verifyEd25519 } from '../../harness/identity/index.ts';
import {
  joined,
  type ListenerRequest,
  type NodeIdentity,
  parseKeyText,
  type ServiceNode,
} from '../session-kit/index.ts';

/** How members of the network show each other who they are: a signature over path, receiver and body. */
const KEY_HEADER = 'x-oxen-snode-pubkey';
const SIGNATURE_HEADER = 'x-oxen-snode-signature';

export function signedHeaders(
  identity: NodeIdentity,
  receiver: string,
  path: string,
  body: Uint8Array,
): Readonly<Record<string, string>> {
  const signature = identity.sign(joined(path, receiver, body));
  return { [KEY_HEADER]: identity.ed25519, [SIGNATURE_HEADER]: Buffer.from(signature).toString('base64') };
}

/**
 * @param find a node that may have sent it, by its key
 * @returns the node that sent the request to us, or undefined for anybody else
 */
export function senderOf(
  request: ListenerRequest,
  receiver: string,
  find: (ed25519: string) => ServiceNode | undefined,
): ServiceNode | undefined {
  const { [KEY_HEADER]: key, [SIGNATURE_HEADER]: signature } = request.headers;
  if (typeof key !== 'string' || typeof signature !== 'string') return undefined;
  const sender = find(key);
  const bytes = parseKeyText(signature, 64);
  if (!sender || !bytes) return undefined;
  const text = joined(request.path, receiver, request.body);
  return verifyEd25519(Buffer.from(key, 'hex'), text, bytes) ? sender : undefined;
}
