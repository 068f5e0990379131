import type { Engine } from '../engine/index.ts';
import { describeError } from '../errors/index.ts';
import { type Canary, startCanary } from './canary.ts';
import { type HostGuard, startHostGuard } from './host-guard.ts';
import type { HostSource } from './host-source.ts';

export interface HostGuardsOptions {
  readonly engine: Engine;
  /** Gives the reference of the image `canary`; asked for once, at the first trial. */
  readonly canaryImage: (signal: AbortSignal) => Promise<string>;
  readonly runId: string;
  /** Labels of the run, for the canary. */
  readonly labels: Readonly<Record<string, string>>;
}

export interface GuardedTrial {
  readonly bed: { nodes(): readonly { readonly pid: number }[] };
  readonly shortestTimeoutMs: number;
  readonly signal: AbortSignal;
  readonly sources?: readonly HostSource[];
  readonly expected?: readonly string[];
}

/** The host guards of a run's trials: one canary and one watch over the engine for all of them. */
export class HostGuards {
  readonly #options: HostGuardsOptions;
  readonly #watching = new AbortController();
  #canary: Promise<Canary> | undefined;
  #canaries = 0;
  #restarts = 0;
  #lostEvents: string | undefined;

  constructor(options: HostGuardsOptions) {
    this.#options = options;
    options.engine
      .events(
        Object.entries(options.labels).map(([key, value]) => `${key}=${value}`),
        ({ action }) => {
          if (action === 'reconnected') this.#restarts += 1;
        },
        this.#watching.signal,
      )
      .catch((error: unknown) => {
        if (!this.#watching.signal.aborted) this.#lostEvents = describeError(error);
      });
  }

  /** Starts the canary before the first trial needs it. @throws what keeps it from starting */
  async prepare(signal: AbortSignal): Promise<void> {
    await this.#livingCanary(signal);
  }

  /** Begins to watch one trial. A canary that died is replaced, so that one death spoils one trial. */
  async start(trial: GuardedTrial): Promise<HostGuard> {
    const canary = await this.#livingCanary(trial.signal);
    return await startHostGuard({
      shortestTimeoutMs: trial.shortestTimeoutMs,
      pids: () => trial.bed.nodes().map((node) => node.pid),
      canary,
      sources: [this.#engineSource(), ...(trial.sources ?? [])],
      ...(trial.expected ? { expected: trial.expected } : {}),
    });
  }

  /** Removes the canary; the guards that still run then know no more. */
  async stop(): Promise<void> {
    this.#watching.abort();
    const starting = this.#canary;
    this.#canary = undefined;
    // A canary that never started has removed itself.
    const canary = await starting?.catch(() => undefined);
    await canary?.stop();
  }

  async #livingCanary(signal: AbortSignal): Promise<Canary> {
    const starting = this.#canary;
    const known = await starting?.catch(() => undefined);
    if (known?.alive) return known;
    // Of several trials that find it dead, the first replaces it and the others take that one.
    if (this.#canary === starting) {
      this.#canary = (async () => {
        await known?.stop();
        return await this.#startCanary(signal);
      })();
    }
    return await (this.#canary ?? this.#livingCanary(signal));
  }

  async #startCanary(signal: AbortSignal): Promise<Canary> {
    const { engine, canaryImage, labels, runId } = this.#options;
    this.#canaries += 1;
    return await startCanary({
      engine,
      image: await canaryImage(signal),
      name: `squall-${runId}-canary-${this.#canaries}`,
      labels,
      signal,
    });
  }

  #engineSource(): HostSource {
    return {
      name: 'engine restarts',
      unit: '',
      threshold: 0,
      reason: 'an engine that restarts may pause, restart or lose containers',
      fold: 'increase',
      read: async () => {
        if (this.#lostEvents !== undefined) throw new Error(this.#lostEvents);
        return this.#restarts;
      },
    };
  }
}
