import { type LeapingClock, manualClock } from '../../../harness/clock/index.ts';
import { stream } from '../../../harness/random/index.ts';
import { Agent } from '../agent.ts';
import type { AgentRules } from '../agent-context.ts';
import { AgentStore } from '../agent-store.ts';
import type { ChoiceRules } from '../choice-rules.ts';
import { MessageHistory } from '../message-history.ts';
import { firstPick } from '../pick-proxy.ts';
import { master, type Told } from './choice-fixture.ts';
import { FakeNetwork } from './fake-network.ts';

/** The defaults of image.json. */
export const RULES: AgentRules = {
  waits: {
    connect: { backgroundMs: 45_000, interactiveMs: 15_000 },
    command: { backgroundMs: 30_000, interactiveMs: 10_000 },
    perKibMs: 0,
  },
  persistErrorIntervalMs: 3_000,
  reconnect: { initialMs: 2_000, increaseAfterMs: 10_000, maximumMs: 180_000 },
  messageRetry: { initialMs: 2_000, increaseAfterMs: 10_000, maximumMs: 120_000 },
  quotaRetry: { initialMs: 300_000, increaseAfterMs: 60_000, maximumMs: 21_600_000 },
  messageExpiryMs: 172_800_000,
  proxyMode: 'always',
  retries: 0,
  retryOnErrorMs: 1_000,
};

interface AgentSetup {
  readonly name: string;
  readonly servers: readonly string[];
  readonly proxies?: readonly string[];
  readonly choiceRules: ChoiceRules;
  readonly rules?: Partial<AgentRules>;
  readonly seed?: string;
}

/** An agent of a bed, whose lives may follow each other. */
export class BedAgent {
  readonly told: (Told & { readonly atMs: number })[] = [];
  agent: Agent;
  #store: AgentStore;
  readonly #bed: AgentBed;
  readonly #setup: AgentSetup;
  readonly #history: MessageHistory;

  constructor(bed: AgentBed, setup: AgentSetup) {
    this.#bed = bed;
    this.#setup = setup;
    const addresses = (names: readonly string[]) => names.map((name) => `${name}@${name}`);
    this.#store = new AgentStore(
      { path: '', tag: '' },
      {
        life: 0,
        lastConnection: 0,
        servers: addresses(setup.servers),
        proxies: addresses(setup.proxies ?? setup.servers),
        addresses: {},
        connections: [],
      },
    );
    this.#history = new MessageHistory((event, fields) => this.#tell(event, fields), setup.name, 0);
    this.agent = this.#begin();
  }

  restart(): void {
    this.agent.end();
    this.#store = this.#store.restarted();
    this.#history.begin(this.#store.record.life);
    this.agent = this.#begin();
  }

  events(name: string) {
    return this.told.filter(({ event }) => event === name);
  }

  /** When an event was told first. */
  at(name: string): number | undefined {
    return this.events(name)[0]?.atMs;
  }

  status(connection: string): unknown {
    const connections = this.agent.state()['connections'] as {
      readonly id: string;
      readonly status: string;
    }[];
    return connections.find(({ id }) => id === connection)?.status;
  }

  #begin(): Agent {
    const { name, choiceRules, rules, seed = '1' } = this.#setup;
    const agent = new Agent({
      name,
      clock: this.#bed.clock,
      rules: { ...RULES, ...rules },
      choiceRules,
      store: this.#store,
      history: this.#history,
      wire: this.#bed.network.wire(),
      readAddress,
      proxyChance: stream(seed, `${name}/proxy`),
      serverChance: stream(seed, `${name}/servers`),
      emit: (event, fields) => this.#tell(event, fields),
      log: () => undefined,
    });
    agent.start();
    return agent;
  }

  #tell(event: string, fields: Readonly<Record<string, unknown>>): void {
    this.told.push({ event, atMs: this.#bed.clock.nowMs(), ...fields });
  }
}

/** Agents and servers in memory on a clock that is led. */
export class AgentBed {
  readonly clock: LeapingClock = manualClock({ wallMs: 1_700_000_000_000 });
  readonly network = new FakeNetwork(this.clock);

  agent(setup: AgentSetup): BedAgent {
    return new BedAgent(this, setup);
  }

  /** The other party, whose server is R and who needs no proxy. */
  contact(name = 'contact'): BedAgent {
    return this.agent({ name, servers: ['R'], choiceRules: master(), rules: { proxyMode: 'never' } });
  }

  /** What has just been asked for begins before time passes. */
  async leap(ms: number): Promise<void> {
    await this.settle();
    await this.clock.leap(ms);
  }

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A seed with which the agent tries P1 first, and then what `then` says, for destination R. */
export function seedWhere(
  holds: (picks: readonly string[]) => boolean,
  proxies: readonly string[],
  agent = 'app',
): string {
  for (let seed = 0; seed < 10_000; seed += 1) {
    if (holds(picksOf(String(seed), agent, proxies, 12))) return String(seed);
  }
  throw new Error('no seed fits');
}

function picksOf(seed: string, agent: string, proxies: readonly string[], count: number): string[] {
  const picks = stream(seed, `${agent}/proxy`).derive('R');
  const first = firstPick({ seed, agent, destination: 'R', proxies });
  const drawn = Array.from({ length: count }, () => proxies[picks.integer(proxies.length)] ?? '');
  if (proxies.length > 1 && drawn[0] !== first) throw new Error('firstPick and the agent differ');
  return drawn;
}

function readAddress(text: string) {
  const host = text.split('@').at(-1)?.replace('smp://', '') ?? '';
  return { address: `smp://${host}`, host };
}
