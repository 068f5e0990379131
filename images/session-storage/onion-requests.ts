import {
  DURATION,
  type HttpAnswer,
  isServerTarget,
  LayerKey,
  type NodeIdentity,
  type NodeTransport,
  type OpenedLayer,
  PATH,
  parseOnionBody,
  parseOpenedLayer,
  parseRpcBody,
  type SealedLayer,
  SIZE,
  sealAnswer,
  TransportError,
  WireError,
} from '../session-kit/index.ts';
import type { Caller, Dispatch } from './dispatch.ts';
import type { NetworkView } from './network-view.ts';
import { httpAnswer } from './rpc-answer.ts';
import type { Storm } from './storm.ts';

export interface OnionOptions {
  readonly identity: NodeIdentity;
  readonly view: NetworkView;
  readonly storm: Storm;
  readonly dispatch: Dispatch;
  readonly transport: NodeTransport;
  /** How long another node has for its part of the path. */
  readonly relayTimeoutMs: number;
  readonly signal: AbortSignal;
  /** A request that this node only handed on, and how that ended. */
  readonly onRelayed: (status: number) => void;
  /** Sends what a path carried to a server outside. */
  readonly post: (
    layer: Extract<OpenedLayer, { kind: 'server' }>,
    limits: { readonly timeoutMs: number; readonly signal: AbortSignal },
  ) => Promise<HttpAnswer>;
}

/** `POST /onion_req/v2`: takes a layer off, and answers, hands on, or sends out what is inside. */
export class OnionRequests {
  readonly #options: OnionOptions;

  constructor(options: OnionOptions) {
    this.#options = options;
  }

  async answer(body: Uint8Array, caller: Caller): Promise<HttpAnswer> {
    let sealed: SealedLayer;
    let key: LayerKey;
    let plaintext: Buffer;
    try {
      sealed = parseOnionBody(body);
      if (sealed.hop > SIZE.onionHopsMax)
        return { status: 400, text: 'onion request max path length exceeded' };
      key = LayerKey.ofNode(sealed.type, this.#options.identity.x25519Key, sealed.ephemeralKey);
      plaintext = key.open(sealed.ciphertext);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      const text = error.code === 'not-authentic' ? 'Invalid ciphertext' : `invalid request: ${error.code}`;
      return { status: 400, text };
    }
    let layer: OpenedLayer;
    try {
      layer = parseOpenedLayer(plaintext, sealed.hop);
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      return plain(sealAnswer({ status: 400, body: 'Invalid json' }, key, { json: false, base64: true }));
    }
    if (layer.kind === 'final') return this.#final(layer, key, caller);
    return this.#forged(caller) ?? this.#passOn(layer, key);
  }

  async #final(
    layer: Extract<OpenedLayer, { kind: 'final' }>,
    key: LayerKey,
    caller: Caller,
  ): Promise<HttpAnswer> {
    const answer = await this.#options.dispatch.answer(() => parseRpcBody(layer.body), {
      ...caller,
      place: 'onion',
    });
    const body =
      answer.body instanceof Uint8Array ? Buffer.from(answer.body).toString('base64') : answer.body;
    return plain(sealAnswer({ status: answer.status, body }, key, layer));
  }

  /** What a dishonest relay writes by itself, in plain text. */
  #forged({ connection }: Caller): HttpAnswer | undefined {
    const stormy = this.#options.storm.answer({
      place: 'relay',
      method: 'onion',
      account: undefined,
      connection,
    });
    if (stormy) this.#options.onRelayed(stormy.status);
    return stormy && httpAnswer(stormy);
  }

  async #passOn(layer: Exclude<OpenedLayer, { kind: 'final' }>, key: LayerKey): Promise<HttpAnswer> {
    const answer = layer.kind === 'relay' ? await this.#toNode(layer) : await this.#toServer(layer, key);
    this.#options.onRelayed(answer === 'cut' ? 0 : answer.status);
    return answer;
  }

  async #toNode({ destination, request }: Extract<OpenedLayer, { kind: 'relay' }>): Promise<HttpAnswer> {
    const { view, transport, relayTimeoutMs, signal } = this.#options;
    const next = view.find(destination);
    if (!next) return { status: 502, text: `Next node not found: ${destination}` };
    try {
      const answer = await transport.request(next, PATH.onion, request, {
        timeoutMs: relayTimeoutMs,
        signal,
      });
      return { status: answer.status, type: answer.type, bytes: answer.body };
    } catch (error) {
      if (error instanceof TransportError) return { status: 504, text: 'Request time out' };
      throw error;
    }
  }

  async #toServer(layer: Extract<OpenedLayer, { kind: 'server' }>, key: LayerKey): Promise<HttpAnswer> {
    if (!isServerTarget(layer.target)) {
      return plain(sealAnswer({ status: 400, body: 'Invalid url' }, key, { json: false, base64: true }));
    }
    const { signal, post } = this.#options;
    return await post(layer, { timeoutMs: DURATION.onionToServerMs, signal });
  }
}

function plain(bytes: Uint8Array): HttpAnswer {
  return { status: 200, type: 'text/plain', bytes };
}
