import { type Account, Fields, isRecord, parseAccount, WireError } from '../session-kit/index.ts';
import { inputError } from './input-error.ts';
import type { Network } from './network.ts';

/** What `POST /epoch` may ask for, and the fields of each. */
export const CHANGES = {
  dissolve: 'swarm',
  merge: 'swarm, into',
  split: 'swarm, account?',
  form: 'nodes, account',
  move: 'account or node, to',
  rearrange: 'share?',
  join: 'node, swarm',
  leave: 'node',
  decommission: 'node',
  recommission: 'node, swarm',
  prove: 'node, proven?',
} as const;

export type ChangeName = keyof typeof CHANGES;

/**
 * Makes the change that a request asks for.
 * @returns facts about it for the event: labels of new swarms, what was moved
 * @throws SquallError `bad-epoch` (input); the network may then be half changed and is to be thrown away
 */
export function applyChange(network: Network, body: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(body)) throw inputError('epoch: no object found; expected {"change": …}');
  const fields = new Fields(body);
  const name = fields.get('change');
  if (typeof name !== 'string' || !Object.hasOwn(CHANGES, name)) {
    throw inputError(
      `epoch: change ${JSON.stringify(name)} found; expected one of ${Object.keys(CHANGES).join(', ')}`,
    );
  }
  const change = name as ChangeName;
  try {
    return { change, ...make(network, change, fields) };
  } catch (error) {
    if (error instanceof WireError)
      throw inputError(`epoch: ${change}: ${error.message}; it takes ${CHANGES[change]}`);
    throw error;
  }
}

function make(network: Network, change: ChangeName, fields: Fields): Readonly<Record<string, unknown>> {
  const text = (name: string): string => {
    const value = fields.get(name);
    return typeof value === 'number' ? String(value) : fields.require(name, fields.text(name));
  };
  switch (change) {
    case 'dissolve':
      network.dissolve(text('swarm'));
      return { swarm: text('swarm') };
    case 'merge':
      network.merge(text('swarm'), text('into'));
      return { swarm: text('swarm'), into: text('into') };
    case 'split': {
      const created = network.split(text('swarm'), fields.has('account') ? accountOf(fields) : undefined);
      return { swarm: text('swarm'), created };
    }
    case 'form':
      return { created: network.form(fields.require('nodes', fields.texts('nodes')), accountOf(fields)) };
    case 'move':
      if (fields.has('node')) {
        network.moveNode(text('node'), text('to'));
        return { node: text('node'), to: text('to') };
      }
      network.moveAccount(accountOf(fields), text('to'));
      return { account: text('account'), to: text('to') };
    case 'rearrange':
      network.rearrange(shareOf(fields));
      return { share: shareOf(fields) };
    case 'join':
      network.join(text('node'), text('swarm'));
      return { node: text('node'), swarm: text('swarm') };
    case 'recommission':
      network.recommission(text('node'), text('swarm'));
      return { node: text('node'), swarm: text('swarm') };
    case 'prove':
      network.prove(text('node'), fields.boolean('proven') ?? true);
      return { node: text('node'), proven: fields.boolean('proven') ?? true };
    case 'leave':
    case 'decommission':
      network[change](text('node'));
      return { node: text('node') };
  }
}

function accountOf(fields: Fields): Account {
  const account = parseAccount(fields.get('account'));
  if (!account) throw inputError('epoch: account: expected 66 hexadecimal digits');
  return account;
}

function shareOf(fields: Fields): number {
  const share = fields.get('share') ?? 0.5;
  if (typeof share !== 'number' || !(share > 0 && share < 1))
    throw inputError('epoch: share: expected a number above 0 and below 1');
  return share;
}
