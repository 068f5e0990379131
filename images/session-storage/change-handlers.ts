import {
  ACCESS,
  type DeleteAllRequest,
  type DeleteBeforeRequest,
  type DeleteRequest,
  DURATION,
  type ExpireAllRequest,
  type ExpireRequest,
  type GetExpiriesRequest,
  joined,
  type RevokeRequest,
  signedText,
} from '../session-kit/index.ts';
import { type AccountHandler, type Carrier, refusal } from './account-handler.ts';
import type { StoredMessage } from './message.ts';
import type { MemberResult, RpcAnswer } from './rpc-answer.ts';
import { toleranceMs } from './store-handlers.ts';
import { isAuthorized } from './verify.ts';

type SignedRequest =
  | DeleteRequest
  | DeleteAllRequest
  | DeleteBeforeRequest
  | ExpireRequest
  | ExpireAllRequest
  | GetExpiriesRequest
  | RevokeRequest;

const ONE_MINUTE_MS = 60_000;

export const deleteHandler: AccountHandler<DeleteRequest> = {
  refuse: (request, carrier) => unauthorized(request, carrier, ACCESS.delete),
  act: ({ account, messages }, { store, sign }) => {
    const deleted = store.delete(account.id, messages).sort();
    return { deleted, signature: sign(joined(account.id, ...messages, ...deleted)) };
  },
};

export const deleteAllHandler: AccountHandler<DeleteAllRequest> = {
  refuse: (request, carrier) =>
    farFrom(request.timestampMs, carrier, 'delete_all timestamp too far from current time') ??
    unauthorized(request, carrier, ACCESS.delete),
  act: ({ account, namespace, timestampMs }, { store, sign }) =>
    affected('deleted', store.deleteAll(account.id, namespace), namespace, (hashes) =>
      sign(joined(account.id, timestampMs, ...hashes)),
    ),
};

export const deleteBeforeHandler: AccountHandler<DeleteBeforeRequest> = {
  refuse: (request, carrier) =>
    request.beforeMs > carrier.nowMs + ONE_MINUTE_MS
      ? refusal(401, 'delete_before timestamp too far in the future')
      : unauthorized(request, carrier, ACCESS.delete),
  act: ({ account, namespace, beforeMs }, { store, sign }) =>
    affected('deleted', store.deleteAll(account.id, namespace, beforeMs), namespace, (hashes) =>
      sign(joined(account.id, beforeMs, ...hashes)),
    ),
};

export const expireAllHandler: AccountHandler<ExpireAllRequest> = {
  refuse: (request, carrier) =>
    request.expiryMs < carrier.nowMs - toleranceMs(carrier)
      ? refusal(406, 'expire_all timestamp should be >= current time')
      : unauthorized(request, carrier, ACCESS.delete),
  act: ({ account, namespace, expiryMs }, { store, sign }) =>
    affected('updated', store.shortenAll(account.id, namespace, expiryMs), namespace, (hashes) =>
      sign(joined(account.id, expiryMs, ...hashes)),
    ),
};

export const expireHandler: AccountHandler<ExpireRequest> = {
  refuse: (request, carrier) => {
    if (request.expiriesMs.some((expiryMs) => expiryMs < carrier.nowMs - ONE_MINUTE_MS))
      return refusal(401, 'expire: timestamp should be >= current time');
    if (mayNotDelete(request) && request.only === 'shorten') {
      return refusal(400, 'expire: shorten parameter cannot be used with this subaccount token');
    }
    return unauthorized(request, carrier, ACCESS.write);
  },
  act: (request, { store, sign, nowMs }) => {
    const { account, messages, expiriesMs, only } = request;
    const limited = expiriesMs.map((expiryMs) => Math.min(expiryMs, nowMs + DURATION.ttlMaxPrivateMs));
    const wanted = new Map(
      messages.map((hash, index) => [hash, limited[limited.length === 1 ? 0 : index] as number]),
    );
    const updated = store
      .setExpiries(account.id, wanted, mayNotDelete(request) ? 'extend' : only)
      .sort((a, b) => (a.hash < b.hash ? -1 : 1));
    const hashes = updated.map(({ hash }) => hash);
    const rest = messages.filter((hash) => !hashes.includes(hash));
    const unchanged = [...(only ? store.expiries(account.id, rest) : [])].sort();
    const shown = limited.length === 1 ? limited : updated.map(({ expiryMs }) => expiryMs);
    return {
      expiry: limited.length === 1 ? limited[0] : shown,
      updated: hashes,
      ...(only ? { unchanged: Object.fromEntries(unchanged) } : {}),
      signature: sign(joined(account.id, ...shown, ...messages, ...hashes, ...unchanged.flat())),
    };
  },
};

export const getExpiriesHandler: AccountHandler<GetExpiriesRequest> = {
  refuse: (request, carrier) =>
    farFrom(request.timestampMs, carrier, 'get_expiries timestamp too far from current time') ??
    unauthorized(request, carrier, ACCESS.read),
  act: ({ account, messages }, { store }) => ({
    expiries: Object.fromEntries(store.expiries(account.id, messages)),
  }),
};

export const revokeHandler: AccountHandler<RevokeRequest> = {
  refuse: (request, carrier) =>
    farFrom(request.timestampMs, carrier, `${request.method} timestamp too far from current time`) ??
    (request.authorization.subaccount
      ? refusal(401, `${request.method} signature verification failed`)
      : unauthorized(request, carrier, 0)),
  act: ({ method, account, tokens, timestampMs }, { store, sign }) => {
    const signature = sign(joined(account.id, timestampMs, ...tokens));
    if (method === 'unrevoke_subaccount') return { count: store.unrevoke(account.id, tokens), signature };
    store.revoke(account.id, tokens);
    return { signature };
  },
};

function farFrom(atMs: number, carrier: Carrier, text: string): RpcAnswer | undefined {
  return Math.abs(atMs - carrier.nowMs) > toleranceMs(carrier) ? refusal(406, text) : undefined;
}

function unauthorized(request: SignedRequest, { store }: Carrier, access: number): RpcAnswer | undefined {
  const { account, authorization, method } = request;
  const isRevoked = (token: Buffer): boolean => store.isRevoked(account.id, token);
  const text = signedText(request);
  if (text && isAuthorized({ account, authorization, text, access, isRevoked })) return undefined;
  return refusal(401, `${method} signature verification failed`);
}

function mayNotDelete({ authorization: { subaccount } }: ExpireRequest): boolean {
  return subaccount !== undefined && ((subaccount.token[1] as number) & ACCESS.delete) === 0;
}

/** Hashes in order; by namespace where all were meant. */
function affected(
  name: 'deleted' | 'updated',
  messages: readonly StoredMessage[],
  namespace: number | 'all',
  sign: (hashes: readonly string[]) => string,
): MemberResult {
  const sorted = [...messages].sort((a, b) => (a.hash < b.hash ? -1 : 1));
  const hashes = sorted.map(({ hash }) => hash);
  const signature = sign(hashes);
  if (namespace !== 'all') return { [name]: hashes, signature };
  const byNamespace: Record<string, string[]> = {};
  for (const message of sorted) {
    const list = byNamespace[message.namespace] ?? [];
    list.push(message.hash);
    byNamespace[message.namespace] = list;
  }
  return { [name]: byNamespace, signature };
}
