import type { AdminAnswer, NodeContext, RunningNode } from '../node-kit/index.ts';
import {
  Fields,
  isRecord,
  type NodeTarget,
  nodeIdentity,
  parseIpv4,
  WireError,
} from '../session-kit/index.ts';
import { StorageNode, type StorageNodeOptions } from './storage-node.ts';
import { storageRules } from './storage-rules.ts';
import { parseStorm } from './storm-spec.ts';

/** A storage node, and those that it stands for: each a server of its own with its own keys and port. */
export async function startStorage(node: NodeContext): Promise<RunningNode> {
  const { settings, clock, seed, emit, log } = node;
  const registry = targetOf(settings.text('registry'), settings.number('registryPort'), seed);
  const shared = { clock, seed, host: node.address, registry, rules: storageRules(settings), emit, log };
  const open = (options: Pick<StorageNodeOptions, 'name' | 'port'>) =>
    new StorageNode({ ...shared, ...options });
  const own = open({ name: node.name, port: settings.number('port') });
  const others = settings.list('standFor').map((text) => open(placeOf(text)));
  const all = [own, ...others];
  await Promise.all(all.map((one) => one.start()));

  const stormState = () => ({
    on: all.some(({ storm }) => storm.on),
    answered: all.reduce((sum, { storm }) => sum + storm.answered, 0),
    stuck: all.reduce((sum, { storm }) => sum + storm.stuck, 0),
    as: Object.fromEntries(all.map((one) => [one.identity.name, one.stormState()])),
  });
  const setStorm = (body: unknown): AdminAnswer => {
    try {
      const fields = new Fields(body, 'storm');
      const as = fields.text('as');
      const meant = as === undefined ? all : all.filter(({ identity }) => identity.name === as);
      if (meant.length === 0) throw new WireError('wrong-shape', `as: ${as} is not here`);
      if (fields.boolean('on') === false) for (const one of meant) one.storm.end();
      else {
        const spec = parseStorm(body);
        for (const one of meant) one.storm.begin(spec);
      }
      return { status: 200, body: stormState() };
    } catch (error) {
      if (error instanceof WireError) return { status: 400, body: { error: error.message } };
      throw error;
    }
  };

  return {
    state: () => ({ ...own.state(), storm: stormState(), standsFor: others.map((one) => one.state()) }),
    handlers: {
      'GET /storm': () => ({ status: 200, body: stormState() }),
      'POST /storm': setStorm,
      'GET /counts': () => ({
        status: 200,
        body: Object.fromEntries(all.map((one) => [one.identity.name, one.counts.full()])),
      }),
      'POST /messages': (body) => messagesOf(own, body),
    },
    stop: async () => {
      await Promise.all(all.map((one) => one.stop()));
    },
  };
}

/** `POST /messages {account}`: hashes that this node has, so that a check can compare members without asking as a client. */
function messagesOf(node: StorageNode, body: unknown): AdminAnswer {
  const account = isRecord(body) ? body['account'] : undefined;
  if (typeof account !== 'string')
    return { status: 400, body: { error: 'account: expected 66 hexadecimal digits' } };
  const messages = node.store.all(account.toLowerCase());
  return { status: 200, body: { account, hashes: messages.map(({ hash }) => hash).sort() } };
}

function targetOf(text: string, httpsPort: number, seed: string): NodeTarget {
  const [name = '', ip = '', ...more] = text.split('@');
  if (name === '' || more.length > 0 || !parseIpv4(ip))
    throw new Error(`SQUALL_REGISTRY=${text}: expected name@address`);
  return { ip, httpsPort, ed25519: nodeIdentity(seed, name).ed25519 };
}

function placeOf(text: string): { readonly name: string; readonly port: number } {
  const [, name, port] = /^([^:]+):(\d{1,5})$/.exec(text) ?? [];
  if (name === undefined || Number(port) < 1 || Number(port) > 65_535)
    throw new Error(`SQUALL_STAND_FOR: ${text} found; expected name:port`);
  return { name, port: Number(port) };
}
