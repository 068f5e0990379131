/**
 * session-kit: what storage nodes, registry and clients of Session speak to each other, as a library for the images of that
 * system.
 *
 *   NodeTransport.request ─▶ HTTPS, the node's own certificate ─▶ createNodeListener         both ends of a connection
 *       askNode · askOverPath(path, …) ─▶ answer, authentic or not                          a client's questions
 *   parseRpcBody ─▶ RpcRequest (account, parameters) ─▶ swarmJson · nodeListener's answer    a server's side
 *   SwarmMap(nodes).swarmOf(account)                                                         who has an account
 *
 * Swarm ids are bigint throughout. Every body is a stranger's: size, encoding, depth, numbers and shape are looked at where it
 * is read, and what is refused is a WireError with the fault's name. Durations, ports and limits that a scenario may turn are
 * the images'. Not here: what a node stores, what a client believes, and every default that is a setting.
 */
export { type Account, groupAccount, parseAccount, personalAccount, signingKeyOf } from './account.ts';
export {
  parseInfo,
  parseRetrieved,
  parseStored,
  type RetrievedAnswer,
  type RetrievedMessage,
  type StoredAnswer,
} from './answers.ts';
export { ACCESS, type Authorization, parseToken, type Subaccount } from './authorization.ts';
export { base32z } from './base32z.ts';
export { blake2b } from './blake2b.ts';
export { type ConnectNodeOptions, connectNode, type NodeTarget } from './connect-node.ts';
export { Fields, isRecord, parseBase64, parseKeyText } from './fields.ts';
export { type HttpAnswer, stringifyWithBigints, type WrittenAnswer, written } from './http-answer.ts';
export { parseIpv4, subnet24 } from './ipv4.ts';
export {
  ACCOUNT_METHODS,
  type AccountMethod,
  isAccountMethod,
  META_METHODS,
  type Method,
  PLAIN_METHODS,
  parseMethod,
  SWARM_METHODS,
} from './method.ts';
export {
  isOpenToRead,
  isPublicInbox,
  isPublicOutbox,
  isUnrevocable,
  type Namespace,
  signedNamespace,
} from './namespace.ts';
export { type NetworkList, networkListJson, nodeState, parseNetworkList } from './network-list.ts';
export {
  createNodeListener,
  type ListenerOptions,
  type ListenerRequest,
  type NodeListener,
} from './node-listener.ts';
export { encodeNodeRecords, type NodeRecord, parseNodeRecords } from './node-record.ts';
export {
  NodeTransport,
  type RequestOptions,
  type TransportAnswer,
  type TransportOptions,
} from './node-transport.ts';
export { type InnerAnswer, missingNode, openAnswer, sealAnswer } from './onion-answer.ts';
export { type EncryptionType, LayerKey, parseEncryptionType } from './onion-cipher.ts';
export {
  type BuiltOnion,
  buildOnion,
  combine,
  type Hop,
  isServerTarget,
  type OnionTarget,
  type OpenedLayer,
  parseOnionBody,
  parseOpenedLayer,
  type SealedLayer,
  split,
} from './onion-layer.ts';
export { type JsonLimits, parseJson } from './parse-json.ts';
export {
  formatSwarmId,
  INVALID_SWARM_ID,
  nearestSwarm,
  parseSwarmId,
  ringDistance,
  ringPosition,
} from './ring.ts';
export {
  parseRpcBody,
  parseRpcRequest,
  parseSubrequests,
  type RawRequest,
  type RpcRequest,
} from './rpc-request.ts';
export { hasAddress, inSwarm, type NodeIdentity, nodeIdentity, type ServiceNode } from './service-node.ts';
export { joined, signedText } from './signed-text.ts';
export { DURATION, PATH, PING_HEADER, SIZE } from './sizes.ts';
export { SocketBytes } from './socket-bytes.ts';
export { askNode, askOverPath, type OnionOutcome, outcomeOf, readBody, rpcBody } from './storage-client.ts';
export type {
  AccountRequest,
  DeleteAllRequest,
  DeleteBeforeRequest,
  DeleteRequest,
  ExpireAllRequest,
  ExpireRequest,
  GetExpiriesRequest,
  RetrieveRequest,
  RevokeRequest,
  StoreRequest,
} from './storage-request.ts';
export { isMessageHash, parseAccountRequest, requireAccount } from './storage-request.ts';
export { readSubAnswers, type SubAnswer } from './sub-answers.ts';
export {
  type AnswerFacts,
  type Redirect,
  readRedirect,
  readRedirectAddresses,
  snodeJson,
  swarmJson,
} from './swarm-answer.ts';
export { type Swarm, SwarmMap } from './swarm-map.ts';
export { TransportError, type TransportFault } from './transport-error.ts';
export { WireError, type WireFault } from './wire-error.ts';
export { x25519OfEd25519 } from './x25519-of-ed25519.ts';
