import type { AccountRequest } from '../session-kit/index.ts';
import type { AccountHandler, Carrier } from './account-handler.ts';
import {
  deleteAllHandler,
  deleteBeforeHandler,
  deleteHandler,
  expireAllHandler,
  expireHandler,
  getExpiriesHandler,
  revokeHandler,
} from './change-handlers.ts';
import type { MemberResult, RpcAnswer } from './rpc-answer.ts';
import { retrieveHandler, storeHandler } from './store-handlers.ts';

type Handlers = {
  readonly [M in AccountRequest['method']]: AccountHandler<Extract<AccountRequest, { method: M }>>;
};

const HANDLERS = {
  store: storeHandler,
  retrieve: retrieveHandler,
  delete: deleteHandler,
  delete_all: deleteAllHandler,
  delete_before: deleteBeforeHandler,
  expire: expireHandler,
  expire_all: expireAllHandler,
  get_expiries: getExpiriesHandler,
  revoke_subaccount: revokeHandler as AccountHandler<never>,
  unrevoke_subaccount: revokeHandler as AccountHandler<never>,
} satisfies Handlers;

/** @returns why it is refused, or undefined */
export function refuseRequest(request: AccountRequest, carrier: Carrier): RpcAnswer | undefined {
  return handlerOf(request).refuse(request, carrier);
}

/** Carries out here what was not refused. */
export function carryOut(request: AccountRequest, carrier: Carrier): MemberResult {
  return handlerOf(request).act(request, carrier);
}

/** A method's handler takes that method's request: what the table above says type by type. */
function handlerOf(request: AccountRequest): AccountHandler<AccountRequest> {
  return HANDLERS[request.method] as unknown as AccountHandler<AccountRequest>;
}
