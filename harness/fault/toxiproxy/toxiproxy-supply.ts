import { type StartToxiproxyOptions, startToxiproxy } from './start-toxiproxy.ts';
import type { ToxiproxyServer } from './toxiproxy-server.ts';

export type ToxiproxySupplyOptions = Omit<StartToxiproxyOptions, 'number' | 'image'> & {
  /** Image reference of `toxiproxy`, made ready on first use. */
  readonly image: () => Promise<string>;
};

/** The bed's one Toxiproxy server: started on first use, and replaced when it is wedged. */
export class ToxiproxySupply {
  readonly #options: ToxiproxySupplyOptions;
  #current: Promise<ToxiproxyServer> | undefined;
  #removals: Promise<void>[] = [];
  #started = 0;

  constructor(options: ToxiproxySupplyOptions) {
    this.#options = options;
  }

  /** Servers started so far: more than one says that one was wedged. */
  get started(): number {
    return this.#started;
  }

  get(): Promise<ToxiproxyServer> {
    this.#current ??= this.#start();
    return this.#current;
  }

  /** Removes the server, if there is one, and waits for the removal of those that were replaced. */
  async close(): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    if (current) this.#removals.push(this.#remove(await current));
    await Promise.all(this.#removals);
  }

  async #start(): Promise<ToxiproxyServer> {
    try {
      this.#started += 1;
      const image = await this.#options.image();
      const server = await startToxiproxy({ ...this.#options, image, number: this.#started });
      server.onWedged(() => this.#replace(server));
      return server;
    } catch (error) {
      this.#current = undefined;
      throw error;
    }
  }

  /** A wedged server is killed at once: what it still carries must not go on as if nothing had happened. */
  #replace(server: ToxiproxyServer): void {
    this.#current = undefined;
    const removal = this.#remove(server);
    // Kept for `close`, which reports a failure; until then it must not count as unhandled.
    removal.catch(() => undefined);
    this.#removals.push(removal);
  }

  #remove(server: ToxiproxyServer): Promise<void> {
    return this.#options.engine.removeContainer(server.containerId);
  }
}
