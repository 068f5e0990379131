import { SquallError } from '../../harness/errors/index.ts';
import type { TrialContext } from '../../harness/index.ts';
import { askNode } from '../../harness/index.ts';
import { idOf } from '../../images/fetch-node/index.ts';
import { type LaidStore, requireLaid } from './laid-stores.ts';

/** The chunk set of a wave, as both kinds of nodes are told of it. */
export interface WaveSet {
  readonly seed: string;
  readonly count: number;
  readonly minBytes: number;
  readonly maxBytes: number;
  /** How long real holders may take to drain their own bootstrap. */
  readonly patienceMs?: number;
}

/** What differs between the real node and the stand-in: how chunks get into stores, how a node begins, and who tells what. */
export interface NodeKind {
  readonly name: 'ant-node' | 'fetch-node';
  /** Holders have the set, have told it (`keys.held {of, keys}`) and have found each other when this is done. @throws SquallError `not-populated` */
  populate(trial: TrialContext, holders: readonly string[], set: WaveSet): Promise<void>;
  /** A joiner begins. */
  join(trial: TrialContext, joiner: string): Promise<void>;
  /** What a node holds, as events `keys.held {of, keys}`. */
  tellHeld(trial: TrialContext, node: string): Promise<void>;
  /** A node's last words: its summary. */
  finish(trial: TrialContext, node: string): Promise<void>;
}

/** Nodes nearest to a key, which must hold it. */
export const CLOSE_GROUP = 7;

/**
 * Nodes nearest to a key that store it in a settled network: the close group and ant-node's margin of 2
 * (`storage_admission_width` of its replication/config.rs). With chunks laid at the close group alone, incumbents begin by
 * fetching what their margin lacks, and are still at it when the wave comes.
 */
const ADMISSION_WIDTH = CLOSE_GROUP + 2;

const PATIENCE_MS = 300_000;

/** Holders that are populated at a time. */
const AT_ONCE = 4;

/** Keys in one event, whose line must stay short. */
const KEYS_PER_EVENT = 200;

interface State {
  readonly peer?: string;
}

/** By what a node says of itself: the front of a real one knows its peer id. */
export async function kindOf(trial: TrialContext, nodes: readonly string[]): Promise<NodeKind> {
  const states = await Promise.all(
    nodes.map(async (node) => [node, await askNode<State>(trial, node, 'GET', '/state')] as const),
  );
  const peers = new Map(states.map(([node, { peer }]) => [node, peer ?? idOf(node)]));
  for (const [of, peer] of peers) trial.emit('peer.known', { of, peer });
  return states.every(([, { peer }]) => peer !== undefined) ? realNode(peers) : STAND_IN;
}

function realNode(peers: ReadonlyMap<string, string>): NodeKind {
  return {
    name: 'ant-node',
    async populate(trial, holders, set) {
      const { patienceMs = PATIENCE_MS, ...asked } = set;
      const body = { ...asked, peers: holders.map((name) => peers.get(name)), group: ADMISSION_WIDTH };
      // Every node hashes the whole set, which takes a core for a while.
      const laid = new Map<string, LaidStore>();
      for (let from = 0; from < holders.length; from += AT_ONCE) {
        const some = holders.slice(from, from + AT_ONCE);
        await Promise.all(
          some.map(async (holder) =>
            laid.set(holder, await askNode<LaidStore>(trial, holder, 'POST', '/populate', body)),
          ),
        );
      }
      await Promise.all(holders.map((holder) => askNode(trial, holder, 'POST', '/tell-held', {})));
      const [first] = holders;
      if (first !== undefined) await askNode(trial, first, 'POST', '/tell-set', body);
      await Promise.all(holders.map((holder) => askNode(trial, holder, 'POST', '/start', {})));
      await trial.until({ event: 'bootstrap.drained', on: '*,!joiner', count: 'all' }, `${patienceMs}ms`);
      requireLaid(laid, { ...set, keys: set.count, group: ADMISSION_WIDTH }, trial.events);
    },
    join: async (trial, joiner) => void (await askNode(trial, joiner, 'POST', '/start', {})),
    tellHeld: async (trial, node) => void (await askNode(trial, node, 'POST', '/tell-held', {})),
    finish: async (trial, node) => void (await askNode(trial, node, 'POST', '/stop', {})),
  };
}

/** Of a stand-in's process, as its state has them. */
interface Spent {
  readonly cpuMs?: number;
  readonly rssBytes?: number;
}

const STAND_IN: NodeKind = {
  name: 'fetch-node',
  // Holders laid their part before they were ready; all parts together are the set.
  async populate(trial, holders) {
    const held = await Promise.all(holders.map((holder) => keysOf(trial, holder)));
    requireHeld(holders, held);
    tellKeys(trial, 'set.listed', { of: 'all' }, [...new Set(held.flat())]);
    for (const [index, keys] of held.entries()) tellKeys(trial, 'keys.held', { of: holders[index] }, keys);
  },
  join: async (trial, joiner) => void (await askNode(trial, joiner, 'POST', '/join', {})),
  tellHeld: async (trial, node) => tellKeys(trial, 'keys.held', { of: node }, await keysOf(trial, node)),
  async finish(trial, node) {
    const { cpuMs, rssBytes } = await askNode<Spent>(trial, node, 'GET', '/state');
    trial.emit('node.spent', { of: node, cpuMs, rssBytes });
    await askNode(trial, node, 'POST', '/summary', {});
  },
};

/** @throws SquallError `not-populated` when a holder has nothing: which keys it should have is for its topology to say. */
function requireHeld(holders: readonly string[], held: readonly (readonly string[])[]): void {
  const empty = holders.filter((_, index) => held[index]?.length === 0);
  if (empty.length === 0 && holders.length > 0) return;
  throw new SquallError(
    `the network is not populated: ${empty.join(', ') || 'no holder'} has no chunk; expected some at every holder.`,
    {
      code: 'not-populated',
      hint: 'Give the holders `chunkCount` and `incumbents` in the topology.',
    },
  );
}

async function keysOf(trial: TrialContext, node: string): Promise<readonly string[]> {
  const keys: string[] = [];
  for (;;) {
    const page = await askNode<{ readonly keys: readonly string[]; readonly of: number }>(
      trial,
      node,
      'POST',
      '/keys',
      { from: keys.length },
    );
    keys.push(...page.keys);
    if (page.keys.length === 0 || keys.length >= page.of) return keys;
  }
}

function tellKeys(
  trial: TrialContext,
  event: string,
  fields: Readonly<Record<string, unknown>>,
  keys: readonly string[],
): void {
  for (let from = 0; from < keys.length; from += KEYS_PER_EVENT) {
    trial.emit(event, { ...fields, keys: keys.slice(from, from + KEYS_PER_EVENT) });
  }
}
