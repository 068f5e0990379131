import { Fields, networkListJson, WireError } from '../session-kit/index.ts';
import type { NetworkView } from './network-view.ts';
import type { RpcAnswer } from './rpc-answer.ts';

/** `oxend_request`: what clients may ask of the chain through a storage node. @throws WireError `wrong-shape` */
export function answerOxend(fields: Fields, view: NetworkView): RpcAnswer {
  const endpoint = fields.require('endpoint', fields.text('endpoint'));
  if (endpoint === 'ons_resolve') return { status: 200, body: { result: {} } };
  if (endpoint !== 'get_service_nodes')
    throw new WireError('wrong-shape', `Invalid oxend endpoint '${endpoint.slice(0, 64)}'`);
  const { list } = view;
  if (!list) return { status: 502, body: 'oxend returned unparsable data' };
  const params = new Fields(fields.get('params') ?? {}, 'params');
  if (params.text('poll_block_hash') === list.blockHash) {
    return {
      status: 200,
      body: { result: { unchanged: true, height: list.height, block_hash: list.blockHash } },
    };
  }
  const limit = params.integer('limit') ?? 0;
  const nodes = limit > 0 ? list.nodes.slice(0, limit) : list.nodes;
  return { status: 200, body: { result: networkListJson({ ...list, nodes }) } };
}
