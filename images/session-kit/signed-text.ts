import { signedNamespace } from './namespace.ts';
import type { AccountRequest } from './storage-request.ts';

/**
 * What the owner of an account signs for a request: the parts one after another, numbers as decimal text.
 * @returns undefined for a store or retrieve that carries no signature
 */
export function signedText(request: AccountRequest): Buffer | undefined {
  switch (request.method) {
    case 'store':
      return (
        request.authorization &&
        joined('store', signedNamespace(request.namespace), request.authorization.signedAtMs)
      );
    case 'retrieve':
      return (
        request.authorization &&
        joined('retrieve', signedNamespace(request.namespace), request.authorization.timestampMs)
      );
    case 'delete':
      return joined('delete', ...request.messages);
    case 'delete_all':
      return joined('delete_all', signedNamespace(request.namespace), request.timestampMs);
    case 'delete_before':
      return joined('delete_before', signedNamespace(request.namespace), request.beforeMs);
    case 'expire':
      return joined('expire', request.only ?? '', ...request.expiriesMs, ...request.messages);
    case 'expire_all':
      return joined('expire_all', signedNamespace(request.namespace), request.expiryMs);
    case 'get_expiries':
      return joined('get_expiries', request.timestampMs, ...request.messages);
    case 'revoke_subaccount':
    case 'unrevoke_subaccount':
      return joined(request.method, request.timestampMs, ...request.tokens);
  }
}

/** One after another: texts and numbers as UTF-8, bytes as they are. */
export function joined(...parts: readonly (string | number | Uint8Array)[]): Buffer {
  return Buffer.concat(
    parts.map((part) => (typeof part === 'object' ? part : Buffer.from(String(part), 'utf8'))),
  );
}
