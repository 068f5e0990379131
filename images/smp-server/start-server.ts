import { createSmpListener, formatServerAddress, type SmpPeer } from '../smp-kit/index.ts';
import { AnswerScript } from './answer-script.ts';
import { ClientSession } from './client-session.ts';
import { ProxyCommands } from './proxy-commands.ts';
import { QueueCommands } from './queue-commands.ts';
import { QueueStore } from './queue-store.ts';
import { RelayConnections } from './relay-connections.ts';
import type { ServerOptions } from './server-options.ts';

export interface SmpServer {
  readonly port: number;
  /** What `/state` shows. */
  state(): Readonly<Record<string, unknown>>;
  /** What the server, as a proxy, answers because it is told to. */
  readonly script: AnswerScript;
  close(): Promise<void>;
}

/** Clients whose slots `/state` lists. */
const LISTED_MAX = 100;

/** An SMP server: relay and proxy at once, as every server of SMP is. */
export async function startSmpServer(options: ServerOptions): Promise<SmpServer> {
  const { identity, rules, clock, emit, host } = options;
  const store = new QueueStore(rules);
  const relays = new RelayConnections(rules, clock, emit, sourceAddress(host));
  const script = new AnswerScript();
  const proxy = new ProxyCommands(relays, rules, clock, emit, script);
  const queues = new QueueCommands(store, rules, () => clock.wallMs() / 1_000, emit);
  const sessions = new Set<ClientSession>();
  const totals = { clients: 0, refused: 0, commands: 0 };

  const serve = async (peer: SmpPeer): Promise<void> => {
    const session = new ClientSession(peer, queues, proxy, rules.clientConcurrency);
    sessions.add(session);
    totals.clients += 1;
    emit('client.connected', { from: session.from, proxy: session.isProxy });
    const reason = await session.run();
    sessions.delete(session);
    totals.commands += session.commands;
    emit('client.disconnected', { from: session.from, proxy: session.isProxy, reason });
  };

  const listener = await createSmpListener({
    host,
    port: options.port,
    identity,
    clock,
    helloTimeoutMs: rules.helloTimeoutMs,
    connectionsMax: rules.connectionsMax,
    onPeer: (peer) => void serve(peer),
    onRefused: (from, reason) => {
      totals.refused += 1;
      emit('client.refused', { from, reason });
    },
  });

  return {
    port: listener.port,
    script,
    state: () => {
      const busy = [...sessions].filter(({ slots }) => slots.inUse > 0).slice(0, LISTED_MAX);
      return {
        address: formatServerAddress({
          fingerprint: identity.fingerprint,
          hosts: [host],
          port: String(listener.port),
        }),
        ...store.counts(),
        clients: sessions.size,
        relays: relays.state(),
        slots: busy.map(({ from, slots }) => ({ from, inUse: slots.inUse, waiting: slots.waiting })),
        slotsInUse: [...sessions].reduce((sum, { slots }) => sum + slots.inUse, 0),
        answersScripted: script.left,
        clientsEver: totals.clients,
        clientsRefused: totals.refused,
        commandsEver: [...sessions].reduce((sum, { commands }) => sum + commands, totals.commands),
      };
    },
    close: async () => {
      relays.close();
      await listener.close();
    },
  };
}

/** Connections to relays come from the node's own address, unless it listens on all of them. */
function sourceAddress(host: string): string | undefined {
  return host === '0.0.0.0' || host === '' ? undefined : host;
}
