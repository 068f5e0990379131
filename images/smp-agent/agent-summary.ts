import type { ConnectionRecord } from './connection-record.ts';

/** The agent in one line, for `squall status`: `2 connections, 1 established; STUCK relay-1 via proxy-1`. */
export function agentSummary(
  connections: readonly Pick<ConnectionRecord, 'status'>[],
  stuck: readonly string[],
  choices: Readonly<Record<string, { readonly proxy: string }>>,
): string {
  const established = connections.filter(({ status }) => status === 'established').length;
  const ways = stuck.map((destination) => {
    const choice = choices[destination];
    return choice ? `${destination} via ${choice.proxy}` : destination;
  });
  const links = `${connections.length} ${connections.length === 1 ? 'connection' : 'connections'}, ${established} established`;
  return ways.length > 0 ? `${links}; STUCK ${ways.join(', ')}` : links;
}
