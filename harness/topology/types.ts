/** A topology after validation: every default filled in, every node named and addressed; no optionals left to guess. */

/** Where a node's image comes from. */
export type ImageSource =
  /** One of ours under `images/`, e.g. `memberlist-node@both`. */
  | { readonly kind: 'ours'; readonly name: string; readonly version?: string; readonly variant?: string }
  /** Any Docker reference. */
  | { readonly kind: 'reference'; readonly reference: string };

/** When a node counts as ready. */
export type Readiness =
  /** Our images: the `ready` (or another named) event on stdout. */
  | { readonly kind: 'event'; readonly event: string; readonly timeoutMs: number }
  | { readonly kind: 'log'; readonly pattern: string; readonly timeoutMs: number }
  | {
      readonly kind: 'http';
      readonly port: number;
      readonly path: string;
      readonly status: number;
      readonly timeoutMs: number;
    }
  | { readonly kind: 'started'; readonly timeoutMs: number };

export interface AdapterSpec {
  readonly source: 'stdout' | 'http' | 'metrics' | 'file';
  readonly match: {
    readonly kind: 'regex' | 'jsonpath';
    readonly expression: string;
    /** With a JSON path: tried on the text there; its named groups are fields' sources beside JSON paths. */
    readonly regex?: string;
  };
  readonly event: string;
  /** Event field → named group of the regex or JSON path. */
  readonly fields: Readonly<Record<string, string>>;
  /** Event field → what its texts stand for. */
  readonly values?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
  /** Other fields of a JSON text are kept under their own names. */
  readonly rest?: boolean;
  /** Matching nothing is no reason to doubt a trial. */
  readonly optional?: boolean;
  /** Field that holds the time, when lines carry one. */
  readonly time?: string;
  readonly url?: string;
  readonly path?: string;
  readonly everyMs?: number;
}

/** Something that a node is asked before its bed is torn down after a failed trial: a GET on its loopback, or a command inside it. */
export type DiagnosisAsk =
  | { readonly kind: 'http'; readonly port: number; readonly path: string }
  | { readonly kind: 'command'; readonly command: readonly string[] };

export interface ResolvedNode {
  /** `role-1`, `role-2`, … also the container's hostname and DNS alias. */
  readonly name: string;
  readonly role: string;
  /** 1-based index within its role. */
  readonly index: number;
  readonly image: ImageSource;
  readonly command?: readonly string[];
  /** Complete environment of the container, SQUALL_* included; placeholders such as `{address}` are still in it (see `addressNodes`). */
  readonly environment: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly network: string;
  /** Offset of the node's address in its /24; the bed's lease decides the base (see `addressAt`). 10 and up: lower ones are the gateway's and Toxiproxy's. */
  readonly hostIndex: number;
  /** Which /24 of its network's subnet the node sits in, from 0. */
  readonly slash24: number;
  /** Further addresses for clients inside this node (room fleet). */
  readonly fleet: readonly { readonly slash24: number; readonly hostIndex: number }[];
  readonly adminPort?: number;
  readonly resources: {
    readonly memoryBytes?: number;
    readonly cpus?: number;
    readonly tmpfsBytes?: number;
    readonly pids?: number;
  };
  /** Ports that the node serves, by name. */
  readonly ports: Readonly<Record<string, number>>;
  readonly readiness: Readiness;
  readonly adapters: readonly AdapterSpec[];
  /** Asked beside the state of its container, its `/state` and its last lines. */
  readonly diagnosis?: readonly DiagnosisAsk[];
  /** Nodes that must be ready before this one starts. */
  readonly after: readonly string[];
}

/** A node once its bed has a subnet: nothing is left to replace. */
export interface AddressedNode extends ResolvedNode {
  readonly address: string;
  readonly fleetAddresses: readonly string[];
}

export interface ResolvedLink {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly port: number;
  readonly protocol: 'tcp' | 'udp';
  /** How the link can be broken: through the packet agent only, or redirected through Toxiproxy. */
  readonly path: 'agent' | 'toxiproxy';
}

export interface ResolvedTopology {
  readonly name: string;
  readonly description: string;
  /** File it came from, for messages; absent when built in code. */
  readonly file?: string;
  readonly nodes: readonly ResolvedNode[];
  readonly links: readonly ResolvedLink[];
  readonly networks: readonly { readonly name: string; readonly ipv6: boolean }[];
  /** Prefix length of the bed's subnet, 20 by default (contracts, "Starting nodes"). */
  readonly bedPrefix: number;
  /** True when every node talks to every other, so that N(N−1) neighbour entries are needed. */
  readonly mesh: boolean;
}

/** What the caller may vary when a topology is resolved for a trial. */
export interface TopologyOverrides {
  /** Role → number of nodes. */
  readonly counts?: Readonly<Record<string, number>>;
  /** Variant of every image of ours, or by role. */
  readonly variant?: string | Readonly<Record<string, string>>;
  /** Role → settings by the names in image.json. */
  readonly settings?: Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>;
  /** Role → image in place of the topology's: one of ours (`NAME[:VERSION][@VARIANT]`) or any reference. */
  readonly images?: Readonly<Record<string, string>>;
  /** Role → size of its tmpfs at /data, in place of the topology's or of none. */
  readonly tmpfsBytes?: Readonly<Record<string, number>>;
  readonly warp?: number;
  readonly seed?: string;
}
