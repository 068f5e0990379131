import { type Account, parseAccount } from './account.ts';
import { type Authorization, parseAuthorization, parseToken } from './authorization.ts';
import { type Fields, parseBase64 } from './fields.ts';
import type { AccountMethod } from './method.ts';
import { isOpenToRead, type Namespace, parseNamespace, parseNamespaceOrAll } from './namespace.ts';
import { SIZE } from './sizes.ts';
import { WireError } from './wire-error.ts';

interface Addressed<M extends AccountMethod> {
  readonly method: M;
  readonly account: Account;
}
interface Signed<M extends AccountMethod> extends Addressed<M> {
  readonly authorization: Authorization;
}

export interface StoreRequest extends Addressed<'store'> {
  readonly namespace: Namespace;
  readonly timestampMs: number;
  readonly expiryMs: number;
  readonly data: Buffer;
  readonly authorization: (Authorization & { readonly signedAtMs: number }) | undefined;
}
export interface RetrieveRequest extends Addressed<'retrieve'> {
  readonly namespace: Namespace;
  readonly lastHash: string | undefined;
  readonly maxCount: number | undefined;
  /** Negative: the whole limit divided by that. */
  readonly maxSizeBytes: number | undefined;
  readonly authorization: (Authorization & { readonly timestampMs: number }) | undefined;
}
export interface DeleteRequest extends Signed<'delete'> {
  readonly messages: readonly string[];
  readonly required: boolean;
}
export interface DeleteAllRequest extends Signed<'delete_all'> {
  readonly namespace: Namespace | 'all';
  readonly timestampMs: number;
}
export interface DeleteBeforeRequest extends Signed<'delete_before'> {
  readonly namespace: Namespace | 'all';
  readonly beforeMs: number;
}
export interface ExpireRequest extends Signed<'expire'> {
  readonly messages: readonly string[];
  /** One for all, or one for each. */
  readonly expiriesMs: readonly number[];
  readonly only: 'shorten' | 'extend' | undefined;
}
export interface ExpireAllRequest extends Signed<'expire_all'> {
  readonly namespace: Namespace | 'all';
  readonly expiryMs: number;
}
export interface GetExpiriesRequest extends Signed<'get_expiries'> {
  readonly messages: readonly string[];
  readonly timestampMs: number;
}
export interface RevokeRequest extends Signed<'revoke_subaccount' | 'unrevoke_subaccount'> {
  readonly tokens: readonly Buffer[];
  readonly timestampMs: number;
}

export type AccountRequest =
  | StoreRequest
  | RetrieveRequest
  | DeleteRequest
  | DeleteAllRequest
  | DeleteBeforeRequest
  | ExpireRequest
  | ExpireAllRequest
  | GetExpiriesRequest
  | RevokeRequest;

/** The account that a request names, by either spelling. @throws WireError `wrong-shape` */
export function requireAccount(fields: Fields): Account {
  if (fields.has('pubkey') && fields.has('pubKey')) {
    throw new WireError('wrong-shape', "Cannot specify both 'pubkey' and 'pubKey'");
  }
  const account = parseAccount(fields.require('pubkey', fields.text(fields.anyOf('pubkey', 'pubKey') ?? '')));
  if (!account) throw new WireError('wrong-shape', 'Pubkey must be 66 hex digits (33 bytes) long');
  return account;
}

/** Reads the parameters of a method; what they ask for may still be refused. @throws WireError `wrong-shape` */
export function parseAccountRequest(method: AccountMethod, fields: Fields): AccountRequest {
  const account = requireAccount(fields);
  if (method === 'store') return parseStore(account, fields);
  if (method === 'retrieve') return parseRetrieve(account, fields);
  const signed = { account, authorization: parseAuthorization(account, fields) };
  switch (method) {
    case 'delete':
      return {
        method,
        ...signed,
        messages: requireHashes(fields),
        required: fields.boolean('required') ?? false,
      };
    case 'delete_all':
      return {
        method,
        ...signed,
        namespace: parseNamespaceOrAll(fields),
        timestampMs: requireTime(fields, 'timestamp'),
      };
    case 'delete_before':
      return {
        method,
        ...signed,
        namespace: parseNamespaceOrAll(fields),
        beforeMs: requireTime(fields, 'before'),
      };
    case 'expire':
      return { method, ...signed, messages: requireHashes(fields), ...parseExpiries(fields) };
    case 'expire_all':
      return {
        method,
        ...signed,
        namespace: parseNamespaceOrAll(fields),
        expiryMs: requireTime(fields, 'expiry'),
      };
    case 'get_expiries':
      return {
        method,
        ...signed,
        messages: requireHashes(fields),
        timestampMs: requireTime(fields, 'timestamp'),
      };
    case 'revoke_subaccount':
    case 'unrevoke_subaccount':
      return {
        method,
        ...signed,
        tokens: requireTokens(fields, method === 'revoke_subaccount' ? 'revoke' : 'unrevoke'),
        timestampMs: requireTime(fields, 'timestamp'),
      };
  }
}

function parseStore(account: Account, fields: Fields): StoreRequest {
  const timestampMs = requireTime(fields, 'timestamp');
  const [expiryMs, ttlMs] = [fields.timestampMs('expiry'), fields.looseInteger('ttl')];
  if ((expiryMs === undefined) === (ttlMs === undefined)) {
    throw new WireError('wrong-shape', "Exactly one of 'expiry' and 'ttl' is required");
  }
  const text = fields.require('data', fields.text('data'));
  if (text.length > (SIZE.messageMaxBytes / 3) * 4) {
    throw new WireError(
      'wrong-shape',
      `Message body exceeds maximum allowed length of ${SIZE.messageMaxBytes} bytes`,
    );
  }
  const data = parseBase64(text);
  if (!data) throw new WireError('wrong-shape', "Invalid 'data' value: not base64 encoded");
  return {
    method: 'store',
    account,
    namespace: parseNamespace(fields),
    timestampMs,
    expiryMs: expiryMs ?? timestampMs + (ttlMs as number),
    data,
    authorization: fields.has('signature')
      ? {
          ...parseAuthorization(account, fields),
          signedAtMs: fields.timestampMs('sig_timestamp') ?? timestampMs,
        }
      : undefined,
  };
}

function parseRetrieve(account: Account, fields: Fields): RetrieveRequest {
  const namespace = parseNamespace(fields);
  const given = fields.anyOf('pubkey_ed25519', 'signature', 'timestamp') !== undefined;
  const isSigned = given || (fields.has('namespace') && !isOpenToRead(namespace));
  const lastHash = fields.text(fields.anyOf('last_hash', 'lastHash') ?? 'last_hash') || undefined;
  if (lastHash !== undefined && !isMessageHash(lastHash))
    throw new WireError('wrong-shape', 'Invalid last_hash: expected base64 (43 chars)');
  return {
    method: 'retrieve',
    account,
    namespace,
    lastHash,
    maxCount: fields.integer('max_count'),
    maxSizeBytes: fields.integer('max_size'),
    authorization: isSigned
      ? { ...parseAuthorization(account, fields), timestampMs: requireTime(fields, 'timestamp') }
      : undefined,
  };
}

function parseExpiries(fields: Fields): Pick<ExpireRequest, 'expiriesMs' | 'only'> {
  const expiriesMs = fields.require('expiry', fields.integers('expiry'));
  const count = fields.texts('messages')?.length ?? 0;
  if (expiriesMs.length !== 1 && expiriesMs.length !== count)
    throw new WireError('wrong-shape', "'expiry' must be one, or one for each of 'messages'");
  const [shorten, extend] = [fields.boolean('shorten'), fields.boolean('extend')];
  if (shorten && extend) throw new WireError('wrong-shape', "Cannot specify both 'shorten' and 'extend'");
  return { expiriesMs, only: shorten ? 'shorten' : extend ? 'extend' : undefined };
}

function requireTime(fields: Fields, name: string): number {
  return fields.require(name, fields.timestampMs(name));
}

export function isMessageHash(text: string): boolean {
  return text.length === SIZE.messageHashCharacters && parseBase64(text) !== undefined;
}

function requireHashes(fields: Fields): readonly string[] {
  const messages = fields.require('messages', fields.texts('messages'));
  if (messages.length === 0)
    throw new WireError('wrong-shape', 'messages does not contain any message hashes');
  const bad = messages.find((hash) => !isMessageHash(hash));
  if (bad !== undefined) throw new WireError('wrong-shape', `invalid message hash: ${bad.slice(0, 64)}`);
  return messages;
}

function requireTokens(fields: Fields, name: 'revoke' | 'unrevoke'): readonly Buffer[] {
  const texts = fields.require(name, fields.texts(name));
  if (texts.length > SIZE.revokeMax) {
    throw new WireError('wrong-shape', `invalid ${name}: more than ${SIZE.revokeMax} subaccounts at once`);
  }
  return texts.map((text) => parseToken(name, text));
}
