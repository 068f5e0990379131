import type { NodeGroup } from './schema.ts';

/** Hosts below stay free for what a suite's author brings along with a fixed address. */
const FIRST_HOST = 10;
const LAST_HOST = 249;
/** The end of a subnet's last /24 is the gateway's and the engine's own (room network, `layoutSubnet`). */
const LAST_HOST_OF_LAST = 191;

export interface Place24 {
  readonly slash24: number;
  readonly hostIndex: number;
}

/** Gives out the places of one network, evenly over its /24s, in the order of asking. */
export class NetworkPlaces {
  readonly slash24s: number;
  readonly #taken: Set<number>[];
  /** Where the search for the next free host begins, a /24 each. */
  readonly #nextHost: number[];
  #turn = 0;

  constructor(prefix: number) {
    this.slash24s = 2 ** (24 - prefix);
    this.#taken = Array.from({ length: this.slash24s }, () => new Set<number>());
    this.#nextHost = Array.from({ length: this.slash24s }, () => FIRST_HOST);
  }

  /** How many nodes the network holds. */
  get capacity(): number {
    return (this.slash24s - 1) * (LAST_HOST - FIRST_HOST + 1) + LAST_HOST_OF_LAST - FIRST_HOST + 1;
  }

  #lastHost(slash24: number): number {
    return slash24 === this.slash24s - 1 ? LAST_HOST_OF_LAST : LAST_HOST;
  }

  /** `undefined` when the place is free and lies inside; else what is wrong with it. */
  reserve({ slash24, hostIndex }: Place24): string | undefined {
    if (slash24 >= this.slash24s)
      return `/24 number ${slash24} is not in the subnet; expected 0 to ${this.slash24s - 1}`;
    const lastHost = this.#lastHost(slash24);
    if (hostIndex < FIRST_HOST || hostIndex > lastHost) {
      return `host ${hostIndex} is not for nodes; expected ${FIRST_HOST} to ${lastHost}`;
    }
    if (this.#taken[slash24]?.has(hostIndex))
      return `the place ${slash24}/${hostIndex} is taken by another node`;
    this.#taken[slash24]?.add(hostIndex);
    return undefined;
  }

  /** The next free place in one /24. */
  next(slash24: number): Place24 | undefined {
    const taken = this.#taken[slash24];
    let host = this.#nextHost[slash24];
    if (!taken || host === undefined) return undefined;
    const lastHost = this.#lastHost(slash24);
    while (host <= lastHost && taken.has(host)) host += 1;
    if (host > lastHost) return undefined;
    taken.add(host);
    this.#nextHost[slash24] = host + 1;
    return { slash24, hostIndex: host };
  }

  /** The next free place, taking the /24s in turn. */
  nextSpread(): Place24 | undefined {
    for (let tries = 0; tries < this.slash24s; tries += 1) {
      const place = this.next(this.#turn % this.slash24s);
      this.#turn += 1;
      if (place) return place;
    }
    return undefined;
  }

  /** The emptiest /24, the first of equals. */
  emptiest(): number {
    const sizes = this.#taken.map((taken) => taken.size);
    return sizes.indexOf(Math.min(...sizes));
  }
}

/**
 * A place for each of a group's nodes.
 * @returns the places, or a sentence that says why they cannot be had
 */
export function placeGroup(group: NodeGroup, count: number, places: NetworkPlaces): Place24[] | string {
  const { placement } = group;
  const found: (Place24 | undefined)[] = [];
  if (placement === 'spread') {
    for (let index = 0; index < count; index += 1) found.push(places.nextSpread());
  } else if (placement === 'one') {
    const slash24 = places.emptiest();
    for (let index = 0; index < count; index += 1) found.push(places.next(slash24));
  } else {
    const wrong = wrongShares(placement, places.slash24s);
    if (wrong) return wrong;
    for (const [slash24, size] of apportion(placement, count).entries()) {
      for (let index = 0; index < size; index += 1) found.push(places.next(slash24));
    }
  }
  const placed = found.filter((place) => place !== undefined);
  if (placed.length < count) {
    return `${count} nodes do not fit; the subnet holds ${places.capacity} in ${places.slash24s} /24s, and ${count - placed.length} found no place`;
  }
  return placed;
}

function wrongShares(shares: readonly number[], slash24s: number): string | undefined {
  if (shares.length === 0 || shares.length > slash24s) {
    return `${shares.length} shares found; expected 1 to ${slash24s}, one for each /24`;
  }
  const sum = shares.reduce((total, share) => total + share, 0);
  return Math.abs(sum - 1) > 0.001
    ? `the shares add up to ${Number((sum * 100).toFixed(1))}%; expected 100%`
    : undefined;
}

/** Whole numbers in the proportion of `shares` that add up to `count`: largest remainders first. */
export function apportion(shares: readonly number[], count: number): number[] {
  const exact = shares.map((share) => share * count);
  const sizes = exact.map(Math.floor);
  const left = count - sizes.reduce((total, size) => total + size, 0);
  const byRemainder = exact
    .map((value, index) => ({ index, remainder: value - Math.floor(value) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  for (let turn = 0; turn < left; turn += 1) {
    const index = byRemainder[turn % byRemainder.length]?.index ?? 0;
    sizes[index] = (sizes[index] ?? 0) + 1;
  }
  return sizes;
}
