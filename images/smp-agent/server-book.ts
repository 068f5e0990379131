import type { Server } from './wire.ts';

/** Reads an address: of settings (`name@host[:port]` too) or of a stranger. @throws SquallError `bad-server-address` */
export type ReadAddress = (text: string) => { readonly address: string; readonly host: string };

/**
 * The servers that the agent has heard of, each under a name of its own. Names of the settings come first; a link may
 * suggest one, which is taken only while it is free and the same address has no other.
 */
export class ServerBook {
  readonly #read: ReadAddress;
  readonly #byName = new Map<string, Server>();
  readonly #byAddress = new Map<string, Server>();
  #servers: readonly Server[] = [];
  #proxies: readonly Server[] = [];

  constructor(read: ReadAddress) {
    this.#read = read;
  }

  /** The agent's own message servers. */
  get servers(): readonly Server[] {
    return this.#servers;
  }

  /** What it picks its proxies from. */
  get proxies(): readonly Server[] {
    return this.#proxies;
  }

  /**
   * Changes the configuration, and nothing that was remembered under the old one.
   * @throws SquallError `bad-server-address`; the old configuration then stands
   */
  configure(servers: readonly string[], proxies: readonly string[]): void {
    const own = servers.map((text) => this.#known(text));
    const through = proxies.map((text) => this.#known(text));
    this.#servers = own;
    this.#proxies = through;
  }

  /** A server that somebody else told of. @throws SquallError `bad-server-address` */
  learn(address: string, suggestedName: string): Server {
    return this.#enter(this.#read(address), suggestedName);
  }

  /** One that is known already. */
  named(name: string): Server {
    const server = this.#byName.get(name);
    if (!server) throw new Error(`server ${name}: is not in the book; expected one that was entered`);
    return server;
  }

  #known(text: string): Server {
    const name = /^(?!smp:)([^@\s]+)@/.exec(text)?.[1] ?? '';
    return this.#enter(this.#read(text), name);
  }

  #enter({ address, host }: ReturnType<ReadAddress>, suggestedName: string): Server {
    const known = this.#byAddress.get(address);
    if (known) return known;
    const free = /^[A-Za-z0-9._-]{1,63}$/.test(suggestedName) && !this.#byName.has(suggestedName);
    const name = free ? suggestedName : address;
    const server: Server = { name, address, host };
    this.#byAddress.set(address, server);
    this.#byName.set(name, server);
    return server;
  }
}
