import { randomInt } from 'node:crypto';
import { type LeapingClock, manualClock } from '../../../harness/clock/index.ts';
import { stream } from '../../../harness/random/index.ts';
import type { FetchNode } from '../fetch-node.ts';
import { startFetchNode } from '../start-fetch-node.ts';
import { variant } from './rule-test.ts';

export interface Told {
  readonly by: string;
  readonly event: string;
  readonly atMs: number;
  readonly [field: string]: unknown;
}

export interface NodeSpec {
  readonly variant?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const SEED = 'loopback';
/** A step of the clock, and how often the event loop turns in it: a TLS handshake needs some ten. */
const STEP_MS = 50;
const TURNS = 12;

/** Real nodes in this process, each with an address of its own on loopback, on a clock that is led. */
export class LoopbackBed {
  readonly clock: LeapingClock = manualClock();
  readonly told: Told[] = [];
  readonly logged: string[] = [];
  readonly #nodes = new Map<string, FetchNode>();
  readonly #names: readonly string[];
  readonly #common: Readonly<Record<string, string>>;
  #port = 0;

  /** @param common settings of every node */
  constructor(names: readonly string[], common: Readonly<Record<string, string>> = {}) {
    this.#names = names;
    const incumbents = names.filter((name) => name.startsWith('holder'));
    this.#common = {
      SQUALL_INCUMBENTS: incumbents.join(','),
      SQUALL_CHUNK_BYTES: '512',
      SQUALL_TRANSPORT: 'tcp',
      ...common,
    };
  }

  /** Below the ports that the kernel hands out; one that is taken on some address is replaced for all. */
  async start(specs: Readonly<Record<string, NodeSpec>>): Promise<void> {
    for (;;) {
      this.#port = randomInt(20_000, 32_000);
      try {
        for (const [name, spec] of Object.entries(specs)) await this.add(name, spec);
        return;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
        await this.stop();
        this.told.length = 0;
      }
    }
  }

  async add(name: string, spec: NodeSpec): Promise<FetchNode> {
    const env = {
      ...this.#common,
      SQUALL_PORT: String(this.#port),
      SQUALL_PEERS: this.#names.map((one) => `${one}@${this.#addressOf(one)}`).join(','),
      ...spec.env,
    };
    const own = variant(spec.variant ?? 'share', env);
    const node = await startFetchNode({
      name,
      seed: SEED,
      address: this.#addressOf(name),
      variant: own.name,
      settings: own.settings,
      clock: this.clock,
      chance: (concern) => stream(SEED, `${name}/${concern}`),
      emit: (event, fields = {}) =>
        void this.told.push({ ...fields, by: name, event, atMs: this.clock.nowMs() }),
      log: (text) => void this.logged.push(text),
    });
    this.#nodes.set(name, node);
    return node;
  }

  node(name: string): FetchNode {
    const node = this.#nodes.get(name);
    if (!node) throw new Error(`${name}: is not in this bed`);
    return node;
  }

  /** Leads the clock until it is so; the test's own timeout bounds it. */
  async until(isSo: () => boolean): Promise<void> {
    while (!isSo()) await this.#step();
  }

  async pass(ms: number): Promise<void> {
    const untilMs = this.clock.nowMs() + ms;
    while (this.clock.nowMs() < untilMs) await this.#step();
  }

  events(event: string, by?: string): readonly Told[] {
    return this.told.filter((one) => one.event === event && (by === undefined || one.by === by));
  }

  async stopNode(name: string): Promise<void> {
    const node = this.#nodes.get(name);
    this.#nodes.delete(name);
    await node?.stop();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#nodes.keys()].map((name) => this.stopNode(name)));
  }

  async #step(): Promise<void> {
    await this.clock.leap(STEP_MS);
    for (let turn = 0; turn < TURNS; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  #addressOf(name: string): string {
    return `127.0.7.${this.#names.indexOf(name) + 1}`;
  }
}
