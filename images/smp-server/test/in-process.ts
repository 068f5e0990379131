import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../../../harness/clock/index.ts';
import { ed25519Key, x25519Key } from '../../../harness/identity/index.ts';
import { readSettings } from '../../node-kit/settings.ts';
import {
  type AuthorizationKey,
  BoxKey,
  type ConnectOptions,
  connectSmp,
  openDelivered,
  parseServerAddress,
  publicPart,
  requireAnswer,
  type ServerAddress,
  type ServerMessage,
  type SmpConnection,
  serverIdentity,
} from '../../smp-kit/index.ts';
import image from '../image.json' with { type: 'json' };
import { readRules, type ServerRules } from '../server-options.ts';
import { type SmpServer, startSmpServer } from '../start-server.ts';

export const SEED = '7';
/** No test waits that long: a limit of requests that are expected to be answered. */
export const SOON_MS = 60_000;

export interface EventLine {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** A server in this process, with what it said. */
export interface InProcessServer {
  readonly server: SmpServer;
  readonly address: ServerAddress;
  readonly events: EventLine[];
}

export const SHIPPED: ServerRules = readRules(readSettings(image, {}).settings);

/** Servers and connections of a test, all ended by `close`. */
export class TestBed {
  readonly clock: Clock;
  readonly #closers: (() => unknown)[] = [];

  constructor(clock: Clock = systemClock()) {
    this.clock = clock;
  }

  async serve(name: string, rules: Partial<ServerRules> = {}, port = 0): Promise<InProcessServer> {
    const events: EventLine[] = [];
    const server = await startSmpServer({
      identity: serverIdentity(SEED, name),
      host: '127.0.0.1',
      port,
      rules: { ...SHIPPED, ...rules },
      clock: this.clock,
      emit: (event, fields = {}) => events.push({ event, fields }),
    });
    this.#closers.push(() => server.close());
    return { server, address: parseServerAddress(`${name}@127.0.0.1:${server.port}`, SEED), events };
  }

  async connect(address: ServerAddress, more: Partial<ConnectOptions> = {}): Promise<SmpConnection> {
    const connection = await connectSmp({ address, clock: this.clock, timeoutMs: SOON_MS, ...more });
    this.later(() => connection.close());
    return connection;
  }

  later(closer: () => unknown): void {
    this.#closers.push(closer);
  }

  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0).reverse()) await closer();
  }
}

/** Runs the event loop until it is so; the test's own timeout bounds it. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await new Promise((resolve) => setImmediate(resolve));
}

export const signingKey = (): AuthorizationKey => ({ curve: 'ed25519', key: ed25519Key(randomBytes(32)) });
export const agreementKey = (): AuthorizationKey => ({ curve: 'x25519', key: x25519Key(randomBytes(32)) });

/** A queue with its recipient's keys. */
export async function newQueue(
  connection: SmpConnection,
  more: { basicAuth?: string; subscribe?: boolean; senderSecures?: boolean; key?: AuthorizationKey } = {},
) {
  const key = more.key ?? signingKey();
  const dh = x25519Key(randomBytes(32));
  const answer = await connection.request(
    {
      tag: 'NEW',
      recipientKey: publicPart(key),
      recipientDhKey: dh.publicKey,
      basicAuth: more.basicAuth,
      subscribe: more.subscribe ?? true,
      senderSecures: more.senderSecures ?? false,
    },
    { key, timeoutMs: SOON_MS },
  );
  const { recipientId, senderId, serverDhKey } = requireAnswer(answer, 'IDS');
  const box = new BoxKey(dh, serverDhKey);
  return {
    key,
    recipientId,
    senderId,
    /** The text of a delivered message, or QUOTA. */
    open: (message: ServerMessage): string => {
      if (message.tag !== 'MSG') return message.tag;
      const delivered = openDelivered(box, message.messageId, message.sealed);
      return delivered?.kind === 'message' ? Buffer.from(delivered.message).toString() : 'QUOTA';
    },
    ask: (command: Parameters<SmpConnection['request']>[0], on = connection) =>
      on.request(command, { entityId: recipientId, key, timeoutMs: SOON_MS }),
  };
}

export const send = (text: string) => ({ tag: 'SEND', notify: false, message: Buffer.from(text) }) as const;

/** What an error says: `AUTH`, `TIMEOUT`, `PROXY BROKER HOST`; the answer's tag when there is none. */
export async function outcomeOf(request: Promise<ServerMessage>): Promise<string> {
  try {
    return (await request).tag;
  } catch (error) {
    const facts = (error as { facts?: { failure?: string } }).facts;
    if (facts?.failure === undefined) throw error;
    return facts.failure;
  }
}
