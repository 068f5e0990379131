import { createFleet } from '../../harness/fleet/index.ts';
import { History, runLoad } from '../../harness/workload/index.ts';
import type { NodeContext, RunningNode } from '../node-kit/index.ts';
import { RelayClient } from './relay-client.ts';

/** A fleet of clients, each with an address of its own, who send to one another through a relay. */
export async function startClients(node: NodeContext): Promise<RunningNode> {
  const relays = node.settings.list('relays').map((text) => {
    const [name = '', address = ''] = text.split('@');
    return { name, address };
  });
  // All clients of a fleet share a relay, so that the one that takes a message knows its receiver.
  const [relay] = node.chance('relay').shuffle(relays);
  if (!relay) throw new Error('SQUALL_RELAYS: expected at least one name@address');
  const addresses = node.fleet.length > 0 ? node.fleet : [node.address];
  const history = new History(node.emit, node.name);
  const clients = createFleet(node.name, addresses, node.chance('fleet')).map(
    (own) => new RelayClient(node, own, relay, (message) => history.received(message, own.name)),
  );
  for (const client of clients) client.connect();

  const load = startLoad(node, clients, history);
  return {
    state: () => ({
      clients: clients.map(({ own, connected }) => ({ name: own.name, address: own.address, connected })),
      load: load.counts(),
    }),
    handlers: {
      'POST /pause': async () => {
        await load.stop();
        node.emit('load.paused', load.counts());
        return { status: 200, body: load.counts() };
      },
    },
    stop: async () => {
      for (const client of clients) client.close();
      await load.stop();
    },
  };
}

const IN_FLIGHT_MAX = 16;

/** Every client sends at its own seeded pace until the load is stopped. */
function startLoad(node: NodeContext, clients: readonly RelayClient[], history: History) {
  const perSecond = node.settings.number('perSecond');
  const stopping = new AbortController();
  const signal = AbortSignal.any([node.signal, stopping.signal]);
  const counts = { begun: 0, skipped: 0 };
  const loadOf = async (client: RelayClient, position: number): Promise<void> => {
    const next = clients[(position + 1) % clients.length] ?? client;
    const to = node.settings.text('to') || next.own.name;
    const { begun, skipped } = await runLoad({
      clock: node.clock,
      chance: client.own.chance.derive('load'),
      perSecond,
      inFlightMax: IN_FLIGHT_MAX,
      signal,
      operate: async () => {
        const message = history.nextMessage(String(client.own.index));
        const facts = { process: client.own.name, kind: 'send', message, to: [to] };
        await history.run(facts, () => client.send(message, to));
      },
    });
    counts.begun += begun;
    counts.skipped += skipped;
  };
  const loads = perSecond === 0 ? [] : clients.map(loadOf);
  return {
    counts: () => ({ ...counts }),
    stop: async (): Promise<void> => {
      stopping.abort();
      await Promise.all(loads);
    },
  };
}
