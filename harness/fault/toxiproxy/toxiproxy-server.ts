import { type Proxy as ClientProxy, Toxiproxy } from 'toxiproxy-node-client';
import { SquallError } from '../../errors/index.ts';
import { ClientTransport, statusOf } from './client-transport.ts';
import type { ControlChannel } from './control-channel.ts';
import type { ToxicBody } from './toxic-attributes.ts';
import { refuseUnsupported } from './toxiproxy-version.ts';

/** A proxy to be made: where it listens in the server's namespace, and where it leads. */
export interface ProxySpec {
  readonly name: string;
  readonly listenPort: number;
  readonly upstream: string;
  readonly toxics: readonly ToxicBody[];
  /** False: it is made and stays switched off, so that connections are refused. */
  readonly enabled: boolean;
}

/** A proxy as the server describes it. */
export interface ProxyState {
  readonly name: string;
  readonly listen: string;
  readonly upstream: string;
  readonly enabled: boolean;
  readonly toxics: readonly {
    readonly name: string;
    readonly attributes: Readonly<Record<string, unknown>>;
  }[];
}

/** Letters, digits, dots and dashes: a slash would make the server answer 404 for the toxics of the proxy. */
const PROXY_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,199}$/;

export interface ToxiproxyServerOptions {
  /** Name that the server has as a node of the agent, and in messages. */
  readonly name: string;
  readonly containerId: string;
  /** On the bed's network, where redirected connections go. */
  readonly address: string;
  /** The server's process on this host, for its kernel's list of connections. */
  readonly pid: number;
  readonly control: ControlChannel;
}

/**
 * The one Toxiproxy server of a bed, through toxiproxy-node-client with its faults hidden: names checked, every call on
 * a deadline of ours, errors with the server's own words, proxies made switched off, given their toxics, then switched on.
 * A server that stops answering is wedged: it is not spoken to again, and whoever asked hears it.
 */
export class ToxiproxyServer {
  readonly name: string;
  readonly containerId: string;
  readonly address: string;
  readonly pid: number;
  readonly version: string;
  /** Whether the server knows our `hole_after` toxic; somebody else's does not. */
  readonly hasHoleAfter: boolean;
  readonly #client: Toxiproxy;
  readonly #transport: ClientTransport;

  private constructor(
    options: ToxiproxyServerOptions,
    client: Toxiproxy,
    transport: ClientTransport,
    found: { readonly version: string; readonly hasHoleAfter: boolean },
  ) {
    this.name = options.name;
    this.containerId = options.containerId;
    this.address = options.address;
    this.pid = options.pid;
    this.version = found.version;
    this.hasHoleAfter = found.hasHoleAfter;
    this.#client = client;
    this.#transport = transport;
  }

  /** Speaks to a server and checks its version. @throws SquallError `toxiproxy-version` (input), `toxiproxy-…` (void) */
  static async connect(options: ToxiproxyServerOptions): Promise<ToxiproxyServer> {
    const transport = new ClientTransport(options.control);
    const client = new Toxiproxy('');
    // The client's own transport has no deadline and throws the server's text away.
    Object.assign(client, { api: transport });
    const version = refuseUnsupported(await client.getVersion());
    const hasHoleAfter = (await toxicTypes(transport)).includes('hole_after');
    return new ToxiproxyServer(options, client, transport, { version, hasHoleAfter });
  }

  /** Set once the server did not answer in time, or said 503 twice. */
  get wedged(): SquallError | undefined {
    return this.#transport.wedged;
  }

  onWedged(listener: (error: SquallError) => void): () => void {
    return this.#transport.onWedged(listener);
  }

  /**
   * Makes a proxy that no connection passes before its toxics are in place (incident 4). One of the same name, left by
   * an earlier run, is deleted first with whatever toxics it had (incident 6). On failure nothing of it is left.
   */
  async createProxy(spec: ProxySpec): Promise<void> {
    if (!PROXY_NAME.test(spec.name)) {
      throw new SquallError(
        `proxy "${spec.name}": not a name the server can serve; expected letters, digits, . _ -`,
        {
          code: 'toxiproxy-name',
        },
      );
    }
    await this.removeProxy(spec.name);
    const listen = `0.0.0.0:${spec.listenPort}`;
    const proxy = await this.#client.createProxy({
      name: spec.name,
      listen,
      upstream: spec.upstream,
      enabled: false,
    });
    try {
      for (const toxic of spec.toxics) await proxy.addToxic({ ...toxic, type: toxic.type as 'latency' });
      if (spec.enabled) await proxy.update({ enabled: true, listen, upstream: spec.upstream });
    } catch (error) {
      if (!this.wedged) await this.removeProxy(spec.name);
      throw error;
    }
  }

  /** Absent is success. Open connections through it are closed. */
  async removeProxy(name: string): Promise<void> {
    const proxy = await this.#find(name);
    if (!proxy) return;
    await absentIsSuccess(proxy.remove());
  }

  /** Switching off closes what is open and refuses what comes. */
  async switchProxy(name: string, enabled: boolean): Promise<void> {
    const proxy = await this.#require(name);
    await proxy.update({ enabled, listen: proxy.listen, upstream: proxy.upstream });
  }

  /** Leads what comes somewhere else, and severs what is open. */
  async repoint(name: string, upstream: string): Promise<void> {
    const proxy = await this.#require(name);
    await proxy.update({ enabled: proxy.enabled, listen: proxy.listen, upstream });
  }

  /** Adds toxics to a proxy in use: connections meet them one after the other. */
  async addToxics(name: string, toxics: readonly ToxicBody[]): Promise<void> {
    const proxy = await this.#require(name);
    for (const toxic of toxics) await proxy.addToxic({ ...toxic, type: toxic.type as 'latency' });
  }

  /** Sets attributes of a toxic in use; the others stay as they are. */
  async updateToxic(
    proxyName: string,
    toxicName: string,
    attributes: Readonly<Record<string, number>>,
  ): Promise<void> {
    await this.#transport.post(`/proxies/${proxyName}/toxics/${toxicName}`, { attributes });
  }

  /** Absent is success. */
  async removeToxic(proxyName: string, toxicName: string): Promise<void> {
    await absentIsSuccess(this.#transport.delete(`/proxies/${proxyName}/toxics/${toxicName}`));
  }

  /** Every proxy of the server by name, toxics included. */
  async proxies(): Promise<ReadonlyMap<string, ProxyState>> {
    const { data } = await this.#transport.get<Record<string, ProxyState>>('/proxies');
    return new Map(Object.entries(data));
  }

  /** Deletes every proxy whose name starts so; for what an earlier run with the same names left behind. */
  async removeProxiesOf(prefix: string): Promise<readonly string[]> {
    const stale = [...(await this.proxies()).keys()].filter((name) => name.startsWith(prefix));
    for (const name of stale) await this.removeProxy(name);
    return stale;
  }

  async #find(name: string): Promise<ClientProxy | undefined> {
    try {
      return await this.#client.get(name);
    } catch (error) {
      if (statusOf(error) === 404) return undefined;
      throw error;
    }
  }

  async #require(name: string): Promise<ClientProxy> {
    const proxy = await this.#find(name);
    if (proxy) return proxy;
    throw new SquallError(
      `proxy ${name}: not on the server any more; expected it to live as long as its route`,
      {
        code: 'toxiproxy-proxy-gone',
        blame: 'void',
      },
    );
  }
}

async function absentIsSuccess(removal: Promise<unknown>): Promise<void> {
  try {
    await removal;
  } catch (error) {
    if (statusOf(error) !== 404) throw error;
  }
}

/** Our server lists the toxics that it knows; upstream's has no such list, and no toxic of ours. */
async function toxicTypes(transport: ClientTransport): Promise<readonly string[]> {
  try {
    return (await transport.get<{ types: readonly string[] }>('/toxic-types')).data.types;
  } catch (error) {
    if (statusOf(error) === 404) return [];
    throw error;
  }
}
