import { readRedirect, readRedirectAddresses } from '../session-kit/index.ts';
import type { ClientRules } from './client-rules.ts';
import { field } from './json-field.ts';
import type { NamedNode } from './pool-node.ts';
import { isSuccess } from './request.ts';
import { accountIn } from './request-accounts.ts';

export interface SubResult {
  /** Absent for a response that is no batch: its own status stands. */
  readonly code?: number;
  readonly body?: unknown;
}

/** The parts of a batch's or sequence's body; a body that is none is its own only part. */
export function subResults(body: unknown): readonly SubResult[] {
  const results = field(body, 'results');
  if (!Array.isArray(results)) return [{ body }];
  return results.map((result) => {
    const code = field(result, 'code');
    return { ...(typeof code === 'number' ? { code } : {}), body: field(result, 'body') };
  });
}

/** The status that all parts of a batch failed with; undefined when one succeeded or they differ. */
export function uniformError(body: unknown): number | undefined {
  const codes = subResults(body).map(({ code }) => code);
  const [first] = codes;
  if (first === undefined || isSuccess(first)) return undefined;
  return codes.every((code) => code === first) ? first : undefined;
}

/** Whether some part of a batch was answered with success. */
export function hasAnswered(body: unknown): boolean {
  return subResults(body).some(({ code }) => code !== undefined && isSuccess(code));
}

export interface Rejections {
  /** The nodes that were named as the swarm of each account that was rejected; those of its first 421. */
  readonly accounts: ReadonlyMap<string, readonly NamedNode[]>;
  /** A 421 belongs to no account of ours, or names another one. */
  readonly unattributed: boolean;
}

type Rules = Pick<
  ClientRules,
  'readSubResults' | 'attributeByPosition' | 'ignoreDifferingEcho' | 'acceptWithoutEcho'
>;

/**
 * Which accounts a response rejects. A 421 belongs to the account at its position in our own request: what it says itself
 * is the word of whoever answered, and is compared, never believed.
 * @param status the response's own
 */
export function findRejections(
  rules: Rules,
  status: number,
  body: unknown,
  accounts: readonly (string | undefined)[],
): Rejections {
  const rejected = new Map<string, readonly NamedNode[]>();
  let unattributed = false;
  const parts: readonly SubResult[] = rules.readSubResults ? subResults(body) : [{ body }];
  parts.forEach((part, position) => {
    if ((part.code ?? status) !== 421) return;
    const account = attribute(rules, part, accounts[position]);
    if (account === undefined) unattributed = true;
    else if (!rejected.has(account)) rejected.set(account, namedNodes(part.body));
  });
  return { accounts: rejected, unattributed };
}

/** An echo that is no account's key says nothing, as none does: whoever wants to say nothing may leave it out. */
function attribute(rules: Rules, { body }: SubResult, own: string | undefined): string | undefined {
  const echo = accountIn(body);
  if (!rules.attributeByPosition && echo !== undefined) return echo;
  if (own === undefined) return undefined;
  if (echo === undefined) return rules.acceptWithoutEcho ? own : undefined;
  return isSameAccount(echo, own) || !rules.ignoreDifferingEcho ? own : undefined;
}

/** With or without the byte that says its kind. */
function isSameAccount(a: string, b: string): boolean {
  return a.slice(-64) === b.slice(-64) && (a.length !== b.length || a === b);
}

/** Every node with a key; where it says nothing readable of its address, none. */
function namedNodes(body: unknown): readonly NamedNode[] {
  const addresses = new Map(readRedirectAddresses(body).map((one) => [one.ed25519, one]));
  return readRedirect(body).nodes.map(
    (ed25519) => addresses.get(ed25519) ?? { ed25519, ip: '0.0.0.0', httpsPort: 0 },
  );
}
