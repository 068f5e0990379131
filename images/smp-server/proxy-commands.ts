import { randomBytes } from 'node:crypto';
import type { Clock } from '../../harness/clock/index.ts';
import {
  brokerError,
  type ClientFailure,
  type Command,
  errorText,
  failureText,
  requireAnswer,
  type ServerMessage,
  SIZE,
  SmpClientError,
  type SmpConnection,
  type SmpError,
  sharedVersions,
  unwrapAnswer,
  VERSIONS,
  wrapCommand,
} from '../smp-kit/index.ts';
import type { AnswerScript, ScriptedAnswer } from './answer-script.ts';
import { refusal } from './received-command.ts';
import type { RelayConnections, RelayOutcome } from './relay-connections.ts';
import type { Emit, ServerRules } from './server-options.ts';
import type { Slots } from './slots.ts';

/** The client of a proxy, for one command. */
export interface ProxyClient {
  /** Its places for commands that wait for relays. */
  readonly slots: Slots;
  /** Aborted when it leaves. */
  readonly signal: AbortSignal;
  readonly correlationId: Uint8Array;
  /** The session that PFWD names. */
  readonly entityId: Uint8Array;
  reply(message: ServerMessage): void;
}

type ProxySessionCommand = Extract<Command, { tag: 'PRXY' }>;
type ForwardCommand = Extract<Command, { tag: 'PFWD' }>;

const SEALED_MAX_BYTES = SIZE.forwarded + 16;

/** The proxy's side: sessions with relays for clients who ask, and commands forwarded in them. */
export class ProxyCommands {
  readonly #relays: RelayConnections;
  readonly #rules: ServerRules;
  readonly #clock: Clock;
  readonly #emit: Emit;
  readonly #script: AnswerScript;

  constructor(relays: RelayConnections, rules: ServerRules, clock: Clock, emit: Emit, script: AnswerScript) {
    this.#script = script;
    this.#relays = relays;
    this.#rules = rules;
    this.#clock = clock;
    this.#emit = emit;
  }

  /**
   * Takes a command on. Resolves when it has its slot, or needed none, so that the client's next command may be looked at;
   * the answer comes when there is one. Rejects with the signal's reason when the client leaves before that.
   */
  async take(command: ProxySessionCommand | ForwardCommand, client: ProxyClient): Promise<void> {
    const scripted = this.#script.next(command.tag);
    if (scripted?.error) {
      this.#after(scripted, client).reply(refusal(scripted.error));
      this.#emit('answer.scripted', { command: command.tag, result: errorText(scripted.error) });
      return;
    }
    const answered = scripted ? this.#after(scripted, client) : client;
    if (command.tag === 'PRXY') await this.#takeSession(command, answered);
    else await this.#takeForward(command, answered);
  }

  /** The same client, answered as much later as the script says; not at all once it has left. */
  #after({ delayMs }: ScriptedAnswer, client: ProxyClient): ProxyClient {
    if (delayMs === 0) return client;
    const reply = (message: ServerMessage): void => {
      this.#clock.after(delayMs, () => {
        if (!client.signal.aborted) client.reply(message);
      });
    };
    return { ...client, reply };
  }

  async #takeSession({ server, basicAuth }: ProxySessionCommand, client: ProxyClient): Promise<void> {
    const relay = `${server.hosts[0]}:${server.port}`;
    if (this.#rules.basicAuth !== '' && basicAuth !== this.#rules.basicAuth) {
      this.#answerSession(relay, { tag: 'PROXY', proxy: { tag: 'BASIC_AUTH' } }, client);
      return;
    }
    // A copy: what came is a view into a whole block, and this may be kept.
    const address = { ...server, fingerprint: Uint8Array.from(server.fingerprint) };
    const present = this.#relays.present(address);
    if (present) {
      if ('kind' in present) {
        this.#emit('relay.failed', { relay, error: failureText(present), cached: true });
      }
      this.#answerSession(relay, sessionOf(present), client);
      return;
    }
    const release = await client.slots.take(client.signal);
    this.#detach(client, release, async () => {
      this.#answerSession(relay, sessionOf(await this.#relays.reach(address, client.signal)), client);
    });
  }

  async #takeForward(command: ForwardCommand, client: ProxyClient): Promise<void> {
    const connection = this.#relays.ofSession(client.entityId);
    if (!connection) {
      client.reply(refusal({ tag: 'PROXY', proxy: { tag: 'NO_SESSION' } }));
      this.#emit('forward.answered', { relay: null, result: 'PROXY NO_SESSION', tookMs: 0 });
      return;
    }
    const release = await client.slots.take(client.signal);
    this.#detach(client, release, async () => {
      const beganMs = this.#clock.nowMs();
      const { hosts, port } = connection.facts.address;
      const answer = await this.#forward(connection, command, client);
      client.reply(answer);
      this.#emit('forward.answered', {
        relay: `${hosts[0]}:${port}`,
        result: answer.tag === 'ERR' ? errorText(answer.error) : 'ok',
        tookMs: this.#clock.nowMs() - beganMs,
      });
    });
  }

  /** @returns PRES or ERR */
  async #forward(
    connection: SmpConnection,
    command: ForwardCommand,
    client: ProxyClient,
  ): Promise<ServerMessage> {
    const { proxyBox } = connection.facts;
    if (!proxyBox) return refusal(brokerError({ tag: 'TRANSPORT', transport: 'NO_AUTH' }));
    const correlationId = randomBytes(SIZE.correlationId);
    const forwarded = { ...command, correlationId: client.correlationId };
    const sealed = wrapCommand(proxyBox, correlationId, forwarded);
    try {
      const options = {
        correlationId,
        timeoutMs: this.#rules.relayCommandTimeoutMs,
        signal: client.signal,
      };
      const rres = requireAnswer(await connection.request({ tag: 'RFWD', sealed }, options), 'RRES');
      const answer = unwrapAnswer(proxyBox, correlationId, rres.sealed);
      if (!answer) return refusal({ tag: 'CRYPTO' });
      if (answer.length > SEALED_MAX_BYTES) return refusal(brokerError({ tag: 'RESPONSE', text: 'BLOCK' }));
      return { tag: 'PRES', sealed: answer };
    } catch (error) {
      if (error instanceof SmpClientError) return refusal(proxyError(error.failure));
      throw error;
    }
  }

  #answerSession(relay: string, answer: ServerMessage | SmpError, client: ProxyClient): void {
    const message = answer.tag === 'PKEY' ? answer : refusal(answer as SmpError);
    client.reply(message);
    const result = message.tag === 'ERR' ? errorText(message.error) : 'ok';
    this.#emit('prxy.answered', { relay, result });
  }

  /** Work for a client in its slot; when the client leaves, it ends and nobody is answered. */
  #detach(client: ProxyClient, release: () => void, work: () => Promise<void>): void {
    const run = async (): Promise<void> => {
      try {
        await work();
      } catch (error) {
        if (!client.signal.aborted) throw error;
      } finally {
        release();
      }
    };
    void run();
  }
}

/** PKEY, or the error that stands in its place. */
function sessionOf(outcome: RelayOutcome): ServerMessage | SmpError {
  if ('kind' in outcome) return proxyError(outcome);
  const { session } = outcome.facts;
  const versions = sharedVersions(session.versions, VERSIONS);
  if (!versions) return brokerError({ tag: 'TRANSPORT', transport: 'VERSION' });
  const { sessionId, chain, signedKey } = session;
  return { tag: 'PKEY', sessionId, versions, chain, signedKey };
}

/** What a client is told of the proxy's own trouble with a relay. */
export function proxyError(failure: ClientFailure): SmpError {
  switch (failure.kind) {
    case 'protocol':
      return { tag: 'PROXY', proxy: { tag: 'PROTOCOL', error: failure.error } };
    case 'response':
      return brokerError({ tag: 'RESPONSE', text: errorText(failure.error) });
    case 'unexpected':
      return brokerError({ tag: 'UNEXPECTED', text: failure.text });
    case 'timeout':
      return brokerError({ tag: 'TIMEOUT' });
    case 'network':
      return brokerError({ tag: 'NETWORK' });
    case 'host':
      return brokerError({ tag: 'HOST' });
    case 'transport':
      return brokerError({ tag: 'TRANSPORT', transport: failure.transport });
    case 'crypto':
      return { tag: 'CRYPTO' };
  }
}
