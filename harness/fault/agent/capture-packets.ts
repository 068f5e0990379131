import { describeError } from '../../errors/index.ts';
import type { AgentClient } from './agent-client.ts';
import type { CaptureStopAnswer } from './protocol.ts';

/** Of one answer: small enough that no other answer is long behind it. */
const PIECE_BYTES = 256 * 1024;
/** Answers at least so often, however little was captured. */
const READ_WAIT_MS = 500;

export interface CaptureOptions {
  readonly nodes: readonly string[];
  /** Most of each packet that is kept. */
  readonly snapBytes: number;
  /** Most of each node's file. */
  readonly fileBytes: number;
  /** Takes the next bytes of a node's pcapng file; while it works, nothing more is read. */
  readonly take: (node: string, bytes: Buffer) => Promise<void>;
}

/** How a capture went. Never thrown away: what was taken until a problem is a file all the same. */
export interface CaptureResult {
  /** CLOCK_MONOTONIC; `toNs` is absent when the agent did not say that it stopped. */
  readonly fromNs: number;
  readonly toNs?: number;
  /** To add to an instant of CLOCK_MONOTONIC, in µs, for the times in the files. */
  readonly utcMinusMonotonicUs: number;
  /** What became of each node's packets, by the agent's word; empty when it gave none. */
  readonly nodes: CaptureStopAnswer['nodes'];
  /** Everything that the agent captured was taken. */
  readonly whole: boolean;
  readonly problems: readonly string[];
}

/** A capture that runs. */
export interface PacketCapture {
  /** Ends it and takes what is left, until the signal aborts. Never throws; a second call has the first one's result. */
  stop(signal?: AbortSignal): Promise<CaptureResult>;
}

/**
 * Captures what the network sees of nodes until it is stopped, and hands it on as it comes. The agent leaves out what is
 * not read in time and counts it; no fault waits for it.
 * @throws SquallError of the agent when it cannot listen at one of the nodes
 */
export async function capturePackets(
  agent: AgentClient,
  options: CaptureOptions,
  signal?: AbortSignal,
): Promise<PacketCapture> {
  const { nodes, snapBytes, fileBytes } = options;
  const begun = await agent.startCapture({ nodes, snapBytes, fileBytes }, signal);
  return new RunningCapture(agent, options, begun);
}

class RunningCapture implements PacketCapture {
  readonly #agent: AgentClient;
  readonly #take: CaptureOptions['take'];
  readonly #begun: { readonly atNs: number; readonly utcMinusMonotonicUs: number };
  readonly #problems: string[] = [];
  readonly #reading: Promise<boolean>;
  #result: Promise<CaptureResult> | undefined;

  constructor(
    agent: AgentClient,
    options: CaptureOptions,
    begun: { readonly atNs: number; readonly utcMinusMonotonicUs: number },
  ) {
    this.#agent = agent;
    this.#take = options.take;
    this.#begun = begun;
    this.#reading = this.#read().catch((error: unknown) => {
      this.#problems.push(`reading ended early: ${describeError(error)}`);
      return false;
    });
  }

  stop(signal?: AbortSignal): Promise<CaptureResult> {
    this.#result ??= this.#stop(signal);
    return this.#result;
  }

  /** True when all was read. */
  async #read(): Promise<boolean> {
    for (;;) {
      const { pieces, ended } = await this.#agent.readCapture({
        maxBytes: PIECE_BYTES,
        waitMs: READ_WAIT_MS,
      });
      for (const { node, data } of pieces) await this.#take(node, Buffer.from(data, 'base64'));
      if (ended) return true;
    }
  }

  async #stop(signal?: AbortSignal): Promise<CaptureResult> {
    let stopped: CaptureStopAnswer | undefined;
    try {
      stopped = await this.#agent.stopCapture(signal);
    } catch (error) {
      this.#problems.push(`not stopped by the agent: ${describeError(error)}`);
    }
    const whole = stopped !== undefined && (await this.#readToEnd(signal));
    const { atNs, utcMinusMonotonicUs } = this.#begun;
    return {
      fromNs: atNs,
      ...(stopped && { toNs: stopped.atNs }),
      utcMinusMonotonicUs,
      nodes: stopped?.nodes ?? [],
      whole,
      problems: [...this.#problems],
    };
  }

  async #readToEnd(signal: AbortSignal | undefined): Promise<boolean> {
    if (!signal) return await this.#reading;
    const aborted = new Promise<boolean>((resolve) => {
      const giveUp = (): void => {
        this.#problems.push(`reading given up: ${describeError(signal.reason)}`);
        resolve(false);
      };
      if (signal.aborted) giveUp();
      else signal.addEventListener('abort', giveUp, { once: true });
    });
    return await Promise.race([this.#reading, aborted]);
  }
}
