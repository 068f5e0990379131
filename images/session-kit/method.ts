/** Methods that are about one account, and answered 421 by a node that does not have it. */
export const ACCOUNT_METHODS = [
  'store',
  'retrieve',
  'delete',
  'delete_all',
  'delete_before',
  'expire',
  'expire_all',
  'get_expiries',
  'revoke_subaccount',
  'unrevoke_subaccount',
] as const;

/** Of these, the ones that the node asked hands on to the rest of its swarm. */
export const SWARM_METHODS = ACCOUNT_METHODS.filter(
  (method) => method !== 'retrieve' && method !== 'get_expiries',
);

export const PLAIN_METHODS = ['get_swarm', 'oxend_request', 'active_nodes_bin', 'info'] as const;

/** Requests that carry others. */
export const META_METHODS = ['batch', 'sequence', 'ifelse'] as const;

export type AccountMethod = (typeof ACCOUNT_METHODS)[number];
export type Method = AccountMethod | (typeof PLAIN_METHODS)[number] | (typeof META_METHODS)[number];

const ALIASES: Readonly<Record<string, Method>> = { get_snodes_for_pubkey: 'get_swarm' };
const KNOWN: ReadonlySet<string> = new Set([...ACCOUNT_METHODS, ...PLAIN_METHODS, ...META_METHODS]);

/** @returns the method by its own name, or undefined for one that there is not */
export function parseMethod(name: string): Method | undefined {
  if (KNOWN.has(name)) return name as Method;
  return Object.hasOwn(ALIASES, name) ? ALIASES[name] : undefined;
}

export function isAccountMethod(method: Method): method is AccountMethod {
  return (ACCOUNT_METHODS as readonly string[]).includes(method);
}
