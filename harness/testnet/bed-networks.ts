import type { Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import { layoutSubnet, leaseSubnet, parseBlock, type SubnetLease } from '../network/index.ts';
import type { AddressAt, ResolvedNode, ResolvedTopology } from '../topology/index.ts';
import { LABEL } from './types.ts';

/** The first network bears the bed's name alone. */
function networkNameOf(bedId: string, network: string, index: number): string {
  return index === 0 ? `squall-${bedId}` : `squall-${bedId}-${network}`;
}

interface BedNetwork {
  readonly name: string;
  readonly lease: SubnetLease;
  readonly ipv6: boolean;
  id: string;
  mending: Promise<void> | undefined;
}

/**
 * The networks of one bed with their leased subnets. Containers name a network by its (unique) name instead of its id:
 * somebody's `network prune` may take one that nothing is attached to yet, and it is then made once more under the
 * same name (the start of the containers created for it simply goes on).
 */
export class BedNetworks {
  readonly #engine: Engine;
  readonly #labels: Readonly<Record<string, string>>;
  readonly #networks: ReadonlyMap<string, BedNetwork>;

  private constructor(
    engine: Engine,
    labels: Readonly<Record<string, string>>,
    networks: ReadonlyMap<string, BedNetwork>,
  ) {
    this.#engine = engine;
    this.#labels = labels;
    this.#networks = networks;
  }

  /** Leases a subnet a network; nothing is made in the engine yet. */
  static async lease(
    engine: Engine,
    topology: ResolvedTopology,
    of: { readonly runId: string; readonly bedId: string; readonly labels: Readonly<Record<string, string>> },
  ): Promise<BedNetworks> {
    const networks = new Map<string, BedNetwork>();
    try {
      for (const { name, ipv6 } of topology.networks) {
        const networkName = networkNameOf(of.bedId, name, networks.size);
        const lease = await leaseSubnet(engine, {
          prefix: topology.bedPrefix,
          runId: of.runId,
          bedId: networkName.replace(/^squall-/, ''),
        });
        networks.set(name, { name: networkName, lease, ipv6, id: '', mending: undefined });
      }
    } catch (error) {
      for (const { lease } of networks.values()) lease.release();
      throw error;
    }
    return new BedNetworks(engine, of.labels, networks);
  }

  /** The networks of a living bed, as the engine lists them. @throws SquallError `bed-not-found` */
  static async find(
    engine: Engine,
    topology: ResolvedTopology,
    of: { readonly bedId: string; readonly labels: Readonly<Record<string, string>> },
  ): Promise<BedNetworks> {
    const listed = await engine.listNetworks([`${LABEL.bed}=${of.bedId}`]);
    const networks = topology.networks.map(({ name, ipv6 }, index): [string, BedNetwork] => {
      const networkName = networkNameOf(of.bedId, name, index);
      const found = listed.find((each) => each.name === networkName);
      const subnet = found?.subnets.find((each) => each.includes('.'));
      if (!found || subnet === undefined) {
        throw new SquallError(`bed ${of.bedId}: network ${networkName} is not there; expected a living bed`, {
          code: 'bed-not-found',
        });
      }
      // The lease was the last owner's; while the network exists, nobody is given its subnet.
      const lease = { ...layoutSubnet(parseBlock(subnet)), release: () => undefined };
      return [name, { name: networkName, lease, ipv6, id: found.id, mending: undefined }];
    });
    return new BedNetworks(engine, of.labels, new Map(networks));
  }

  async create(): Promise<void> {
    for (const network of this.#networks.values()) await this.#make(network);
  }

  /** Makes a network again that has vanished; once, however many containers miss it. */
  mend(name: string): Promise<void> {
    const network = this.#of(name);
    network.mending ??= this.#make(network);
    return network.mending;
  }

  readonly addressAt: AddressAt = (slash24, hostIndex, network) =>
    this.#of(network).lease.addressAt(slash24, hostIndex);

  /** What a container's specification names. */
  referenceOf(node: ResolvedNode): string {
    return this.#of(node.network).name;
  }

  get ids(): readonly string[] {
    return [...this.#networks.values()].map(({ id }) => id);
  }

  get names(): readonly string[] {
    return [...this.#networks.values()].map(({ name }) => name);
  }

  /** Of the first network: the bed's own. */
  get subnet(): string {
    return [...this.#networks.values()][0]?.lease.subnet ?? '';
  }

  get gateway(): string {
    return [...this.#networks.values()][0]?.lease.gateway ?? '';
  }

  release(): void {
    for (const { lease } of this.#networks.values()) lease.release();
  }

  async #make(network: BedNetwork): Promise<void> {
    network.id = await this.#engine.createNetwork({
      name: network.name,
      subnet: network.lease.subnet,
      gateway: network.lease.gateway,
      autoRange: network.lease.autoRange,
      labels: this.#labels,
      ipv6: network.ipv6,
    });
  }

  #of(name: string): BedNetwork {
    const network = this.#networks.get(name);
    if (network) return network;
    throw new SquallError(
      `network "${name}": not in the topology; expected one of ${[...this.#networks.keys()].join(', ')}`,
      {
        code: 'no-such-network',
      },
    );
  }
}
