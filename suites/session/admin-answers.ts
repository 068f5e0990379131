/** What nodes answer at their admin ports, as far as courses read it, and what a client is asked to send. */

export interface Answer {
  readonly ok: boolean;
  readonly status?: number;
  readonly error?: string | null;
  readonly message?: string;
  readonly body?: unknown;
  /** Without an end while the admin port waited. */
  readonly hangs?: true;
}

export interface Account {
  readonly label: string;
  readonly id: string;
}

export interface ClientState {
  readonly accounts: readonly Account[];
  readonly pool: {
    readonly size: number;
    readonly waiting: number;
    readonly refreshing: string | null;
    readonly ageChecks: number;
    /** Refreshes that somebody asked for and waited for. */
    readonly awaited: number;
    readonly step: number;
    readonly refreshes: Readonly<Record<'started' | 'finished' | 'failed' | 'requests' | 'bytes', number>>;
    readonly overrides: Readonly<
      Record<string, { readonly nodes: readonly string[]; readonly count: number }>
    >;
    readonly impureMemos: readonly string[];
    readonly strikes: Readonly<Record<string, number>>;
  };
  readonly network: { readonly suspended: boolean; readonly clock: { readonly running: boolean } };
  readonly router: {
    readonly ready: boolean;
    readonly paths?: readonly { readonly nodes: readonly string[] }[];
  };
  readonly requests: Readonly<Record<'requests' | 'answered' | 'failed', number>>;
  readonly lines: Readonly<Record<'debug' | 'info' | 'warn' | 'error', number>>;
}

export interface StorageState {
  readonly name: string;
  readonly ed25519: string;
  readonly swarm: string;
  readonly height: number;
  readonly listsPending: number;
  readonly messages: number;
  readonly bytes: { readonly received: number; readonly sent: number };
  readonly storm: { readonly on: boolean; readonly answered: number };
}

type ByStatus = Readonly<Record<string, number>>;

export interface Counts {
  readonly [node: string]: {
    readonly accounts?: Readonly<Record<string, ByStatus>>;
    /** By the address that asked. */
    readonly clients?: Readonly<Record<string, ByStatus>>;
  };
}

export interface Send {
  readonly method?: 'store' | 'retrieve' | (string & {});
  /** Label or id; the client's first account without. */
  readonly account?: string;
  readonly params?: unknown;
}

/** Messages of one account at one storage node. */
export interface Hashes {
  readonly hashes: readonly string[];
}
