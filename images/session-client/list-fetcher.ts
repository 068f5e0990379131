import { parseNodeRecords, WireError } from '../session-kit/index.ts';
import type { PoolNode } from './pool-node.ts';
import type { Fetcher, FetchResult } from './pool-refresher.ts';
import type { CallResult, Transport } from './transport.ts';

/** Asks a node for the list of all nodes, straight: 51 bytes for each of them. */
export function listFetcher(transport: Transport): Fetcher {
  return (from, timeoutMs, onResult) => {
    transport.call(from, { kind: 'rpc', method: 'active_nodes_bin', params: {} }, timeoutMs, (result) =>
      onResult(resultOf(result)),
    );
  };
}

function resultOf(result: CallResult): FetchResult {
  if (!('answer' in result)) return { ok: false, reason: result.message, bytes: 0 };
  const { status, body } = result.answer;
  const bytes = body.length;
  if (status !== 200) return { ok: false, reason: `status ${status}`, bytes };
  try {
    return { ok: true, nodes: parseNodeRecords(body).filter(isReachable), bytes };
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    return { ok: false, reason: error.message, bytes };
  }
}

/** A record without an address (0.0.0.0, port 0) names a node that nobody can speak to. */
function isReachable({ ip, httpsPort }: PoolNode): boolean {
  return ip !== '0.0.0.0' && httpsPort !== 0;
}
