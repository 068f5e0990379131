import type { ClientRules } from './client-rules.ts';
import { field } from './json-field.ts';

type Rules = Pick<ClientRules, 'fallbackFillsUnnamed' | 'fallbackKeepsNamed'>;

/**
 * The account of each sub-request of a batch or sequence, in order. What a sub-request names stays; the fallback, which is
 * the account that the caller says the request is for, fills those that name none.
 */
export function requestAccounts(
  rules: Rules,
  params: unknown,
  fallback: string | undefined,
): readonly (string | undefined)[] {
  const requests = field(params, 'requests');
  if (!Array.isArray(requests)) return [accountIn(params) ?? fallback];
  return requests.map((request) => {
    const own = accountIn(field(request, 'params'));
    if (!rules.fallbackKeepsNamed && fallback !== undefined) return fallback;
    return own ?? (rules.fallbackFillsUnnamed ? fallback : undefined);
  });
}

/** The account that an object names as `pubkey`, in lower case. */
export function accountIn(from: unknown): string | undefined {
  const name = field(from, 'pubkey') ?? field(from, 'pubKey');
  return typeof name === 'string' && /^([0-9a-f]{66}|[0-9a-f]{64})$/i.test(name)
    ? name.toLowerCase()
    : undefined;
}
