import {
  type HttpAnswer,
  LayerKey,
  type NodeIdentity,
  parseOnionBody,
  sealAnswer,
  WireError,
} from '../session-kit/index.ts';

/** A server that is no storage node, reached over onion paths: it answers what it was told to, sealed. */
export class OutsideServer {
  readonly #identity: NodeIdentity;
  #status = 200;
  #body: unknown = { ok: true };
  #answered = 0;

  constructor(identity: NodeIdentity) {
    this.#identity = identity;
  }

  get state(): Readonly<Record<string, unknown>> {
    return {
      status: this.#status,
      body: this.#body,
      answered: this.#answered,
      x25519: this.#identity.x25519,
    };
  }

  tell(status: number, body: unknown): void {
    this.#status = status;
    this.#body = body;
  }

  /** `POST /oxen/v4/lsrpc`: what a path's last node hands on. */
  answer(payload: Uint8Array): HttpAnswer {
    let key: LayerKey;
    try {
      const { ciphertext, ephemeralKey, type } = parseOnionBody(payload);
      key = LayerKey.ofNode(type, this.#identity.x25519Key, ephemeralKey);
      key.open(ciphertext);
    } catch (error) {
      if (error instanceof WireError) return { status: 400, text: error.code };
      throw error;
    }
    this.#answered += 1;
    const sealed = sealAnswer({ status: this.#status, body: this.#body }, key, { json: false, base64: true });
    return { status: 200, type: 'text/plain', bytes: sealed };
  }
}
