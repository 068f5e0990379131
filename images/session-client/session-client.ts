import type { FleetClient } from '../../harness/fleet/index.ts';
import type { NodeContext } from '../node-kit/index.ts';
import { parseAccount, readBody, SwarmMap } from '../session-kit/index.ts';
import { clientRules } from './client-rules.ts';
import { pathLimits } from './client-settings.ts';
import { ClientStore } from './client-store.ts';
import { ClientTell } from './client-tell.ts';
import { DirectRouter } from './direct-router.ts';
import { ERROR, errorName } from './errors.ts';
import { HttpsWire } from './https-wire.ts';
import { listFetcher } from './list-fetcher.ts';
import { Network } from './network.ts';
import { OnionRouter } from './onion-router.ts';
import { poolLimits } from './pool-limits.ts';
import type { PoolNode } from './pool-node.ts';
import { ProxiedRouter } from './proxied-router.ts';
import { type Answer, failure } from './request.ts';
import { requestAccounts } from './request-accounts.ts';
import type { Router } from './router.ts';
import type { RouterPorts } from './router-ports.ts';
import { seal } from './seal.ts';
import { SnodePool } from './snode-pool.ts';
import { Transport } from './transport.ts';

/** What a fleet's clients have in common. */
export interface FleetFacts {
  readonly node: NodeContext;
  readonly seeds: readonly PoolNode[];
  /** The name of a node's key or an account's id, or the text itself. */
  readonly nameOf: (text: string) => string;
}

/** After this many times its own time, a request that has not ended never will. */
const STRANDED_AFTER = 5;

/** One client: a pool, a network and a way to the nodes of its own, from an address of its own. */
export class SessionClient {
  readonly own: FleetClient;
  readonly pool: SnodePool;
  readonly network: Network;
  readonly #router: Router & { start(): void };
  readonly #transport: Transport;
  readonly #wire: HttpsWire;
  readonly #tell: ClientTell;
  readonly #node: NodeContext;
  readonly #nameOf: (text: string) => string;
  readonly #counts = { requests: 0, answered: 0, failed: 0, stranded: 0, answeredTwice: 0 };
  readonly #statuses: Record<string, number> = {};

  constructor({ node, seeds, nameOf }: FleetFacts, own: FleetClient) {
    this.own = own;
    this.#node = node;
    this.#nameOf = nameOf;
    const { settings, clock } = node;
    const rules = clientRules(settings);
    const limits = poolLimits(settings);
    const tell = new ClientTell(node, own.name, nameOf);
    this.#tell = tell;
    const cacheDir = settings.text('cacheDir');
    const store = new ClientStore(cacheDir === '' ? undefined : `${cacheDir}/${own.index}`);
    this.#wire = new HttpsWire({
      clock,
      handshakeTimeoutMs: settings.number('handshakeTimeoutMs'),
      localAddress: own.address,
    });
    this.#transport = new Transport({
      rules,
      clock,
      tell,
      wire: this.#wire,
      onHandshakeTimeout: ({ ed25519 }) => this.pool.strikes.strike(ed25519, 'handshake'),
    });
    const fetches = settings.text('fetcher') === 'direct';
    this.pool = new SnodePool({
      rules,
      limits,
      clock,
      tell,
      chance: own.chance.derive('pool'),
      sources: { seeds, fetcher: fetches ? listFetcher(this.#transport) : undefined },
      strikes: store.strikes,
      onReplaced: (nodes) => store.savePool({ nodes, savedAtMs: clock.wallMs() }),
      mapSwarms,
    });
    const saved = store.loadPool();
    if (saved) this.pool.replace(saved.nodes, clock.wallMs() - saved.savedAtMs);
    this.#router = newRouter(settings.text('route'), {
      rules,
      clock,
      tell,
      seal,
      pool: this.pool,
      transport: this.#transport,
      chance: own.chance.derive('router'),
      readBody: ({ type, body }) => readBody({ type, body: Buffer.from(body) }),
      edges: store.edges,
      limits: pathLimits(settings),
    });
    this.network = new Network({
      rules,
      clock,
      tell,
      pool: this.pool,
      router: this.#router,
      transport: this.#transport,
      chance: own.chance.derive('network'),
      redirectRetryCount: settings.number('redirectRetryCount'),
      resyncNodeCount: settings.number('resyncNodeCount'),
      infoTimeoutMs: settings.number('infoTimeoutMs'),
    });
  }

  start(): void {
    this.#router.start();
  }

  /** The time of the network, as far as this client knows. */
  networkMs(): number {
    return Math.round(this.#node.clock.wallMs() + this.network.clockOffsetMs);
  }

  /**
   * Sends a request to a random node of the account's swarm.
   * @param account whose swarm; also the account of sub-requests that name none
   */
  ask(account: string, method: string, params: unknown): Promise<Answer> {
    const rules = clientRules(this.#node.settings);
    this.#counts.requests += 1;
    return this.#ends(method, account, (onAnswer) => {
      this.pool.getSwarm(account, ({ nodes }) => {
        const [to] = nodes;
        if (!to) {
          onAnswer(failure(ERROR.UNKNOWN, 'no swarm could be resolved'));
          return;
        }
        const accounts = requestAccounts(rules, params, account);
        const timeoutMs = this.#node.settings.number('requestTimeoutMs');
        this.network.send(this.network.request(to, method, params, accounts, timeoutMs), onAnswer);
      });
    });
  }

  /**
   * Verifies a node as a user of the library may who asks its transport.
   * @param reentrant it is verified once more from within the first answer, and the last one is waited for
   * @returns whether it could be, and whether an answer came with an error code; nothing for a node that is not in the pool
   */
  verify(ed25519: string, reentrant: boolean): Promise<{ verified: boolean; coded: boolean } | undefined> {
    const node = this.pool.nodes.find((one) => one.ed25519 === ed25519);
    if (!node) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#transport.verify(node, (verified, code) => {
        const coded = code !== undefined;
        if (!reentrant) resolve({ verified, coded });
        else
          this.#transport.verify(node, (again, later) =>
            resolve({ verified: again, coded: coded || later !== undefined }),
          );
      });
    });
  }

  /** Key of a node of the pool by its name or key. */
  nodeNamed(name: string): string | undefined {
    return this.pool.nodes
      .map(({ ed25519 }) => ed25519)
      .find((key) => key === name || this.#nameOf(key) === name);
  }

  /** Stops without last words; the process ends. */
  end(): void {
    this.network.suspend();
  }

  /** Of the connections, TLS included. */
  bytes(): { readonly received: number; readonly sent: number } {
    return this.#wire.bytes();
  }

  /** How requests ended: answers by status, failures by error. */
  get statuses(): Readonly<Record<string, number>> {
    return this.#statuses;
  }

  state(): Readonly<Record<string, unknown>> {
    const { name, address } = this.own;
    return {
      name,
      address,
      pool: named(this.pool.state(), this.#nameOf),
      network: this.network.state(),
      router: named(this.#router.state(), this.#nameOf),
      transport: this.#transport.state(),
      requests: { ...this.#counts },
      statuses: { ...this.#statuses },
      lines: { ...this.#tell.lines },
      bytes: this.bytes(),
    };
  }

  /** Counts what becomes of a request, and sees one that is answered twice or never. */
  #ends(
    method: string,
    account: string,
    begin: (onAnswer: (answer: Answer) => void) => void,
  ): Promise<Answer> {
    const { clock, settings } = this.#node;
    const limitMs = STRANDED_AFTER * settings.number('requestTimeoutMs');
    return new Promise((resolve) => {
      let ended = false;
      const stranded = clock.after(limitMs, () => {
        this.#counts.stranded += 1;
        this.#tell.event('request.stranded', { account, method, afterMs: limitMs });
        resolve(failure(ERROR.REQUEST_TIMEOUT, `never answered within ${limitMs} ms`, { timeout: true }));
      });
      begin((answer) => {
        stranded.cancel();
        if (ended) {
          this.#counts.answeredTwice += 1;
          this.#tell.event('request.answered-twice', { account, method });
          return;
        }
        ended = true;
        this.#count(method, account, answer);
        resolve(answer);
      });
    });
  }

  #count(method: string, account: string, answer: Answer): void {
    const error = errorName(answer.status);
    this.#statuses[error] = (this.#statuses[error] ?? 0) + 1;
    this.#counts[answer.ok ? 'answered' : 'failed'] += 1;
    if (!answer.ok) {
      const reason = answer.message.slice(0, 300);
      this.#tell.event('request.failed', { account, method, error, reason });
    }
  }
}

/** Accounts by ring distance; one that cannot be read has no swarm. */
function mapSwarms(nodes: readonly PoolNode[]) {
  const map = new SwarmMap(nodes);
  return (account: string) => {
    const parsed = parseAccount(account);
    const swarm = parsed && map.swarmOf(parsed);
    return swarm && { swarmId: swarm.id, nodes: swarm.nodes };
  };
}

/** Keys and ids in it by their names. */
function named(value: unknown, nameOf: (text: string) => string): unknown {
  if (typeof value === 'string') return nameOf(value);
  if (Array.isArray(value)) return value.map((one) => named(one, nameOf));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [nameOf(key), named(one, nameOf)]));
}

function newRouter(route: string, ports: RouterPorts): Router & { start(): void } {
  if (route === 'onion') return new OnionRouter(ports);
  if (route === 'proxied') return new ProxiedRouter(ports);
  return new DirectRouter(ports, route === 'tunnel' ? 'tunnel' : 'direct');
}
