import type { SeededStream } from '../../harness/random/index.ts';
import {
  encodeNodeRecords,
  Fields,
  type HttpAnswer,
  INVALID_SWARM_ID,
  type NetworkList,
  networkListJson,
  parseJson,
  WireError,
} from '../session-kit/index.ts';

const LIST_METHODS = ['get_service_nodes', 'get_n_service_nodes', 'get_all_service_nodes'];

/**
 * `POST /json_rpc`: the list for storage nodes.
 * @returns `hold` when the asker has that list already and asked to be told of the next
 */
export function answerJsonRpc(
  body: Uint8Array,
  list: NetworkList,
  chance: SeededStream,
): HttpAnswer | 'hold' {
  return refusing<HttpAnswer | 'hold'>(() => {
    const request = new Fields(parseJson(body));
    const method = request.text('method') ?? '';
    if (!LIST_METHODS.includes(method)) {
      const error = { code: -32_601, message: 'Method not found' };
      return { status: 200, json: { jsonrpc: '2.0', id: request.get('id') ?? null, error } };
    }
    const params = new Fields(request.get('params') ?? {}, 'params');
    const isKnown = params.text('poll_block_hash') === list.blockHash;
    if (isKnown && params.boolean('hold')) return 'hold';
    const result = isKnown
      ? { unchanged: true, height: list.height, block_hash: list.blockHash, status: 'OK' }
      : networkListJson({ ...list, nodes: chosen(list, params, chance) });
    return { status: 200, json: { jsonrpc: '2.0', id: request.get('id') ?? null, result } };
  });
}

/** `POST /storage_rpc/v1`: as a seed node, for clients that know nobody yet: `active_nodes_bin` and `info`. */
export function answerSeedRpc(body: Uint8Array, list: NetworkList, wallMs: number): HttpAnswer {
  return refusing(() => {
    const method = new Fields(parseJson(body)).text('method');
    if (method === 'active_nodes_bin') {
      const bytes = encodeNodeRecords(list.nodes.filter(({ swarmId }) => swarmId !== INVALID_SWARM_ID));
      return { status: 200, type: 'application/octet-stream', bytes };
    }
    if (method === 'info')
      return { status: 200, json: { version: [2, 12, 0], timestamp: wallMs, t: wallMs, hf: list.hardfork } };
    return { status: 400, text: 'a seed node answers active_nodes_bin and info' };
  });
}

function chosen(list: NetworkList, params: Fields, chance: SeededStream): NetworkList['nodes'] {
  const keys = params.texts('service_node_pubkeys');
  const active = params.boolean('active_only') ?? false;
  const fitting = list.nodes.filter(
    ({ legacy, swarmId }) =>
      (keys === undefined || keys.includes(legacy)) && !(active && swarmId === INVALID_SWARM_ID),
  );
  const limit = params.integer('limit') ?? 0;
  return limit > 0 && limit < fitting.length ? chance.pick(limit, fitting) : fitting;
}

function refusing<T>(make: () => T): T | HttpAnswer {
  try {
    return make();
  } catch (error) {
    if (error instanceof WireError) return { status: 400, text: `${error.code}: ${error.message}` };
    throw error;
  }
}
