import { SquallError } from '../../errors/index.ts';
import type { WitnessRecord } from '../../record/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import { witnessOf } from '../on-each-node.ts';
import { untilGone } from '../process/container-watch.ts';
import { requireNode } from '../require-node.ts';
import { monotonicNs } from '../time-budget.ts';
import type { FaultWork } from '../timed-lease.ts';
import type { FaultPlan } from '../types.ts';
import { connectProblem } from './fresh-connect.ts';
import { COUNT_ONLY, COUNTERS, countsOf, homeOf, type Route, redirectRule } from './route.ts';
import type { RouteTable } from './route-table.ts';
import { toxicsOf } from './toxic-attributes.ts';
import type { ProxyState, ToxiproxyServer } from './toxiproxy-server.ts';

type Counts = Readonly<Record<string, number>>;

/**
 * A fault of streams. On a standing route it changes the proxy that connections run through already; everywhere else it
 * makes a proxy first, complete, and then leads new connections to it, so that none passes unharmed (incident 4).
 */
export class ToxiproxyFault implements FaultWork {
  readonly #plan: FaultPlan;
  readonly #bed: FaultBedPort;
  readonly #table: RouteTable;
  readonly #standing: Route[] = [];
  readonly #own: Route[] = [];
  readonly #before = new Map<string, Counts>();
  #server: ToxiproxyServer | undefined;

  constructor(plan: FaultPlan, bed: FaultBedPort, table: RouteTable) {
    this.#plan = plan;
    this.#bed = bed;
    this.#table = table;
  }

  async arm(signal: AbortSignal): Promise<void> {
    const { id, targets, peers, ports, kind } = this.#plan;
    const server = await this.#bed.toxiproxy(signal);
    if (kind === 'blackhole-after' && !server.hasHoleAfter) throw noHoleAfter(id);
    this.#server = server;
    for (const route of this.#table.routesFor(id, targets, peers, ports)) {
      const standing = this.#table.standing(route);
      if (standing) {
        this.#standing.push(standing);
        continue;
      }
      this.#own.push(route);
      await this.#table.create(server, route, this.#toxics(), kind !== 'refuse', this.#upstreamOf(route));
      if (kind === 'blackhole-after') await this.#setHole(server, route, Number(this.#plan.settings.bytes));
    }
  }

  async apply(signal: AbortSignal): Promise<{ firstNs: number; lastNs: number }> {
    const server = this.#requireServer();
    await this.#remember(signal);
    const instants: number[] = [];
    if (this.#own.length > 0) {
      await this.#bed.agent.redirect(
        this.#own.map((route) => redirectRule(route, server)),
        signal,
      );
      instants.push(monotonicNs());
    }
    for (const route of this.#standing) {
      signal.throwIfAborted();
      await this.#disturb(server, route);
      instants.push(monotonicNs());
    }
    return { firstNs: Math.min(...instants), lastNs: Math.max(...instants) };
  }

  async undo(signal: AbortSignal): Promise<void> {
    const server = this.#server;
    if (!server) return;
    if (this.#own.length > 0) {
      await this.#bed.agent.unredirect(
        this.#own.map((route) => redirectRule(route, server)),
        signal,
      );
    }
    await this.#unlessWedged(server, signal, async () => {
      for (const route of this.#own) await server.removeProxy(route.proxyName);
      for (const route of this.#standing) await this.#calm(server, route);
    });
  }

  async remains(signal: AbortSignal): Promise<readonly string[]> {
    const server = this.#server;
    if (!server) return [];
    const { redirects } = await this.#bed.agent.snapshot(signal);
    const own = new Set(this.#own.map((route) => route.listenPort));
    const rules = redirects.filter((rule) => rule.toIp === server.address && own.has(rule.toPort));
    const left = rules.map((rule) => `${rule.node} is still redirected for ${rule.dstIp}:${rule.dstPort}`);
    await this.#unlessWedged(server, signal, async () => {
      left.push(...this.#proxyRemains(await server.proxies()), ...(await this.#connectProblems(server)));
    });
    if (!server.wedged) return left;
    // With a wedged server its faults end when it does.
    await untilGone(this.#bed.engine, server.containerId, signal);
    return left;
  }

  /** Speaks to the server; when it turns out to be wedged, leads its standing routes to the one that replaces it. */
  async #unlessWedged(
    server: ToxiproxyServer,
    signal: AbortSignal,
    speak: () => Promise<void>,
  ): Promise<void> {
    try {
      if (!server.wedged) await speak();
    } catch (error) {
      if (!server.wedged) throw error;
    }
    if (server.wedged) await this.#table.rebuildStanding(signal);
  }

  #proxyRemains(proxies: ReadonlyMap<string, ProxyState>): readonly string[] {
    const left = this.#own.filter((route) => proxies.has(route.proxyName));
    const disturbing = this.#standing.filter(({ proxyName }) => {
      const proxy = proxies.get(proxyName);
      const names = (proxy?.toxics ?? []).map((toxic) => toxic.name);
      const holes = (proxy?.toxics ?? []).filter(
        (toxic) => Number(toxic.attributes.bytes ?? COUNT_ONLY) >= 0,
      );
      const isHole = this.#plan.kind === 'blackhole-after' && holes.length > 0;
      const isAway =
        proxy?.upstream !== homeOf(this.#standing.find((one) => one.proxyName === proxyName) as Route);
      return (
        !proxy?.enabled || isAway || isHole || names.some((name) => name.startsWith(`${this.#plan.id}-`))
      );
    });
    return [
      ...left.map((route) => `proxy ${route.proxyName} is still there`),
      ...disturbing.map((route) => `proxy ${route.proxyName} still disturbs its link`),
    ];
  }

  async witness(signal: AbortSignal): Promise<WitnessRecord> {
    const perNode: Record<string, Record<string, number>> = {};
    for (const [route, counts] of await this.#counts(signal)) {
      const before = this.#before.get(route.proxyName) ?? {};
      const own = perNode[route.source] ?? {};
      perNode[route.source] = own;
      for (const [key, value] of Object.entries(counts)) {
        // A node that was restarted counts from zero again.
        const since = value - (before[key] ?? 0);
        own[key] = (own[key] ?? 0) + (since < 0 ? value : since);
      }
    }
    return witnessOf('toxiproxy', perNode);
  }

  voids(): readonly string[] {
    return this.#server?.wedged ? [`fault ${this.#plan.id}: ${this.#server.wedged.message}`] : [];
  }

  async reapply(node: string, signal: AbortSignal): Promise<void> {
    const server = this.#requireServer();
    const routes = this.#own.filter((route) => route.source === node);
    if (routes.length === 0) return;
    await this.#bed.agent.redirect(
      routes.map((route) => redirectRule(route, server)),
      signal,
    );
  }

  #requireServer(): ToxiproxyServer {
    if (this.#server) return this.#server;
    throw new SquallError(`fault ${this.#plan.id}: applied before it was armed`, { code: 'not-armed' });
  }

  /** Where a route leads under this fault: home, or to the node that stands in, at the port that is its peer's there. */
  #upstreamOf(route: Route): string {
    const { kind, settings, peers } = this.#plan;
    if (kind !== 'stand-in') return homeOf(route);
    const { address } = requireNode(this.#bed, String(settings.by));
    return `${address}:${Number(settings.byPort) + peers.indexOf(route.peer)}`;
  }

  #toxics() {
    // The black hole after N bytes is the counting toxic itself, which knows what a living connection has passed.
    return this.#plan.kind === 'blackhole-after' ? [] : toxicsOf(this.#plan);
  }

  async #disturb(server: ToxiproxyServer, route: Route): Promise<void> {
    if (this.#plan.kind === 'refuse') await server.switchProxy(route.proxyName, false);
    else if (this.#plan.kind === 'stand-in') await server.repoint(route.proxyName, this.#upstreamOf(route));
    else if (this.#plan.kind === 'blackhole-after') {
      await this.#setHole(server, route, Number(this.#plan.settings.bytes));
    } else await server.addToxics(route.proxyName, this.#toxics());
  }

  async #calm(server: ToxiproxyServer, route: Route): Promise<void> {
    if (this.#plan.kind === 'refuse') await server.switchProxy(route.proxyName, true);
    else if (this.#plan.kind === 'stand-in') await server.repoint(route.proxyName, homeOf(route));
    else if (this.#plan.kind === 'blackhole-after') await this.#setHole(server, route, COUNT_ONLY);
    else {
      for (const toxic of this.#toxics()) await server.removeToxic(route.proxyName, toxic.name);
    }
  }

  async #setHole(server: ToxiproxyServer, route: Route, bytes: number): Promise<void> {
    const { stream } = this.#plan.settings;
    for (const each of ['upstream', 'downstream'] as const) {
      if (stream === 'both' || stream === each) {
        await server.updateToxic(route.proxyName, COUNTERS[each], { bytes });
      }
    }
  }

  async #remember(signal: AbortSignal): Promise<void> {
    for (const [route, counts] of await this.#counts(signal)) this.#before.set(route.proxyName, counts);
  }

  /** Connections that the source's kernel redirected, and what the server's counters saw, for each route. */
  async #counts(signal: AbortSignal): Promise<readonly (readonly [Route, Counts])[]> {
    const server = this.#requireServer();
    const [{ redirects }, proxies] = await Promise.all([this.#bed.agent.snapshot(signal), server.proxies()]);
    return [...this.#own, ...this.#standing].map((route) => {
      const rule = redirects.find(
        (each) =>
          each.node === route.source && each.toIp === server.address && each.toPort === route.listenPort,
      );
      return [
        route,
        { redirected: rule?.connections ?? 0, ...countsOf(proxies.get(route.proxyName)) },
      ] as const;
    });
  }

  /** A fault that ends connections is over when a new one can be made (incident 10). */
  async #connectProblems(server: ToxiproxyServer): Promise<readonly string[]> {
    if (this.#plan.kind !== 'reset' && this.#plan.kind !== 'refuse') return [];
    const problems: string[] = [];
    for (const route of [...this.#own, ...this.#standing]) {
      const peer = this.#bed.nodes().find((node) => node.name === route.peer);
      const state = peer && (await this.#bed.engine.inspectContainer(peer.containerId));
      if (!state?.running || state.paused) continue;
      const through = this.#standing.includes(route);
      const address = through ? server.address : route.peerAddress;
      const problem = await connectProblem(address, through ? route.listenPort : route.port);
      if (problem !== undefined)
        problems.push(`${route.peer}:${route.port} takes no new connection: ${problem}`);
    }
    return problems;
  }
}

/** Every bed starts our own server; this is said of one that was built without the toxic. */
function noHoleAfter(id: string): SquallError {
  return new SquallError(`fault ${id} (blackhole-after): this Toxiproxy server has no hole_after toxic`, {
    code: 'fault-unavailable',
    blame: 'input',
    hint: 'Use the image of this project, or blackhole-stream, which loses the first bytes as well.',
  });
}
