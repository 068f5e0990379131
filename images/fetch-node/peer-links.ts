import type { Clock } from '../../harness/clock/index.ts';
import type { CloseGroups } from './close-groups.ts';
import type { Peer } from './peer-book.ts';
import { PeerLink } from './peer-link.ts';
import type { Hello } from './peer-listener.ts';
import type { Transport } from './transport.ts';

export interface PeerLinksPorts {
  readonly clock: Clock;
  readonly transport: Transport;
  readonly localAddress: string;
  readonly hello: Hello;
  readonly peers: ReadonlyMap<string, Peer>;
  /** Who is there, as far as is known; it is kept up to date here. */
  readonly network: CloseGroups;
  onArrived(name: string): void;
  onDeparted(name: string, reason: string): void;
}

/** The ways to all peers, and who of them is there: whoever speaks is, and who says good-bye or cannot be connected to is not. */
export class PeerLinks {
  readonly #ports: PeerLinksPorts;
  readonly #links = new Map<string, PeerLink>();
  readonly #versions = new Map<string, string>();
  readonly #departed = new Set<string>();
  #ended = false;

  constructor(ports: PeerLinksPorts, probeMs: number) {
    this.#ports = ports;
    ports.clock.every(probeMs, () => {
      for (const name of this.#departed) this.linkTo(name)?.open();
    });
  }

  get departed(): readonly string[] {
    return [...this.#departed];
  }

  /** What a peer said its version is; empty: it has not yet. */
  versionOf(name: string): string {
    return this.#versions.get(name) ?? '';
  }

  linkTo(name: string): PeerLink | undefined {
    const known = this.#links.get(name);
    const peer = this.#ports.peers.get(name);
    if (known || !peer || this.#ended) return known;
    const { transport, localAddress, hello } = this.#ports;
    const link = new PeerLink(peer, {
      transport,
      localAddress,
      hello,
      onOpened: () => this.#arrive(name),
      onHello: ({ version }) => this.#versions.set(name, version),
      onClosed: (reason, gone) => {
        if (gone) this.depart(name, reason);
      },
    });
    this.#links.set(name, link);
    return link;
  }

  /** A peer has greeted this node. */
  greeted({ name, version }: Hello): void {
    this.#versions.set(name, version);
    this.#arrive(name);
  }

  depart(name: string, reason: string): void {
    if (this.#ended || this.#departed.has(name)) return;
    this.#departed.add(name);
    // Who has not come yet cannot leave.
    if (!this.#ports.network.has(name)) return;
    this.#ports.network.remove(name);
    this.#ports.onDeparted(name, reason);
  }

  end(): void {
    this.#ended = true;
    for (const link of this.#links.values()) link.end();
  }

  #arrive(name: string): void {
    const peer = this.#ports.peers.get(name);
    const wasAway = this.#departed.delete(name);
    if (!peer || (!wasAway && this.#ports.network.has(name))) return;
    this.#ports.network.add(peer);
    this.#ports.onArrived(name);
  }
}
