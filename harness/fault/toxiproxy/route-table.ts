import { SquallError } from '../../errors/index.ts';
import type { FaultBedPort } from '../fault-bed-port.ts';
import { requireNode } from '../require-node.ts';
import { COUNTING_TOXICS, homeOf, type Route, redirectRule } from './route.ts';
import type { ToxicBody } from './toxic-attributes.ts';
import type { ToxiproxyServer } from './toxiproxy-server.ts';

/** Ports of the server's own namespace that proxies listen on; far from its control port and from ephemeral ones. */
const FIRST_LISTEN_PORT = 10_000;
const LAST_LISTEN_PORT = 32_000;

/** A link that always runs through Toxiproxy, so that faults meet connections that live already. */
export interface StandingLink {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly port: number;
}

/** Every route of a bed: the standing ones of its topology, and those that live as long as one fault. */
export class RouteTable {
  readonly #bed: FaultBedPort;
  readonly #standing = new Map<string, Route>();
  #standingServer: ToxiproxyServer | undefined;
  #nextPort = FIRST_LISTEN_PORT;

  constructor(bed: FaultBedPort) {
    this.#bed = bed;
  }

  /** Leads links through Toxiproxy for the life of the bed. Only connections made from now on take the way. */
  async openStanding(links: readonly StandingLink[], signal?: AbortSignal): Promise<void> {
    const routes = links.flatMap(({ from, to, port }) => this.routesFor('link', from, to, [port]));
    const fresh = routes.filter((route) => !this.#standing.has(keyOf(route)));
    if (fresh.length === 0) return;
    const server = await this.#bed.toxiproxy(signal);
    this.#standingServer = server;
    for (const route of fresh) await this.create(server, route, [], true);
    await this.#bed.agent.redirect(
      fresh.map((route) => redirectRule(route, server)),
      signal,
    );
    for (const route of fresh) this.#standing.set(keyOf(route), route);
  }

  /** A replaced server knows nothing: makes the standing routes anew there and leads the nodes to it. */
  async rebuildStanding(signal?: AbortSignal): Promise<void> {
    if (this.#standing.size === 0 || !this.#standingServer?.wedged) return;
    const routes = [...this.#standing.values()];
    this.#standing.clear();
    const server = await this.#bed.toxiproxy(signal);
    for (const route of routes) await this.create(server, route, [], true);
    await this.#bed.agent.redirect(
      routes.map((route) => redirectRule(route, server)),
      signal,
    );
    this.#standingServer = server;
    for (const route of routes) this.#standing.set(keyOf(route), route);
  }

  /** The node's new network namespace knows no redirection: puts its standing ones back. */
  async restore(node: string, signal?: AbortSignal): Promise<void> {
    const server = this.#standingServer;
    const routes = [...this.#standing.values()].filter((route) => route.source === node);
    if (!server || routes.length === 0) return;
    await this.#bed.agent.redirect(
      routes.map((route) => redirectRule(route, server)),
      signal,
    );
  }

  standing(route: Route): Route | undefined {
    return this.#standing.get(keyOf(route));
  }

  /** One route for each source, peer and port; a node has none to itself. */
  routesFor(
    purpose: string,
    sources: readonly string[],
    peers: readonly string[],
    ports: readonly number[],
  ): readonly Route[] {
    return sources.flatMap((source) =>
      peers
        .filter((peer) => peer !== source)
        .flatMap((peer) =>
          ports.map((port) => ({
            source,
            peer,
            peerAddress: requireNode(this.#bed, peer).address,
            port,
            proxyName: proxyName(this.#bed.bedId, purpose, source, peer, port),
            listenPort: this.#takePort(),
          })),
        ),
    );
  }

  /**
   * The proxy of a route, with counters where the server has them, then the toxics; enabled last.
   * @param upstream where it leads, when that is not the route's own peer
   */
  async create(
    server: ToxiproxyServer,
    route: Route,
    toxics: readonly ToxicBody[],
    enabled: boolean,
    upstream = homeOf(route),
  ): Promise<void> {
    await server.createProxy({
      name: route.proxyName,
      listenPort: route.listenPort,
      upstream,
      toxics: [...(server.hasHoleAfter ? COUNTING_TOXICS : []), ...toxics],
      enabled,
    });
  }

  #takePort(): number {
    const port = this.#nextPort;
    this.#nextPort = port === LAST_LISTEN_PORT ? FIRST_LISTEN_PORT : port + 1;
    return port;
  }
}

function keyOf({ source, peerAddress, port }: Route): string {
  return `${source} ${peerAddress}:${port}`;
}

/** Namespaced by the bed, whose id is unique to its run; no slash, which the server cannot serve. */
function proxyName(bedId: string, purpose: string, source: string, peer: string, port: number): string {
  const name = [bedId, purpose, source, peer, port].join('.').replaceAll(/[^A-Za-z0-9._-]/g, '-');
  if (name.length <= 200) return name;
  throw new SquallError(`proxy name "${name}": longer than 200 characters`, {
    code: 'toxiproxy-name',
    blame: 'input',
    hint: 'Use shorter names for beds, faults or roles.',
  });
}
