/**
 * smp-kit: what servers and clients of SMP speak to each other, as a library for the images of that system.
 *
 *   connectSmp({address, …}) ─▶ SmpConnection ─ request(command) ─▶ answer            a client's end
 *       requestProxiedRelay(proxy, relay) ─▶ ProxiedRelay ─ forwardCommand(…) ─▶ answer of relay or proxy
 *   createSmpListener({identity, onPeer, …}) ─▶ SmpPeer ─ next() · send(message)       a server's end
 *
 * TLS 1.3 with a pinned fingerprint, blocks of 16,384 bytes, SMP versions 9 and 10: before blocks are encrypted once more,
 * so that real servers and clients, which speak these too, can take the place of ours. Ids, nonces and keys of single
 * commands are drawn by the system's generator; certificates follow from seed and name. What comes from the other end is
 * believed in nothing. Not here: queues, proxying and choosing proxies, which are the images', and every default.
 */
export {
  type AuthorizationKey,
  authorize,
  boxWith,
  isAuthorizationSize,
  isAuthorized,
  publicPart,
} from './authorization.ts';
export { BlockStream } from './block-stream.ts';
export { answerNonce, BoxKey } from './box.ts';
export { type ClientFailure, failureText, SmpClientError } from './client-error.ts';
export {
  type ClientMessage,
  openClientMessage,
  parseClientMessage,
  type SealedClientMessage,
  sealClientMessage,
} from './client-message.ts';
export {
  type Command,
  type CommandTag,
  type DestinationServer,
  encodeCommand,
  parseCommand,
} from './command.ts';
export { type ConnectOptions, connectSmp } from './connect-smp.ts';
export { type DeliveredMessage, openDelivered, sealDelivered } from './delivered-message.ts';
export {
  type ForwardedCommand,
  openForwarded,
  sealForwarded,
  unwrapAnswer,
  unwrapCommand,
  wrapAnswer,
  wrapCommand,
} from './forwarding.ts';
export {
  type ClientHello,
  encodeClientHello,
  encodeServerHello,
  parseClientHello,
  parseServerHello,
  type ServerHello,
} from './handshake.ts';
export type { KeepAlive } from './keep-alive.ts';
export { pad, unpad } from './padding.ts';
export {
  forwardCommand,
  type ProxiedAnswer,
  type ProxiedRelay,
  requestProxiedRelay,
} from './proxied-request.ts';
export { encodePublicKey, type PublicKey, parsePublicKey } from './public-key.ts';
export {
  formatServerAddress,
  isSameServer,
  parseServerAddress,
  publicHost,
  type ServerAddress,
  SMP_PORT,
} from './server-address.ts';
export { type ServerIdentity, serverIdentity } from './server-identity.ts';
export {
  encodeServerMessage,
  type ProxySession,
  parseServerMessage,
  type ServerMessage,
  type ServerMessageTag,
} from './server-message.ts';
export { openSignedKey, signKey } from './signed-key.ts';
export { SIZE, sharedVersions, VERSIONS, type VersionRange } from './sizes.ts';
export {
  type ConnectionListeners,
  type RequestOptions,
  requireAnswer,
  type SessionFacts,
  SmpConnection,
} from './smp-connection.ts';
export {
  type BrokerError,
  brokerError,
  type CommandError,
  encodeError,
  errorText,
  type ProxyError,
  type SmpError,
  type TransportError,
} from './smp-error.ts';
export { createSmpListener, type ListenerOptions, type SmpListener } from './smp-listener.ts';
export { type PeerFacts, SmpPeer } from './smp-peer.ts';
export { ALPN, TLS_OPTIONS } from './tls.ts';
export {
  encodeBlock,
  encodeSigned,
  encodeTransmission,
  NOTHING,
  parseBlock,
  type ReceivedTransmission,
  type Transmission,
} from './transmission.ts';
export { type Limits, TOO_LATE, within, withinOrLate } from './within.ts';
