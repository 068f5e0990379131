import type { SquallError } from '../../errors/index.ts';
import type { AgentLink } from './agent-link.ts';
import {
  type AgentEvent,
  type AgentHello,
  type ApplyAnswer,
  type ArmAnswer,
  applySchema,
  armSchema,
  type CaptureAnswer,
  type CaptureReadAnswer,
  type CaptureStopAnswer,
  captureReadSchema,
  captureSchema,
  captureStopSchema,
  type EnrollAnswer,
  enrollSchema,
  type HttpAnswer,
  helloSchema,
  httpSchema,
  type LiftAnswer,
  liftSchema,
  type ProbeAnswer,
  probeSchema,
  type RedirectRule,
  type SnapshotAnswer,
  snapshotSchema,
  type WireFault,
  type WitnessAnswer,
  witnessSchema,
} from './protocol.ts';

/** Deadlines of the agent's answers, ms. Missing one declares the agent lost (it is local and does little per request). */
export const AGENT_DEADLINES_MS = {
  ordinary: 10_000,
  /** Sockets and rules in every namespace, and overhead measured through them. */
  arm: 30_000,
  enroll: 30_000,
  /** A lift may drain a long queue. */
  lift: 60_000,
  bye: 5_000,
  /** A socket in every namespace; and no capture is worth losing an agent that is late with it. */
  capture: 60_000,
  /** Beyond an HTTP request's own time limit, or a probe's length. */
  slack: 5_000,
} as const;

export interface AgentNode {
  readonly name: string;
  readonly pid: number;
  /** Addresses it is to have besides its own, in the bed's subnet (a fleet of clients). */
  readonly addresses?: readonly string[];
}

export interface AgentHttpRequest {
  readonly node: string;
  readonly port: number;
  readonly method: string;
  readonly path: string;
  readonly body?: string;
  readonly timeoutMs: number;
}

/** The one packet agent of a bed, as an object with typed operations. */
export class AgentClient {
  readonly hello: AgentHello;
  readonly containerId: string;
  readonly #link: AgentLink;
  readonly #remove: () => Promise<void>;
  #closing: Promise<void> | undefined;

  constructor(link: AgentLink, hello: AgentHello, containerId: string, remove: () => Promise<void>) {
    this.#link = link;
    this.hello = hello;
    this.containerId = containerId;
    this.#remove = remove;
  }

  /** Set once the agent is gone: every later call rejects with it, and the trial is void. */
  get lost(): SquallError | undefined {
    return this.#link.lost;
  }

  onEvent(listener: (event: AgentEvent) => void): () => void {
    return this.#link.onEvent(listener);
  }

  /** Called once, at once, when the agent goes away unasked. */
  onLost(listener: (error: SquallError) => void): () => void {
    return this.#link.onLost(listener);
  }

  /** Called once when the agent is over, lost or closed; at once when it is already. */
  onEnd(listener: (error: SquallError) => void): () => void {
    return this.#link.onEnd(listener);
  }

  async enroll(nodes: readonly AgentNode[], signal?: AbortSignal): Promise<EnrollAnswer['nodes']> {
    const answer = await this.#ask('enroll', { nodes }, AGENT_DEADLINES_MS.enroll, signal);
    return enrollSchema.parse(answer).nodes;
  }

  async release(nodes: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#ask('release', { nodes }, AGENT_DEADLINES_MS.ordinary, signal);
  }

  async arm(faults: readonly WireFault[], signal?: AbortSignal): Promise<ArmAnswer> {
    return armSchema.parse(await this.#ask('arm', { faults }, AGENT_DEADLINES_MS.arm, signal));
  }

  /** A flip in memory on all nodes of all these faults, at one instant of the agent's clock. */
  async apply(
    ids: readonly string[],
    timing: { readonly afterMs?: number; readonly forMs?: number },
    signal?: AbortSignal,
  ): Promise<ApplyAnswer> {
    return applySchema.parse(
      await this.#ask('apply', { ids, ...timing }, AGENT_DEADLINES_MS.ordinary, signal),
    );
  }

  /** Answers when everything has drained and the rules are gone; a paced release needs a longer deadline. */
  async lift(
    ids: readonly string[],
    signal?: AbortSignal,
    deadlineMs: number = AGENT_DEADLINES_MS.lift,
  ): Promise<LiftAnswer> {
    return liftSchema.parse(await this.#ask('lift', { ids }, deadlineMs, signal));
  }

  async disarm(ids: readonly string[], signal?: AbortSignal): Promise<void> {
    await this.#ask('disarm', { ids }, AGENT_DEADLINES_MS.lift, signal);
  }

  async witness(ids?: readonly string[], signal?: AbortSignal): Promise<WitnessAnswer> {
    return witnessSchema.parse(
      await this.#ask('witness', ids ? { ids } : {}, AGENT_DEADLINES_MS.ordinary, signal),
    );
  }

  async probe(
    request: {
      readonly nodes: readonly string[];
      readonly ids: readonly string[];
      readonly ratePps: number;
      readonly forMs: number;
    },
    signal?: AbortSignal,
  ): Promise<ProbeAnswer> {
    const deadlineMs = request.forMs + AGENT_DEADLINES_MS.slack;
    return probeSchema.parse(await this.#ask('probe', { ...request }, deadlineMs, signal));
  }

  /**
   * A request to the node's own loopback, made in its network namespace: the way to an admin port. A body that is no
   * UTF-8 comes as latin1, a byte a character.
   */
  async http(request: AgentHttpRequest, signal?: AbortSignal): Promise<HttpAnswer> {
    const deadlineMs = request.timeoutMs + AGENT_DEADLINES_MS.slack;
    const answer = httpSchema.parse(await this.#ask('http', { ...request }, deadlineMs, signal));
    if (answer.encoding === 'utf8') return answer;
    return { ...answer, body: Buffer.from(answer.body, 'base64').toString('latin1') };
  }

  async redirect(rules: readonly RedirectRule[], signal?: AbortSignal): Promise<void> {
    await this.#ask('redirect', { rules }, AGENT_DEADLINES_MS.arm, signal);
  }

  async unredirect(rules: readonly RedirectRule[], signal?: AbortSignal): Promise<void> {
    await this.#ask('unredirect', { rules }, AGENT_DEADLINES_MS.ordinary, signal);
  }

  /** Listens at all of these nodes, or at none. `capturePackets` does the reading. */
  async startCapture(
    request: { readonly nodes: readonly string[]; readonly snapBytes: number; readonly fileBytes: number },
    signal?: AbortSignal,
  ): Promise<CaptureAnswer> {
    return captureSchema.parse(
      await this.#ask('capture', { ...request }, AGENT_DEADLINES_MS.capture, signal),
    );
  }

  /** Waits until `maxBytes` were captured, or `waitMs` have passed. */
  async readCapture(request: {
    readonly maxBytes: number;
    readonly waitMs: number;
  }): Promise<CaptureReadAnswer> {
    const deadlineMs = request.waitMs + AGENT_DEADLINES_MS.capture;
    return captureReadSchema.parse(await this.#ask('capture-read', { ...request }, deadlineMs));
  }

  /** Ends listening; what was captured is read until `ended`. */
  async stopCapture(signal?: AbortSignal): Promise<CaptureStopAnswer> {
    return captureStopSchema.parse(await this.#ask('capture-stop', {}, AGENT_DEADLINES_MS.capture, signal));
  }

  async snapshot(signal?: AbortSignal): Promise<SnapshotAnswer> {
    return snapshotSchema.parse(await this.#ask('snapshot', {}, AGENT_DEADLINES_MS.ordinary, signal));
  }

  /** Orderly end: lifts everything, waits for the exit, removes the container. Idempotent; never throws for a lost agent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    this.#link.expectEnd();
    if (!this.lost) {
      const bye = this.#ask('bye', {}, AGENT_DEADLINES_MS.bye).catch((error: unknown) => {
        // The agent may end before its answer is read; the removal below settles what remains.
        return { ended: String(error) };
      });
      await Promise.race([bye, this.#link.finished]);
    }
    this.#link.close();
    await this.#remove();
  }

  #ask(
    op: string,
    params: Readonly<Record<string, unknown>>,
    deadlineMs: number,
    signal?: AbortSignal,
  ): Promise<Readonly<Record<string, unknown>>> {
    return this.#link.request(op, params, { deadlineMs, signal });
  }
}

/** Says hello over a fresh link. @throws SquallError `agent-lost` */
export async function greet(link: AgentLink, signal?: AbortSignal): Promise<AgentHello> {
  return helloSchema.parse(
    await link.request('hello', {}, { deadlineMs: AGENT_DEADLINES_MS.ordinary, signal }),
  );
}
