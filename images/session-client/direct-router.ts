import { SquallError } from '../../harness/errors/index.ts';
import { ERROR } from './errors.ts';
import { PathlessRouter } from './pathless-router.ts';
import { readAnswer } from './read-answer.ts';
import { type Answer, type ClientRequest, failure, type OnAnswer } from './request.ts';
import type { RouterPorts } from './router-ports.ts';
import { authenticated } from './unauthenticated.ts';
import type { WireAnswer } from './wire.ts';

/** Sends requests to the node itself, whose certificate says that it is the one. */
export class DirectRouter extends PathlessRouter {
  readonly #route: 'direct' | 'tunnel';

  /** @param route `tunnel`: what a tunnel of the session router ends in is such a connection too */
  constructor(ports: RouterPorts, route: 'direct' | 'tunnel') {
    super(ports);
    this.#route = route;
  }

  protected sendNow(request: ClientRequest, onAnswer: OnAnswer): void {
    const { to, method, params, timeoutMs } = request;
    const { transport, rules, readBody } = this.ports;
    transport.call(to, { kind: 'rpc', method, params }, timeoutMs, (result) => {
      if ('answer' in result) {
        onAnswer(authenticated(rules, readResult(readBody, result.answer), this.#route));
        return;
      }
      if (result.unreached?.struck === false) this.ports.pool.strikes.strike(to.ed25519, 'unreached');
      onAnswer(failure(result.status, result.message, result));
    });
  }

  usedNodes(): readonly [] {
    return [];
  }

  override state(): Readonly<Record<string, unknown>> {
    return { route: this.#route, ...super.state() };
  }
}

function readResult(readBody: RouterPorts['readBody'], answer: WireAnswer): Answer {
  try {
    return readAnswer(answer.status, readBody(answer));
  } catch (error) {
    if (!(error instanceof SquallError)) throw error;
    return failure(ERROR.FAILED_TO_PARSE, `${error.code}: ${error.message}`);
  }
}
