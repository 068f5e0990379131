import { createHash } from 'node:crypto';
import { SquallError } from '../../harness/errors/index.ts';
import type { AdminAnswer, NodeContext, RunningNode } from '../node-kit/index.ts';
import {
  createNodeListener,
  Fields,
  formatSwarmId,
  type HttpAnswer,
  isRecord,
  type ListenerRequest,
  type NetworkList,
  nodeIdentity,
  PATH,
} from '../session-kit/index.ts';
import { applyChange } from './change.ts';
import { firstNetwork } from './first-network.ts';
import { HeldLists } from './held-lists.ts';
import { answerJsonRpc, answerSeedRpc } from './lists.ts';
import type { Network } from './network.ts';
import { OutsideServer } from './outside-server.ts';
import { whoHas } from './who-has.ts';

const FIRST_HEIGHT = 1_000_000;
const SERVER_PATH = '/oxen/v4/lsrpc';

/** Holds the network's list, serves it over HTTPS, and changes it when a scenario says so: every change is a new epoch. */
export async function startRegistry(node: NodeContext): Promise<RunningNode> {
  const { settings } = node;
  const identity = nodeIdentity(node.seed, node.name);
  let network: Network = firstNetwork(
    {
      nodes: settings.list('nodes'),
      reserve: settings.list('reserve'),
      unproven: settings.list('unproven'),
      swarmSize: settings.number('swarmSize'),
      swarmIds: settings.text('swarmIds') === 'seeded' ? 'seeded' : 'spread',
      seed: node.seed,
      facts: {
        httpsPort: settings.number('storagePort'),
        omqPort: settings.number('omqPort'),
        version: versionOf(settings.text('storageVersion')),
      },
    },
    node.chance('swarm-ids'),
  );
  let epoch = 0;
  let list = listOf();
  const chance = node.chance('lists');
  const server = new OutsideServer(identity);
  const held = new HeldLists();
  const requests: Record<string, number> = {};

  function listOf(): NetworkList {
    return {
      height: FIRST_HEIGHT + epoch,
      blockHash: createHash('sha256').update(`${node.seed}/${node.epoch}/${epoch}`).digest('hex'),
      hardfork: [settings.number('hardfork'), settings.number('snodeRevision')],
      nodes: network.list(),
      labels: network.labels,
    };
  }

  function change(body: unknown): AdminAnswer {
    // On a copy, so that a change that fails half way leaves nothing behind.
    const next = network.copy();
    let facts: Readonly<Record<string, unknown>>;
    try {
      facts = applyChange(next, body);
    } catch (error) {
      if (error instanceof SquallError && error.blame === 'input')
        return { status: 400, body: { error: error.message } };
      throw error;
    }
    network = next;
    epoch += 1;
    list = listOf();
    held.release();
    node.emit('epoch.changed', { epoch, ...facts, swarms: network.swarms().size, nodes: list.nodes.length });
    return { status: 200, body: { epoch, ...facts, swarms: swarmsJson(network) } };
  }

  /** The list, or the next one when the asker waits for it. */
  function lists(body: Buffer, connection: number): HttpAnswer | Promise<HttpAnswer> {
    const answer = answerJsonRpc(body, list, chance);
    if (answer !== 'hold') return answer;
    return held.hold(connection, () => {
      const next = answerJsonRpc(body, list, chance);
      return next === 'hold' ? 'cut' : next;
    });
  }

  function answer(request: ListenerRequest): HttpAnswer | Promise<HttpAnswer> {
    const { method, path, body, connection } = request;
    if (method !== 'POST') return { status: 404, text: 'not found' };
    requests[path] = (requests[path] ?? 0) + 1;
    if (path === PATH.jsonRpc) return lists(body, connection);
    if (path === PATH.rpc) return answerSeedRpc(body, list, Math.round(node.clock.wallMs()));
    if (path === SERVER_PATH) return server.answer(body);
    delete requests[path];
    return { status: 404, text: 'not found' };
  }

  const listener = await createNodeListener({
    host: node.address,
    port: settings.number('port'),
    identity,
    onRequest: answer,
    onClosed: (connection) => held.forget(connection),
    onTrouble: node.log,
  });

  return {
    state: () => ({
      epochNumber: epoch,
      ed25519: identity.ed25519,
      blockHash: list.blockHash,
      port: listener.port,
      nodes: list.nodes.length,
      swarms: swarmsJson(network),
      requests: { ...requests },
      waiting: held.waiting,
      bytes: listener.bytes(),
      server: server.state,
    }),
    handlers: {
      'POST /epoch': change,
      'POST /server': (body) => {
        const status = isRecord(body) ? new Fields(body).get('status') : undefined;
        if (!Number.isInteger(status))
          return { status: 400, body: { error: 'status: expected a whole number' } };
        server.tell(status as number, (body as { body?: unknown }).body ?? { ok: true });
        node.emit('server.told', { status });
        return { status: 200, body: server.state };
      },
      'POST /account': (body) => whoHas(network, body),
    },
    stop: () => listener.close(),
  };
}

function swarmsJson(network: Network): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    [...network.swarms()].map(([label, { id, members }]) => [label, { id: formatSwarmId(id), members }]),
  );
}

function versionOf(text: string): readonly [number, number, number] {
  const parts = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  if (!parts?.every((part) => part <= 255))
    throw new Error(`SQUALL_STORAGE_VERSION=${text}: expected 2.12.0 or the like`);
  return parts as unknown as readonly [number, number, number];
}
