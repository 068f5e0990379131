import type { AdminAnswer } from '../node-kit/index.ts';
import { isRecord, parseAccount } from '../session-kit/index.ts';
import type { Network } from './network.ts';

/** `POST /account {account}`: the swarm that has it in this epoch, for scenarios and checks. */
export function whoHas(network: Network, body: unknown): AdminAnswer {
  const account = parseAccount(isRecord(body) ? body['account'] : undefined);
  if (!account) return { status: 400, body: { error: 'account: expected 66 hexadecimal digits' } };
  const swarm = network.labelOf(account);
  const members = swarm === undefined ? [] : (network.swarms().get(swarm)?.members ?? []);
  return { status: 200, body: { account: account.id, swarm, members } };
}
