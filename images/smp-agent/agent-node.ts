import type { NodeContext, RunningNode } from '../node-kit/index.ts';
import { adminHandlers } from './admin-handlers.ts';
import { Agent } from './agent.ts';
import { agentRules, keepAliveRules } from './agent-rules.ts';
import { AgentStore } from './agent-store.ts';
import { choiceRules } from './choice-rules.ts';
import { MessageHistory } from './message-history.ts';
import { readAddress, smpWire } from './smp-wire.ts';
import type { Wire } from './wire.ts';

/**
 * An agent as a node, whose lives follow each other: `POST /restart` ends one and begins the next with what is stored.
 * Without a server it starts all the same, and makes and joins nothing until `POST /servers` names one: the address of a real
 * server is known only once that runs.
 * @param wire the way to servers; the kit's connections by default
 */
export async function startAgent(node: NodeContext, wire: Wire = wireOf(node)): Promise<RunningNode> {
  const { settings, clock, name, seed } = node;
  const servers = settings.list('servers');
  const configured = settings.list('proxies');
  // A reset of the bed begins with nothing; a process that was started again finds what the one before had stored.
  const path = node.epoch === 0 ? settings.text('storePath') : '';
  let store = AgentStore.open(
    { path, tag: `${seed}/${name}` },
    {
      life: 0,
      lastConnection: 0,
      servers,
      proxies: configured.length > 0 ? configured : servers,
      addresses: {},
      connections: [],
    },
  );
  const history = new MessageHistory(node.emit, name, store.record.life);
  const begin = (): Agent => {
    const { life } = store.record;
    // The next life's picks are other ones, as they would be after any restart.
    const concern = (text: string) => node.chance(life === 0 ? text : `${text}/${life}`);
    const agent = new Agent({
      name,
      clock,
      rules: agentRules(settings),
      choiceRules: choiceRules(settings),
      store,
      history,
      wire,
      readAddress: readAddress(seed),
      proxyChance: concern('proxy'),
      serverChance: concern('servers'),
      emit: node.emit,
      log: node.log,
    });
    agent.start();
    return agent;
  };
  let agent = begin();
  const restart = (): Agent => {
    agent.end();
    store = store.restarted();
    history.begin(store.record.life);
    store.save();
    agent = begin();
    node.emit('agent.restarted', { life: store.record.life });
    return agent;
  };
  return {
    state: () => agent.state(),
    handlers: adminHandlers({ node, current: () => agent, restart }),
    stop: async () => agent.end(),
  };
}

function wireOf({ clock, seed, address, settings }: NodeContext): Wire {
  return smpWire({
    clock,
    seed,
    localAddress: address === '0.0.0.0' ? undefined : address,
    basicAuth: settings.text('basicAuth') || undefined,
    keepAlive: keepAliveRules(settings),
  });
}
