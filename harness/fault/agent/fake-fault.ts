import type { FakeTraffic } from './fake-agent.ts';
import type { WireFault } from './protocol.ts';

type Counts = Record<string, number>;

/** One armed fault of the fake agent: its state and counts. */
export class FakeFault {
  readonly wire: WireFault;
  state: 'armed' | 'scheduled' | 'applied' | 'lifted' = 'armed';
  readonly #counts = new Map<string, Counts>();
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(wire: WireFault) {
    this.wire = wire;
    for (const node of wire.nodes) this.#counts.set(node, {});
  }

  apply(
    timing: { readonly afterMs?: number; readonly forMs?: number },
    on: { applied(): void; due(): void },
  ): void {
    const begin = () => {
      if (this.state === 'lifted') return;
      this.state = 'applied';
      on.applied();
      if (timing.forMs !== undefined) this.#timers.push(setTimeout(on.due, timing.forMs));
    };
    if (timing.afterMs === undefined || timing.afterMs <= 0) {
      begin();
      return;
    }
    this.state = 'scheduled';
    this.#timers.push(setTimeout(begin, timing.afterMs));
  }

  /** True when this call lifted it. */
  lift(): boolean {
    this.cancel();
    const wasInForce = this.state === 'applied';
    this.state = 'lifted';
    if (!wasInForce) return false;
    for (const [node, counts] of this.#counts) {
      this.add(node, { releasedIn: counts.heldIn ?? 0, releasedOut: counts.heldOut ?? 0 });
    }
    return true;
  }

  /** What its lift let go of at each node, as the real agent tells it: all of it at once. */
  releases(atNs: number): Readonly<Record<string, Readonly<Record<string, number>>>> {
    return Object.fromEntries(
      [...this.#counts].map(([node, { releasedIn = 0, releasedOut = 0 }]) => [
        node,
        {
          releasedIn,
          releasedOut,
          drainedNs: atNs,
          ...(releasedIn + releasedOut > 0 && { firstReleasedNs: atNs }),
        },
      ]),
    );
  }

  cancel(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  meet(traffic: FakeTraffic): void {
    // As with the real agent, what passes while the fault is only armed is not counted.
    if (this.state !== 'applied' || !this.#matches(traffic)) return;
    const side = traffic.direction === 'in' ? 'In' : 'Out';
    const does = this.#effect(traffic.protocol);
    const sided = does === 'held' || does === 'dropped';
    this.add(traffic.node, { [sided ? `${does}${side}` : does]: traffic.packets });
  }

  add(node: string, counts: Counts): void {
    const own = this.#counts.get(node);
    if (!own) return;
    for (const [key, value] of Object.entries(counts)) own[key] = (own[key] ?? 0) + value;
  }

  perNode(): Record<string, Counts> {
    return Object.fromEntries(this.#counts);
  }

  #matches({ node, direction, protocol, peer, port }: FakeTraffic): boolean {
    const { wire } = this;
    if (!this.#counts.has(node)) return false;
    if (wire.direction !== 'both' && wire.direction !== direction) return false;
    if (wire.protocol !== 'all' && wire.protocol !== protocol) return false;
    if (wire.peers && !(peer !== undefined && wire.peers.includes(peer))) return false;
    return !wire.ports || (port !== undefined && wire.ports.includes(port));
  }

  /** Every packet is affected: shares and seeds are the real agent's business. */
  #effect(protocol: 'udp' | 'tcp'): string {
    const { kind } = this.wire;
    if (kind === 'hold') {
      const action = this.wire[protocol];
      return action === 'drop' ? 'dropped' : action === 'pass' ? 'passed' : 'held';
    }
    const effects: Readonly<Record<string, string>> = {
      delay: 'delayed',
      rate: 'delayed',
      duplicate: 'duplicated',
      reorder: 'reordered',
      corrupt: 'corrupted',
    };
    return effects[kind] ?? 'dropped';
  }
}
