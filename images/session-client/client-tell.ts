import type { NodeContext } from '../node-kit/index.ts';
import type { LogLevel, Tell } from './tell.ts';

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error'];
/** Fields of events that are keys of nodes. */
const NODE_FIELDS = ['node', 'from', 'to', 'nodes'];

/** How a client tells what happens: names for keys, lines counted, nothing said twice in a row. */
export class ClientTell implements Tell {
  readonly #node: NodeContext;
  readonly #client: string;
  readonly #nameOf: (text: string) => string;
  readonly #shown: number;
  readonly #all: boolean;
  readonly #lastLookup = new Map<unknown, string>();
  readonly lines: Record<LogLevel, number> = { debug: 0, info: 0, warn: 0, error: 0 };

  /** @param nameOf the name of a node's key or an account's id, or the text itself */
  constructor(node: NodeContext, client: string, nameOf: (text: string) => string) {
    this.#node = node;
    this.#client = client;
    this.#nameOf = nameOf;
    this.#shown = LEVELS.indexOf(node.settings.text('logLevel') as LogLevel);
    this.#all = node.settings.text('events') === 'all';
  }

  event(name: string, fields: Readonly<Record<string, unknown>>): void {
    if (name === 'swarm.resolved' && !this.#all && this.#isAsBefore(fields)) return;
    this.#node.emit(name, { client: this.#client, ...this.#named(fields) });
  }

  log(level: LogLevel, line: string): void {
    this.lines[level] += 1;
    if (LEVELS.indexOf(level) >= this.#shown) this.#node.log(`${this.#client} ${level}: ${line}`);
  }

  #isAsBefore({ account, source, swarm, size }: Readonly<Record<string, unknown>>): boolean {
    // A memo says what the calculation before it said.
    const lookup = `${source === 'memo' ? 'calculated' : source} ${swarm} ${size}`;
    const same = this.#lastLookup.get(account) === lookup;
    this.#lastLookup.set(account, lookup);
    return same;
  }

  #named(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
    const entries = Object.entries(fields).map(([name, value]) => {
      if (name !== 'account' && !NODE_FIELDS.includes(name)) return [name, value];
      if (Array.isArray(value)) return [name, value.map((one) => this.#nameOf(String(one)))];
      return [name, typeof value === 'string' ? this.#nameOf(value) : value];
    });
    return Object.fromEntries(entries);
  }
}
