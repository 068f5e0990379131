import {
  type AccountRequest,
  type AnswerFacts,
  encodeNodeRecords,
  Fields,
  INVALID_SWARM_ID,
  parseRpcRequest,
  parseSubrequests,
  type RawRequest,
  type RpcRequest,
  requireAccount,
  SWARM_METHODS,
  swarmJson,
  WireError,
} from '../session-kit/index.ts';
import type { Carrier } from './account-handler.ts';
import { carryOut, refuseRequest } from './account-handlers.ts';
import type { Answered } from './counts.ts';
import { holds } from './ifelse.ts';
import type { NetworkView } from './network-view.ts';
import { answerOxend } from './oxend.ts';
import { embedded, isGood, type MemberResult, type RpcAnswer, unreadable } from './rpc-answer.ts';
import type { Storm } from './storm.ts';
import type { StormPlace } from './storm-spec.ts';

/** Who asks, and from where. */
export interface Caller {
  readonly client: string;
  readonly connection: number;
  readonly place: StormPlace;
}

export interface DispatchOptions {
  readonly own: string;
  readonly version: readonly [number, number, number];
  readonly echo: boolean;
  readonly view: NetworkView;
  readonly storm: Storm;
  readonly facts: () => AnswerFacts;
  readonly carrier: (forwarded: boolean) => Carrier;
  /** Lets the rest of the swarm carry out a request. @returns what it came to at each, by Ed25519 key */
  readonly distribute: (
    request: RawRequest,
    account: AccountRequest,
  ) => Promise<ReadonlyMap<string, MemberResult>>;
  readonly count: (answered: Answered) => void;
}

/** Answers storage RPC requests, single ones and those that carry others. */
export class Dispatch {
  readonly #options: DispatchOptions;

  constructor(options: DispatchOptions) {
    this.#options = options;
  }

  /** @param read gives the request; what cannot be read is answered 400 and counted as well */
  async answer(read: () => RpcRequest, caller: Caller): Promise<RpcAnswer> {
    let request: RpcRequest;
    let inside: readonly RpcRequest[] = [];
    try {
      request = read();
      if (request.method === 'batch' || request.method === 'sequence')
        inside = parseSubrequests(request.fields);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return this.#counted('unreadable', '', caller, unreadable(error));
    }
    if (request.method === 'batch' || request.method === 'sequence') {
      return this.#answerInside(request.method, inside, caller);
    }
    if (request.method === 'ifelse') return this.#answerIfElse(request, caller);
    return this.#answerSingle(request, caller);
  }

  /** A request that another member of the swarm handed on. */
  answerForwarded(request: RpcRequest, from: string): RpcAnswer {
    const { account, method } = request;
    const isFor = account !== undefined && (SWARM_METHODS as readonly string[]).includes(method);
    if (!isFor)
      return { status: 400, body: 'invalid request: received invalid forwarded non-forwardable request' };
    const answer = this.#atHome(account, true);
    this.#options.count({
      method: `forwarded ${method}`,
      status: answer.status,
      account: account.account.id,
      client: from,
      listBytes: 0,
    });
    return answer;
  }

  async #answerInside(
    method: 'batch' | 'sequence',
    requests: readonly RpcRequest[],
    caller: Caller,
  ): Promise<RpcAnswer> {
    const place = { ...caller, place: 'batch' } as const;
    const results: RpcAnswer[] = [];
    if (method === 'batch') {
      results.push(...(await Promise.all(requests.map((request) => this.#answerSingle(request, place)))));
    } else {
      for (const request of requests) {
        const answer = await this.#answerSingle(request, place);
        results.push(answer);
        if (!isGood(answer)) break;
      }
    }
    const json = results.map(({ status, body }) => ({ code: status, body: embedded(body) }));
    return this.#counted(method, '', caller, { status: 200, body: { results: json } });
  }

  async #answerIfElse(request: RpcRequest, caller: Caller): Promise<RpcAnswer> {
    const { view, version } = this.#options;
    const facts = { hf: view.hardfork, v: version, height: view.list?.height ?? 0 };
    let condition: boolean;
    let chosen: RpcRequest | undefined;
    try {
      condition = holds(request.fields, facts);
      const branch = request.fields.get(condition ? 'then' : 'else');
      if (!request.fields.has('then') && !request.fields.has('else')) {
        throw new WireError('wrong-shape', 'ifelse: at least one of "then"/"else" required');
      }
      chosen = branch === undefined ? undefined : parseRpcRequest(branch);
      // A condition inside a condition would be a loop for whoever writes one.
      if (chosen?.method === 'ifelse') throw new WireError('wrong-shape', 'ifelse: not inside another');
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return this.#counted('ifelse', '', caller, unreadable(error));
    }
    const inner = chosen;
    const answer = inner && (await this.answer(() => inner, { ...caller, place: 'batch' }));
    const result = answer && { code: answer.status, body: embedded(answer.body) };
    return this.#counted('ifelse', '', caller, {
      status: 200,
      body: { ...facts, condition, ...(result ? { result } : {}) },
    });
  }

  async #answerSingle(request: RpcRequest, caller: Caller): Promise<RpcAnswer> {
    const { account, method } = request;
    const stormy = this.#options.storm.answer({ ...caller, method, account: account?.account });
    if (stormy) return this.#counted(method, account?.account.id ?? '', caller, stormy);
    const answer = account ? await this.#answerAccount(request, account) : this.#answerPlain(request);
    return this.#counted(method, account?.account.id ?? '', caller, answer);
  }

  async #answerAccount({ method, fields }: RpcRequest, request: AccountRequest): Promise<RpcAnswer> {
    const { own, distribute, facts } = this.#options;
    if (!(SWARM_METHODS as readonly string[]).includes(method)) {
      const answer = this.#atHome(request, false);
      return answer.status === 200 && method === 'retrieve' ? this.#dated(answer) : answer;
    }
    const refused = this.#refused(request, false);
    if (refused) return refused;
    const others = distribute({ method, params: fields.raw }, request);
    const mine = carryOut(request, this.#options.carrier(false));
    const swarm = { ...Object.fromEntries(await others), [own]: mine };
    const results = Object.values(swarm);
    const { wallMs, hardfork } = facts();
    const hash = method === 'store' && typeof mine['hash'] === 'string' ? { hash: mine['hash'] } : {};
    const body = { swarm, ...hash, t: wallMs, hf: hardfork };
    if (results.every((result) => 'failed' in result)) return { status: 500, body };
    const nothingDeleted =
      request.method === 'delete' &&
      request.required &&
      results.every((result) => isEmptyList(result['deleted']));
    return { status: nothingDeleted ? 404 : 200, body };
  }

  /** Carries out a request here, and nowhere else. */
  #atHome(request: AccountRequest, forwarded: boolean): RpcAnswer {
    return (
      this.#refused(request, forwarded) ?? {
        status: 200,
        body: carryOut(request, this.#options.carrier(forwarded)),
      }
    );
  }

  #refused(request: AccountRequest, forwarded: boolean): RpcAnswer | undefined {
    const { view, facts, echo, carrier } = this.#options;
    const { account } = request;
    if (!view.isOurs(account)) {
      return { status: 421, body: swarmJson(view.swarmOf(account), facts(), echo ? account.id : undefined) };
    }
    return refuseRequest(request, carrier(forwarded));
  }

  #answerPlain({ method, fields }: RpcRequest): RpcAnswer {
    const { view, facts, version } = this.#options;
    try {
      switch (method) {
        case 'get_swarm':
          return { status: 200, body: swarmJson(view.swarmOf(requireAccount(fields)), facts()) };
        case 'oxend_request':
          return this.#dated(answerOxend(fields, view));
        case 'active_nodes_bin':
          return { status: 200, body: activeNodes(view) };
        default:
          return this.#dated({ status: 200, body: { version, timestamp: facts().wallMs } });
      }
    } catch (error) {
      if (error instanceof WireError) return unreadable(error);
      throw error;
    }
  }

  #dated(answer: RpcAnswer): RpcAnswer {
    const { wallMs, hardfork } = this.#options.facts();
    if (answer.status !== 200) return answer;
    return { status: 200, body: { ...new Fields(answer.body).raw, t: wallMs, hf: hardfork } };
  }

  #counted(method: string, account: string, { client }: Caller, answer: RpcAnswer): RpcAnswer {
    const listBytes = answer.body instanceof Uint8Array ? answer.body.length : 0;
    this.#options.count({ method, status: answer.status, account, client, listBytes });
    return answer;
  }
}

/** What clients fetch to know the network: active nodes, 51 bytes each; zeros where no address is known. */
function activeNodes(view: NetworkView): Buffer {
  const nodes = view.list?.nodes ?? [];
  return encodeNodeRecords(nodes.filter(({ swarmId }) => swarmId !== INVALID_SWARM_ID));
}

function isEmptyList(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}
