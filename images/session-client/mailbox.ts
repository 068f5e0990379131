import { DefiniteFailure, type History } from '../../harness/workload/index.ts';
import type { NodeContext } from '../node-kit/index.ts';
import { parseRetrieved, parseStored, readSubAnswers, WireError } from '../session-kit/index.ts';
import type { ClientAccount } from './client-account.ts';
import { ERROR, errorName } from './errors.ts';
import type { Answer } from './request.ts';
import type { SessionClient } from './session-client.ts';

/** What a client does with its accounts: stores messages in them and reads them, as a history. */
export class Mailbox {
  readonly accounts: readonly ClientAccount[];
  readonly #client: SessionClient;
  readonly #node: NodeContext;
  readonly #history: History;
  #polling = false;

  constructor(
    node: NodeContext,
    client: SessionClient,
    history: History,
    accounts: readonly ClientAccount[],
  ) {
    this.#node = node;
    this.#client = client;
    this.#history = history;
    this.accounts = accounts;
  }

  /** Stores the next message of this client in the account; the history has it. */
  async store(account: ClientAccount): Promise<Answer | undefined> {
    const { own } = this.#client;
    const message = this.#history.nextMessage(String(own.index));
    const to = account.shared ? {} : { to: [this.#reader(account)] };
    const facts = { process: own.name, kind: 'store', message, account: account.label, ...to };
    return await this.#history.run(facts, async () => {
      const [ttlMs, sizeBytes] = [
        this.#node.settings.number('ttlMs'),
        this.#node.settings.number('messageBytes'),
      ];
      const data = Buffer.from(message.padEnd(sizeBytes));
      const params = account.storeParams(data, this.#client.networkMs(), ttlMs);
      const answer = await this.#client.ask(account.id, 'store', params);
      requireSuccess(answer);
      parseStored(answer.body);
      return answer;
    });
  }

  /** Reads all accounts, one by one or in batches; not while an earlier reading is under way. */
  async poll(): Promise<void> {
    if (this.#polling) return;
    this.#polling = true;
    try {
      const batches = this.#node.settings.text('pollMethod') === 'batch';
      if (batches) for (const group of this.#groups()) await this.#pollTogether(group);
      else for (const account of this.accounts) await this.read(account);
    } finally {
      this.#polling = false;
    }
  }

  async read(account: ClientAccount): Promise<Answer> {
    const params = account.retrieveParams(this.#client.networkMs());
    const answer = await this.#client.ask(account.id, 'retrieve', params);
    if (answer.ok) this.#take(account, answer.body);
    return answer;
  }

  /** One request for all of them, to the swarm of the first; each part names its account. */
  async #pollTogether(group: readonly ClientAccount[]): Promise<void> {
    const [first] = group;
    if (!first) return;
    const networkMs = this.#client.networkMs();
    const requests = group.map((one) => ({ method: 'retrieve', params: one.retrieveParams(networkMs) }));
    const answer = await this.#client.ask(first.id, 'batch', { requests });
    readSubAnswers(answer.body)?.forEach(({ code, body }, position) => {
      const account = group[position];
      if (account && code === 200) this.#take(account, body);
    });
  }

  #take(account: ClientAccount, body: unknown): void {
    try {
      const { messages } = parseRetrieved(body);
      // Seen before what was read is let go of: no later answer than this one says that a node has something twice.
      const repeated = messages.length - new Set(messages.map(({ hash }) => hash)).size;
      if (repeated > 0) {
        const { name } = this.#client.own;
        this.#node.emit('message.repeated', { client: name, account: account.label, count: repeated });
      }
      for (const { hash, data } of messages) {
        if (account.see(hash)) this.#history.received(data.toString().trimEnd(), this.#reader(account));
      }
    } catch (error) {
      if (!(error instanceof WireError)) throw error;
      this.#node.emit('answer.refused', {
        client: this.#client.own.name,
        fault: error.code,
        reason: error.message,
      });
    }
  }

  /** Accounts that are looked for in the same nodes, at most as many as a batch may have. */
  #groups(): readonly (readonly ClientAccount[])[] {
    const bySwarm = new Map<string, ClientAccount[]>();
    for (const account of this.accounts) {
      this.#client.pool.getSwarm(account.id, ({ nodes }) => {
        const swarm = nodes
          .map(({ ed25519 }) => ed25519)
          .sort()
          .join();
        bySwarm.set(swarm, [...(bySwarm.get(swarm) ?? []), account]);
      });
    }
    const size = this.#node.settings.number('batchAccounts');
    return [...bySwarm.values()].flatMap((all) =>
      Array.from({ length: Math.ceil(all.length / size) }, (_, turn) =>
        all.slice(turn * size, (turn + 1) * size),
      ),
    );
  }

  #reader({ label }: ClientAccount): string {
    return `${this.#client.own.name}:${label}`;
  }
}

/** What a node refused certainly did not happen; what nobody answered may have. */
function requireSuccess(answer: Answer): void {
  if (answer.ok) return;
  const text = `${errorName(answer.status)}: ${answer.message.slice(0, 200)}`;
  const refused = answer.status >= 400 && answer.status < 500;
  if (refused || answer.status === ERROR.INSUFFICIENT_NODES) throw new DefiniteFailure(text);
  throw new Error(text);
}
