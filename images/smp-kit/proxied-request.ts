import { randomBytes } from 'node:crypto';
import { x25519Key } from '../../harness/identity/index.ts';
import { type AuthorizationKey, authorize, boxWith } from './authorization.ts';
import { answerNonce } from './box.ts';
import { type ClientFailure, SmpClientError } from './client-error.ts';
import { type Command, encodeCommand } from './command.ts';
import { openForwarded, sealForwarded } from './forwarding.ts';
import type { ServerAddress } from './server-address.ts';
import { parseServerMessage, type ServerMessage } from './server-message.ts';
import { openSignedKey } from './signed-key.ts';
import { SIZE, sharedVersions, VERSIONS } from './sizes.ts';
import { requireAnswer, type SmpConnection } from './smp-connection.ts';
import { encodeSigned } from './transmission.ts';

/** A proxy's session with a relay, as the client checked it. */
export interface ProxiedRelay {
  readonly address: ServerAddress;
  readonly sessionId: Uint8Array;
  readonly version: number;
  /** The relay's X25519 key of the session. */
  readonly relayKey: Uint8Array;
}

interface ProxyRequest {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Asks a proxy for its session with a relay (PRXY) and makes sure that it is with that relay.
 * @throws SmpClientError the proxy's error has kind `protocol`
 */
export async function requestProxiedRelay(
  proxy: SmpConnection,
  address: ServerAddress,
  options: ProxyRequest & { readonly basicAuth?: string | undefined },
): Promise<ProxiedRelay> {
  const command: Command = { tag: 'PRXY', server: address, basicAuth: options.basicAuth };
  const answer = requireAnswer(await proxy.request(command, options), 'PKEY');
  const subject = `the session of ${proxy.facts.address.hosts[0]} with ${address.hosts[0]}`;
  const versions = sharedVersions(answer.versions, VERSIONS);
  if (!versions) throw new SmpClientError(subject, transport('VERSION'));
  const relayKey = openSignedKey(answer.chain, answer.signedKey, address.fingerprint);
  if (!relayKey) throw new SmpClientError(subject, transport('HANDSHAKE IDENTITY'));
  return { address, sessionId: answer.sessionId, version: versions.max, relayKey };
}

/** Who answered a forwarded command. */
export type ProxiedAnswer =
  /** The relay: its answer, ERR included. */
  | { readonly from: 'relay'; readonly message: ServerMessage }
  /** The proxy, that it has none: `protocol` with PROXY …, or an answer that makes no sense. */
  | { readonly from: 'proxy'; readonly failure: ClientFailure };

/**
 * Sends a command to a relay through a proxy (PFWD), sealed so that the proxy cannot read it.
 * @throws SmpClientError when neither answered: `timeout`, `network`; `crypto` or `response` for an answer that the proxy
 * says to be the relay's and that cannot be opened or read
 */
export async function forwardCommand(
  proxy: SmpConnection,
  relay: ProxiedRelay,
  command: Command,
  options: ProxyRequest & {
    readonly entityId: Uint8Array;
    readonly key?: AuthorizationKey | undefined;
  },
): Promise<ProxiedAnswer> {
  const subject = `${command.tag} to ${relay.address.hosts[0]} through ${proxy.facts.address.hosts[0]}`;
  const commandKey = x25519Key(randomBytes(32));
  const box = boxWith(commandKey, relay.relayKey);
  if (!box) throw new SmpClientError(subject, { kind: 'crypto' });
  const correlationId = randomBytes(SIZE.correlationId);
  const { entityId, timeoutMs, signal } = options;
  const content = encodeCommand(command);
  const signed = encodeSigned({ correlationId, entityId, content });
  const authorization = authorize(options.key, relay.relayKey, {
    sessionId: relay.sessionId,
    correlationId,
    signed,
  });
  const sealed = sealForwarded(box, correlationId, { authorization, correlationId, entityId, content });
  const forward: Command = { tag: 'PFWD', version: relay.version, commandKey: commandKey.publicKey, sealed };
  const answer = await proxyAnswer(
    proxy.request(forward, { entityId: relay.sessionId, correlationId, timeoutMs, signal }),
  );
  if ('kind' in answer) return { from: 'proxy', failure: answer };
  const opened = openForwarded(box, answerNonce(correlationId), answer.sealed);
  if (opened === 'CRYPTO') throw new SmpClientError(subject, { kind: 'crypto' });
  if (opened === 'BLOCK') throw new SmpClientError(subject, { kind: 'transport', transport: 'BLOCK' });
  const message = parseServerMessage(opened.content);
  if (typeof message !== 'string') return { from: 'relay', message };
  throw new SmpClientError(subject, { kind: 'response', error: { tag: 'CMD', command: message } });
}

async function proxyAnswer(
  request: Promise<ServerMessage>,
): Promise<Extract<ServerMessage, { tag: 'PRES' | 'RRES' }> | ClientFailure> {
  try {
    const answer = await request;
    return answer.tag === 'PRES' ? answer : { kind: 'unexpected', text: answer.tag };
  } catch (error) {
    if (!(error instanceof SmpClientError)) throw error;
    const { kind } = error.failure;
    if (kind === 'protocol' || kind === 'response' || kind === 'unexpected') return error.failure;
    throw error;
  }
}

/** What the client itself found out about the proxy's session counts as the proxy's error, as in the real software. */
function transport(what: 'VERSION' | 'HANDSHAKE IDENTITY'): ClientFailure {
  const broker = { tag: 'TRANSPORT', transport: what } as const;
  return { kind: 'protocol', error: { tag: 'PROXY', proxy: { tag: 'BROKER', broker } } };
}
