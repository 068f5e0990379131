import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Engine, findEngine } from '../../engine/index.ts';
import { ensureImage } from '../../image/index.ts';
import { leaseSubnet, type SubnetLease } from '../../network/index.ts';
import {
  type AgentClient,
  createFaultBoard,
  type FaultBedPort,
  type FaultBoard,
  type FaultNode,
  startAgent,
} from '../index.ts';

const IMAGES_DIR = join(import.meta.dirname, 'images');
const ADMIN_PORT = 8080;

/** As the testnet room labels what it creates; that room stands above this one. */
const LABEL = { project: 'squall', run: 'squall.run', bed: 'squall.bed' } as const;

export interface TrafficReport {
  readonly count: number;
  readonly distinct: number;
  readonly disordered: number;
  readonly corrupt: number;
  readonly lateMaxMs: number;
}

export interface StreamReport {
  readonly connected: boolean;
  readonly echoed: number;
  readonly error: string;
  readonly tookMs: number;
}

/** Real containers of the traffic node, a real agent, and the board that breaks their network. */
export class RealBed {
  readonly engine: Engine;
  readonly agent: AgentClient;
  readonly port: FaultBedPort;
  readonly board: FaultBoard;
  readonly networkId: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly #nodes: FaultNode[];
  readonly #lease: SubnetLease;

  constructor(parts: {
    engine: Engine;
    agent: AgentClient;
    networkId: string;
    labels: Readonly<Record<string, string>>;
    nodes: FaultNode[];
    lease: SubnetLease;
    overrides: (bed: FaultBedPort) => Partial<FaultBedPort>;
  }) {
    this.engine = parts.engine;
    this.agent = parts.agent;
    this.networkId = parts.networkId;
    this.labels = parts.labels;
    this.#nodes = parts.nodes;
    this.#lease = parts.lease;
    const port: FaultBedPort = {
      bedId: parts.labels[LABEL.bed] as string,
      engine: this.engine,
      agent: this.agent,
      nodes: () => this.#nodes,
      select: (selector) =>
        this.#nodes
          .map((node) => node.name)
          .filter((name) => selector === '*' || selector.split(',').includes(name)),
      refreshNode: (name) => this.#refresh(name),
      toxiproxy: () => Promise.reject(new Error('no Toxiproxy on this bed')),
      adminRequest: async (node, method, path, body) => this.#http(node, method, path, body),
    };
    this.port = Object.assign(port, parts.overrides(port));
    this.board = createFaultBoard(this.port);
  }

  node(name: string): FaultNode {
    return this.#nodes.find((node) => node.name === name) as FaultNode;
  }

  /** Datagrams from one node to another, without waiting for room: a sender that is held back shows as EAGAIN. */
  send(from: string, to: string, options: { count: number; gapUs?: number; bytes?: number }) {
    return this.#ask<{ sent: number; errors: Record<string, number> }>(from, 'POST', '/send', {
      to: `${this.node(to).address}:7000`,
      ...options,
    });
  }

  received(node: string): Promise<TrafficReport> {
    return this.#ask(node, 'GET', '/received');
  }

  /** Looks until a node has received so many datagrams. */
  async untilReceived(node: string, datagrams: number): Promise<void> {
    // Each look is a request through the agent, which has the datagrams to attend to.
    while ((await this.received(node)).count < datagrams) await setTimeout(5);
  }

  forget(node: string): Promise<unknown> {
    return this.#ask(node, 'POST', '/forget', {});
  }

  /** Opens a connection, sends bytes, waits for their echo. */
  connect(
    from: string,
    to: string,
    options: { bytes?: number; timeoutMs?: number } = {},
  ): Promise<StreamReport> {
    return this.#stream(from, '/connect', to, options);
  }

  connectTo(from: string, to: string): Promise<StreamReport> {
    return this.#ask(from, 'POST', '/connect', { to, bytes: 1, timeoutMs: 1_000 });
  }

  /** Opens the one connection that `talk` uses afterwards. */
  open(from: string, to: string, options: { timeoutMs?: number } = {}): Promise<StreamReport> {
    return this.#stream(from, '/open', to, options);
  }

  /** Opens a connection to the fountain of a node, and reads from it for ever once the first bytes are there. */
  drink(from: string, to: string, bytes: number): Promise<{ bytes: number; error: string }> {
    return this.#ask(from, 'POST', '/drink', {
      to: `${this.node(to).address}:7002`,
      bytes,
      timeoutMs: 2_000,
    });
  }

  talk(
    from: string,
    to: string,
    options: { bytes?: number; timeoutMs?: number } = {},
  ): Promise<StreamReport> {
    return this.#stream(from, '/talk', to, options);
  }

  work(node: string): Promise<number> {
    return this.#http(node, 'GET', '/work').then((answer) => answer.status);
  }

  /** Tables that an agent which has ended left in the nodes' namespaces, by node; another agent looks, and takes them away. */
  async tablesLeft(): Promise<Readonly<Record<string, readonly string[]>>> {
    const agent = await startAgent({
      engine: this.engine,
      image: (await ensureImage(this.engine, { kind: 'ours', name: 'packet-agent' })).reference,
      bedId: `${this.port.bedId}-next`,
      labels: this.labels,
    });
    try {
      const nodes = await agent.enroll(this.#nodes.map(({ name, pid }) => ({ name, pid })));
      return Object.fromEntries(nodes.map(({ name, sweptTables }) => [name, sweptTables]));
    } finally {
      await agent.close();
    }
  }

  async remove(): Promise<void> {
    await this.agent.close();
    await Promise.all(this.#nodes.map((node) => this.engine.removeContainer(node.containerId)));
    await this.engine.removeNetwork(this.networkId);
    this.#lease.release();
    this.engine.close();
  }

  #stream(from: string, path: string, to: string, options: { bytes?: number; timeoutMs?: number }) {
    return this.#ask<StreamReport>(from, 'POST', path, {
      to: `${this.node(to).address}:7001`,
      bytes: options.bytes ?? 64,
      timeoutMs: options.timeoutMs ?? 1_000,
    });
  }

  async #ask<T>(node: string, method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const answer = await this.#http(node, method, path, body);
    if (answer.status !== 200) throw new Error(`${node} ${path}: ${answer.status} ${answer.body}`);
    return JSON.parse(answer.body) as T;
  }

  #http(node: string, method: 'GET' | 'POST', path: string, body?: unknown) {
    return this.agent.http({
      node,
      port: ADMIN_PORT,
      method,
      path,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      timeoutMs: 60_000,
    });
  }

  async #refresh(name: string): Promise<FaultNode> {
    const index = this.#nodes.findIndex((node) => node.name === name);
    const state = await this.engine.inspectContainer(this.node(name).containerId);
    const fresh = { ...this.node(name), pid: state?.pid ?? 0 };
    this.#nodes[index] = fresh;
    await this.agent.enroll([{ name, pid: fresh.pid }]);
    return fresh;
  }
}

export interface RealBedOptions {
  readonly nodes: number;
  readonly tmpfs?: Readonly<Record<string, string>>;
  readonly overrides?: (bed: FaultBedPort) => Partial<FaultBedPort>;
}

/** Starts `node-1` … `node-N`, an agent, and enrolls them. */
export async function startRealBed(options: RealBedOptions): Promise<RealBed> {
  const engine = await findEngine({ yes: true });
  const bedId = `fault-${randomBytes(4).toString('hex')}`;
  const labels = { [LABEL.project]: '1', [LABEL.run]: bedId, [LABEL.bed]: bedId };
  const [agentImage, nodeImage] = await Promise.all([
    ensureImage(engine, { kind: 'ours', name: 'packet-agent' }),
    ensureImage(engine, { kind: 'ours', name: 'traffic-node' }, { imagesDir: IMAGES_DIR }),
  ]);
  const lease = await leaseSubnet(engine, { prefix: 24, runId: bedId, bedId });
  const networkId = await engine.createNetwork({
    name: bedId,
    subnet: lease.subnet,
    gateway: lease.gateway,
    autoRange: lease.autoRange,
    labels,
  });
  const names = Array.from({ length: options.nodes }, (_, index) => `node-${index + 1}`);
  const [agent, nodes] = await Promise.all([
    startAgent({ engine, image: agentImage.reference, bedId, labels }),
    Promise.all(
      names.map(async (name, index): Promise<FaultNode> => {
        const address = lease.addressAt(0, index + 1);
        const containerId = await engine.createContainer({
          name: `${bedId}-${name}`,
          hostname: name,
          image: nodeImage.reference,
          environment: {},
          labels,
          network: { id: networkId, address, aliases: [name] },
          ...(options.tmpfs ? { tmpfs: options.tmpfs } : {}),
        });
        await engine.startContainer(containerId);
        const state = await engine.inspectContainer(containerId);
        const image = nodeImage.reference;
        return {
          name,
          containerId,
          pid: state?.pid ?? 0,
          address,
          image,
          imageKind: 'ours',
          adminPort: ADMIN_PORT,
        };
      }),
    ),
  ]);
  await agent.enroll(nodes.map(({ name, pid }) => ({ name, pid })));
  return new RealBed({
    engine,
    agent,
    networkId,
    labels,
    nodes,
    lease,
    overrides: options.overrides ?? (() => ({})),
  });
}
