/** Which proxies have learnt of which destination: that their number stays small is what the failure streak is for. */
export class ProxyExposure {
  readonly #seen = new Map<string, Set<string>>();
  readonly #tell: (event: string, fields: Readonly<Record<string, unknown>>) => void;

  constructor(tell: (event: string, fields: Readonly<Record<string, unknown>>) => void) {
    this.#tell = tell;
  }

  /** The proxy is about to be told the destination. */
  exposed(destination: string, proxy: string): void {
    const seen = this.#seen.get(destination) ?? new Set();
    if (seen.has(proxy)) return;
    this.#seen.set(destination, seen.add(proxy));
    this.#tell('proxy.exposed', { destination, proxy, count: seen.size });
  }

  all(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#seen].map(([destination, seen]) => [destination, seen.size]));
  }
}
