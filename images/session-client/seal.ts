import {
  buildOnion,
  type Hop,
  openAnswer,
  rpcBody,
  WireError,
  x25519OfEd25519,
} from '../session-kit/index.ts';
import type { PoolNode } from './pool-node.ts';
import type { Opened, Seal } from './router-ports.ts';

/** Hops by their key: working out the other key of one takes a while, and the pool is the same for all clients. */
const hops = new Map<string, Hop>();
const HOPS_MAX = 10_000;

function hopOf({ ed25519 }: PoolNode): Hop {
  const known = hops.get(ed25519);
  if (known) return known;
  if (hops.size >= HOPS_MAX) hops.clear();
  const x25519 = x25519OfEd25519(Buffer.from(ed25519, 'hex')) ?? Buffer.alloc(32);
  const hop = { ed25519, x25519 };
  hops.set(ed25519, hop);
  return hop;
}

/** Real layers, one for each relay, around a request that the destination alone can read. */
export const seal: Seal = (relays, to, method, params) => {
  const content = rpcBody({ method, params: params as Readonly<Record<string, unknown>> });
  const target = { kind: 'node', node: hopOf(to) } as const;
  const { body, answerKey } = buildOnion(content, target, relays.map(hopOf));
  return { blob: body, open: (answer) => open(answer.body, answerKey) };
};

function open(body: Uint8Array, key: Parameters<typeof openAnswer>[1]): Opened {
  try {
    return { authentic: true, ...openAnswer(body, key) };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    // What decrypts and is nonsense all the same has still not said anything that could be acted on.
    return { authentic: false, reason: error.code };
  }
}
