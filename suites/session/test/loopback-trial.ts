import { type LeapingClock, systemClock } from '../../../harness/clock/index.ts';
import type { FaultStep, Point, ScenarioSpec, TrialContext } from '../../../harness/index.ts';
import { stream } from '../../../harness/random/index.ts';
import {
  createConditionMatcher,
  type MeasureValue,
  matchesPoint,
  measureTrial,
  type RecordedEvent,
  type TrialRecord,
} from '../../../harness/record/index.ts';
import { readParameter } from '../../../harness/scenario/index.ts';
import { select, type TopologyOverrides } from '../../../harness/topology/index.ts';
import type { ImageFacts, NodeContext, RunningNode } from '../../../images/node-kit/index.ts';
import { startFleet } from '../../../images/session-client/fleet.ts';
import clientImage from '../../../images/session-client/image.json' with { type: 'json' };
import { nodeContext } from '../../../images/session-kit/test/in-process.ts';
import registryImage from '../../../images/session-registry/image.json' with { type: 'json' };
import { startRegistry } from '../../../images/session-registry/registry.ts';
import storageImage from '../../../images/session-storage/image.json' with { type: 'json' };
import { startStorage } from '../../../images/session-storage/start-storage.ts';
import { environmentOf, type Settings } from '../launch-settings.ts';
import { LoopbackNetwork } from './loopback-network.ts';

/** Those of topologies/session-15.yaml. */
const STORAGES = 15;
const SWARM_SIZE = 5;
/** Where clients and nodes look for a storage node, and where it listens behind what may hush it. */
const LISTED_PORT = 22_021;
const OWN_PORT = 22_031;
/** The same for the registry, which is the one seed. */
const REGISTRY_LISTED_PORT = 22_443;
const REGISTRY_OWN_PORT = 22_453;
/** Of topologies/session-15-stand-in.yaml. */
const FIRST_STAND_IN_PORT = 22_101;
/** Faults whose packets or bytes vanish. */
const SILENT = ['drop', 'blackhole-stream'];
/** What the admin port waits for a node, of real time. */
const ADMIN_WITHIN_MS = 5_000;

export interface LoopbackOptions {
  readonly seed?: string;
  /** Of this process's loopback addresses, so that trials side by side do not meet on the same ports. */
  readonly part: number;
  readonly warp?: number;
}

interface Node {
  readonly name: string;
  readonly role: string;
  readonly address: string;
  /** As it was started before, but for these variables. */
  readonly start: (env: Readonly<Record<string, string>>) => Promise<RunningNode>;
  running: RunningNode;
}

/**
 * One trial of a row whose steps only ask admin ports: the topology's programs in this process, over TLS on loopback, on one
 * clock that runs and leaps. Without containers and without the record around it; of the network's faults, silence only.
 */
export async function loopbackTrial(
  scenario: ScenarioSpec,
  point: Point,
  { seed = '7', part, warp = 1 }: LoopbackOptions,
): Promise<{
  readonly measures: Readonly<Record<string, MeasureValue>>;
  readonly events: readonly RecordedEvent[];
}> {
  const clock = systemClock({ warp });
  const events: RecordedEvent[] = [];
  const tell = (node: string, event: string, fields: Readonly<Record<string, unknown>>): void => {
    events.push({ node, event, fields, atNs: performance.now() * 1e6 });
  };
  const bed = new LoopbackBed(scenario, point, { seed, part, clock, tell });
  const stopping = new AbortController();
  try {
    await bed.start();
    const trial: TrialContext = {
      point,
      seed,
      warp,
      signal: stopping.signal,
      events,
      nodes: (selector) => bed.selected(selector),
      relaunch: (node, env = {}) => bed.relaunch(node, env),
      replace: async (node) => {
        throw new Error(`${node}: no course on loopback has another version`);
      },
      admin: (node, method, path, body) => bed.admin(node, `${method} ${path}`, body),
      emit: (event, fields) => tell('harness', event, fields),
      guestPlace: () => ({ networkId: '', labels: {} }),
      wait: (duration) => clock.sleep(durationMs(duration), stopping.signal),
      until: async (condition, within) => {
        const matcher = createConditionMatcher(condition);
        const endMs = clock.nowMs() + durationMs(within);
        for (let read = 0; ; await clock.sleep(10, stopping.signal)) {
          while (read < events.length) if (matcher.push(events[read++] as RecordedEvent)) return;
          if (clock.nowMs() > endMs) throw new Error(`${JSON.stringify(condition)}: not within ${within}`);
        }
      },
    };
    for (const { steps } of scenario.phases)
      for (const step of steps.filter(({ when }) => matchesPoint(point, when))) {
        if ('run' in step) await step.run(trial);
        else if ('wait' in step) await trial.wait(step.wait);
        else if ('lift' in step) bed.calm(step.lift);
        else if ('fault' in step) {
          if (!onlyCounts(step.fault)) bed.disturb(step.fault);
        } else throw new Error(`step ${step.name}: needs a bed of containers`);
      }
  } finally {
    await bed.stop();
  }
  const nothing = { faults: [], phases: [], nodes: [], startNs: 0, endNs: 0, warp } as unknown as TrialRecord;
  return { measures: measureTrial(scenario.measure, nothing, events), events };
}

/** A fault that lets everything pass: there is no agent here to count. */
const onlyCounts = (fault: FaultStep): boolean => fault['lossRatio'] === 0;

const durationMs = (text: string): number =>
  Number(readParameter('duration', { type: 'duration', description: 'a wait', default: '1s' }, text));

interface BedFacts {
  readonly seed: string;
  readonly part: number;
  readonly clock: LeapingClock;
  readonly tell: (node: string, event: string, fields: Readonly<Record<string, unknown>>) => void;
}

class LoopbackBed {
  readonly nodes: Node[] = [];
  readonly #network = new LoopbackNetwork();
  readonly #point: Point;
  readonly #scenario: ScenarioSpec;
  readonly #facts: BedFacts;

  get #overrides(): TopologyOverrides {
    const { overrides } = this.#scenario;
    return typeof overrides === 'function' ? overrides(this.#point) : (overrides ?? {});
  }

  get #oneSubnet(): boolean {
    return this.#scenario.topology.includes('one-subnet');
  }

  constructor(scenario: ScenarioSpec, point: Point, facts: BedFacts) {
    this.#scenario = scenario;
    this.#point = point;
    this.#facts = facts;
  }

  async start(): Promise<void> {
    const names = Array.from({ length: STORAGES }, (_, index) => `storage-${index + 1}`);
    const places = names.map((name, index) => `${name}@${this.#address(index + 1)}`).join();
    const registry = this.#address(250);
    await this.#network.stand(
      { name: 'registry-1', address: registry },
      REGISTRY_LISTED_PORT,
      REGISTRY_OWN_PORT,
    );
    await this.#run(registryImage, 'registry', 'registry-1', registry, startRegistry, {
      port: REGISTRY_OWN_PORT,
      nodes: places,
      swarmSize: SWARM_SIZE,
    });
    await Promise.all(
      names.map(async (name, index) => {
        const address = this.#address(index + 1);
        await this.#network.stand({ name, address }, LISTED_PORT, OWN_PORT);
        await this.#run(storageImage, 'storage', name, address, startStorage, {
          registry: `registry-1@${registry}`,
          port: OWN_PORT,
        });
      }),
    );
    if (this.#scenario.topology.includes('stand-in'))
      await this.#run(storageImage, 'storm', 'storm-1', this.#address(249), startStorage, {
        registry: `registry-1@${registry}`,
        standFor: names
          .slice(0, SWARM_SIZE)
          .map((name, index) => `${name}:${FIRST_STAND_IN_PORT + index}`)
          .join(),
      });
    const { counts } = this.#overrides;
    for (let index = 1; index <= (counts?.['client'] ?? 1); index += 1)
      await this.#run(clientImage, 'client', `client-${index}`, this.#address(200 + index), startFleet, {
        seeds: `registry-1@${registry}:${REGISTRY_LISTED_PORT}`,
        nodes: places,
        ...(this.#scenario.topology.includes('herd') && { sharedAccounts: 'group', route: 'direct' }),
      });
  }

  /** The process begins anew; the clock that all share goes on. */
  async relaunch(name: string, env: Readonly<Record<string, string>>): Promise<void> {
    const node = this.nodes.find((one) => one.name === name);
    if (!node) throw new Error(`no node ${name}`);
    await node.running.stop?.();
    node.running = await node.start({ ...env, SQUALL_START_LEAP_MS: '0' });
  }

  selected(selector: string): readonly Node[] {
    const nodes = this.nodes.map(({ name, role }) => ({
      name,
      role,
      index: Number(name.split('-').at(-1)),
      labels: {},
    }));
    const names = select(selector, nodes, stream(this.#facts.seed, 'targets'));
    return this.nodes.filter(({ name }) => names.includes(name));
  }

  disturb({ kind, id = kind, on, from, to, ...settings }: FaultStep): void {
    const named = (selector: string): readonly string[] => this.selected(selector).map(({ name }) => name);
    if (kind === 'stand-in' && to !== undefined) {
      const [by] = this.selected(String(settings['by']));
      const places = named(to).map((name, index) => [name, Number(settings['byPort']) + index] as const);
      this.#network.standIn(id, by?.address ?? '', new Map(places));
      return;
    }
    const places = {
      ...(on !== undefined && { on: named(on) }),
      ...(from !== undefined && { from: named(from) }),
      ...(to !== undefined && { to: named(to) }),
    };
    if (kind === 'limit') {
      this.#network.hangUp(id, places);
      return;
    }
    if (!SILENT.includes(kind)) throw new Error(`fault ${kind}: needs a bed of containers`);
    this.#network.begin(id, places);
  }

  calm(id: string): void {
    this.#network.end(id);
  }

  async admin(name: string, request: string, body: unknown): Promise<{ status: number; body: string }> {
    const node = this.nodes.find((one) => one.name === name);
    if (!node) return { status: 404, body: `no node ${name}` };
    if (request === 'GET /state') return { status: 200, body: JSON.stringify(node.running.state?.() ?? {}) };
    if (request === 'POST /clock') {
      // All nodes share the one clock.
      const { leapMs } = body as { readonly leapMs: number };
      if (name === 'client-1') await this.#facts.clock.leap(leapMs);
      return { status: 200, body: '{}' };
    }
    const handler = node.running.handlers?.[request];
    if (!handler) return { status: 404, body: `no ${request}` };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<{ status: number; body: unknown }>((resolve) => {
      timer = setTimeout(() => resolve({ status: 504, body: 'late' }), ADMIN_WITHIN_MS);
    });
    const answer = await Promise.race([Promise.resolve(handler(body)), late]);
    clearTimeout(timer);
    return { status: answer.status, body: JSON.stringify(answer.body) };
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(({ running }) => running.stop?.()));
    await this.#network.close();
  }

  #address(index: number): string {
    const [own, part] = [10 + (process.pid % 200), this.#facts.part];
    // Elsewhere each node has a /24 to itself, as on a bed.
    return this.#oneSubnet && index < 200
      ? `127.${own + 20}.${part}.${index}`
      : `127.${own}.${index}.${part}`;
  }

  async #run(
    image: ImageFacts,
    role: string,
    name: string,
    address: string,
    start: (node: NodeContext) => Promise<RunningNode>,
    topology: Settings,
  ): Promise<void> {
    const over = this.#overrides;
    const variants = over.variant;
    const variant = typeof variants === 'string' ? variants : (variants?.[role] ?? '');
    const environment = environmentOf(image, { ...topology, ...over.settings?.[role] });
    const { clock, seed, tell } = this.#facts;
    let current = { ...environment, ...(variant && { SQUALL_VARIANT: variant }) };
    const startWith = async (env: Readonly<Record<string, string>>): Promise<RunningNode> => {
      current = { ...current, ...env };
      const { context } = nodeContext(image, { name, role, address, clock }, current);
      return await start({
        ...context,
        seed,
        chance: (concern) => stream(seed, `${name}/${concern}`),
        emit: (event, fields = {}) => tell(name, event, fields),
      });
    };
    this.#network.name(name, address);
    this.nodes.push({ name, role, address, start: startWith, running: await startWith({}) });
  }
}
