import { Fields, isRecord } from './fields.ts';
import { isAccountMethod, META_METHODS, type Method, parseMethod } from './method.ts';
import { parseJson } from './parse-json.ts';
import { SIZE } from './sizes.ts';
import { type AccountRequest, parseAccountRequest } from './storage-request.ts';
import { WireError } from './wire-error.ts';

/** A request as JSON has it: what a client sends and what members of a swarm hand on. */
export interface RawRequest {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

export interface RpcRequest {
  readonly method: Method;
  readonly fields: Fields;
  /** Of methods about one account. */
  readonly account: AccountRequest | undefined;
}

/** Reads a request body. @throws WireError */
export function parseRpcBody(bytes: Uint8Array): RpcRequest {
  return parseRpcRequest(parseJson(bytes));
}

/** @throws WireError `wrong-shape` */
export function parseRpcRequest(body: unknown): RpcRequest {
  const given = isRecord(body) ? new Fields(body) : undefined;
  const method = given?.get('method');
  if (typeof method !== 'string') throw new WireError('wrong-shape', 'invalid json: no `method` field');
  const params = given?.get('params');
  if (!isRecord(params)) throw new WireError('wrong-shape', 'invalid json: no `params` field');
  const known = parseMethod(method);
  if (!known) throw new WireError('wrong-shape', `no method ${method.slice(0, 64)}`);
  const fields = new Fields(params);
  return {
    method: known,
    fields,
    account: isAccountMethod(known) ? parseAccountRequest(known, fields) : undefined,
  };
}

/**
 * The requests inside a batch or sequence, 1 to 20 of them; each is read, so that one that cannot be read refuses them all.
 * @throws WireError `wrong-shape`
 */
export function parseSubrequests(fields: Fields): RpcRequest[] {
  const list = fields.get('requests');
  if (!Array.isArray(list) || list.length === 0)
    throw new WireError('wrong-shape', 'Invalid batch request: no valid "requests" field');
  if (list.length > SIZE.batchMax)
    throw new WireError('wrong-shape', 'Invalid batch request: subrequest limit exceeded');
  return list.map((item) => {
    const request = parseRpcRequest(item);
    if ((META_METHODS as readonly string[]).includes(request.method)) {
      throw new WireError(
        'wrong-shape',
        'Invalid batch subrequest: subrequests may not contain meta-requests',
      );
    }
    return request;
  });
}
