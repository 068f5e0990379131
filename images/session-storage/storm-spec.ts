import { Fields, parseAccount, WireError } from '../session-kit/index.ts';

/** What the body of a stormy answer names. */
export const REDIRECTS = [
  /** The swarm that the account belongs to, by this node's view. */
  'honest',
  /** Nobody: an empty list. */
  'none',
  /** This node alone. */
  'itself',
  /** Another swarm than the account's. */
  'other-swarm',
  /** Keys that no node has. */
  'unknown',
  /** Members of the account's swarm, and keys that no node has. */
  'partly-unknown',
  /** Members named again and again, and records of 0.0.0.0:0. */
  'duplicates',
  /** Members of this node's group send to the other group, and back. */
  'bounce',
  /** The right keys with addresses and ports of our own choosing. */
  'false-addresses',
  /** JSON of another shape. */
  'garbage',
] as const;

/** Where it is answered: as destination of a single request, of one inside a batch or sequence, at the end of a path; as relay. */
export const PLACES = ['direct', 'batch', 'onion', 'relay'] as const;

export type StormRedirect = (typeof REDIRECTS)[number];
export type StormPlace = (typeof PLACES)[number];

export interface StormSpec {
  readonly redirect: StormRedirect;
  /** Share of requests that are answered so, from 0 to 1. */
  readonly ratio: number;
  /** Accounts it is about; empty: all. */
  readonly accounts: readonly string[];
  readonly methods: readonly string[];
  readonly at: readonly StormPlace[];
  /** 421, or what a relay forges. */
  readonly status: number;
  /** `own`: as the node's version has it. */
  readonly echo: 'own' | 'none' | 'account' | 'other';
  /** At most so many nodes are named. */
  readonly count: number | undefined;
  /** Ed25519 keys or names are the scenario's; the two groups of `bounce`. */
  readonly groups: readonly (readonly string[])[];
  /** Ends by itself after so long. */
  readonly forMs: number | undefined;
  /** Drawn once for each connection and kept until a fresh one, also when the storm is over. */
  readonly sticky: boolean;
  /** Also requests that name no account, which concern nobody here. */
  readonly unnamed: boolean;
  readonly seed: string;
}

/** What the generic fault calls the same. */
const BODIES: Readonly<Record<string, StormRedirect>> = {
  swarm: 'honest',
  empty: 'none',
  wrong: 'other-swarm',
};

/** @throws WireError `wrong-shape` for a storm that there is not */
export function parseStorm(body: unknown): StormSpec {
  const fields = new Fields(body, 'storm');
  const forMs = number(fields, 'forMs');
  const statuses = fields.integer('status') ?? 421;
  if (statuses < 400 || statuses > 599) throw new WireError('wrong-shape', 'status: expected 400 to 599');
  return {
    redirect: redirectOf(fields),
    ratio: ratioOf(fields),
    accounts: accountsOf(fields),
    methods: fields.texts('methods') ?? [],
    at: chosen(fields.texts('at') ?? ['direct', 'batch', 'onion'], PLACES, 'at'),
    status: statuses,
    echo:
      chosen([fields.text('echo') ?? 'own'], ['own', 'none', 'account', 'other'] as const, 'echo')[0] ??
      'own',
    count: number(fields, 'count'),
    groups: (fields.list('groups') ?? []).map((group) => new Fields({ group }).texts('group') ?? []),
    forMs,
    sticky: fields.boolean('sticky') ?? false,
    unnamed: fields.boolean('unnamed') ?? false,
    seed: fields.text('seed') ?? '',
  };
}

function redirectOf(fields: Fields): StormRedirect {
  const body = fields.text('body');
  const given = fields.text('redirect') ?? (body === undefined ? 'honest' : (BODIES[body] ?? body));
  return chosen([given], REDIRECTS, 'redirect')[0] ?? 'honest';
}

function ratioOf(fields: Fields): number {
  const ratio = fields.get('ratio') ?? fields.get('share') ?? 1;
  if (typeof ratio !== 'number' || !(ratio >= 0 && ratio <= 1))
    throw new WireError('wrong-shape', 'ratio: expected a number from 0 to 1');
  return ratio;
}

function accountsOf(fields: Fields): readonly string[] {
  return (fields.texts('account') ?? [])
    .filter((text) => text !== '')
    .map((text) => {
      const account = parseAccount(text);
      if (!account) throw new WireError('wrong-shape', 'account: expected 66 hexadecimal digits');
      return account.id;
    });
}

function number(fields: Fields, name: string): number | undefined {
  const value = fields.get(name);
  if (value !== undefined && !(typeof value === 'number' && value >= 0))
    throw new WireError('wrong-shape', `${name}: expected a number of 0 or more`);
  return value as number | undefined;
}

function chosen<T extends string>(given: readonly string[], known: readonly T[], name: string): readonly T[] {
  return given.map((one) => {
    const found = known.find((word) => word === one);
    if (found === undefined)
      throw new WireError(
        'wrong-shape',
        `${name}: ${one.slice(0, 40)} found; expected one of ${known.join(', ')}`,
      );
    return found;
  });
}
