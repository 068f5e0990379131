/** Steps in code: what is asked of agents and servers through their admin ports. */
import { SquallError } from '../../harness/errors/index.ts';
import type { PhaseSpec, Step, TrialContext } from '../../harness/index.ts';
import { askNode } from '../../harness/index.ts';
import { encodeLink, parseLink } from '../../images/smp-agent/index.ts';
import { SMP_PORT } from './bed.ts';
import { ROW_BEGAN, SECOND_ROW_BEGAN } from './connect-measures.ts';
import { APP } from './events.ts';

export const CONTACT = 'contact-1';

/**
 * The first phase of every row. What is awaited counts from the beginning of its phase, and the first one's is before the
 * nodes begin anew: what they then still say of the trial before must not be taken for this one's.
 */
export const begin: PhaseSpec = {
  name: 'begin',
  steps: [{ name: 'the nodes have begun anew', wait: '10ms' }],
};

/** A link of `holder`, and the connection that waits for somebody to join it. */
export async function makeLink(trial: TrialContext, holder: string): Promise<HeldLink> {
  return await askNode<HeldLink>(trial, holder, 'POST', '/link', {});
}

export interface HeldLink {
  readonly link: string;
  readonly connection: string;
}

interface Joined {
  readonly connection: string;
}

export interface Joining {
  readonly holder: string;
  readonly joiner: string;
  /** Somebody waits for it, with the shorter timeouts; else it is done in the background. */
  readonly interactive: boolean;
}

/** @returns the joiner's connection; the join itself goes on. */
export async function join(trial: TrialContext, { holder, joiner, interactive }: Joining): Promise<string> {
  const { link } = await makeLink(trial, holder);
  const { connection } = await askNode<Joined>(trial, joiner, 'POST', '/join', { link, interactive });
  return connection;
}

/** The same link, whose server is said to be reached by an onion address only. */
export function onionLink(text: string): string {
  const link = parseLink(text);
  return encodeLink({
    ...link,
    serverName: 'relay-onion',
    server: link.server.replace(/@.*$/, `@${'a'.repeat(56)}.onion:${SMP_PORT}`),
  });
}

/** Marks the beginning of a row, makes a link and joins it. */
export function joinStep(joining: Joining, marker = ROW_BEGAN): Step {
  return {
    name: `${joining.joiner} joins a link of ${joining.holder}`,
    run: async (trial) => await joinMarked(trial, joining, marker),
  };
}

export async function joinMarked(trial: TrialContext, joining: Joining, marker = ROW_BEGAN): Promise<void> {
  trial.emit(marker, {});
  await join(trial, joining);
}

/** A contact joins the app's link, in the background. */
export const CONTACT_JOINS: Joining = { holder: APP, joiner: CONTACT, interactive: false };
/** The app joins the contact's, and its user waits. */
export const APP_JOINS: Joining = { holder: CONTACT, joiner: APP, interactive: true };

export const contactJoins = joinStep(CONTACT_JOINS);
export const appJoins = joinStep(APP_JOINS);
export const appJoinsAnother = joinStep(
  { holder: CONTACT, joiner: APP, interactive: true },
  SECOND_ROW_BEGAN,
);

/** Until the app says that a connection stands; unconnected trials go on. */
export function untilConnected(within: string): Step {
  return {
    name: 'until the agent is connected',
    until: { event: 'connection.established', on: APP },
    within,
    orElse: 'continue',
  };
}

/** Until so many different messages have arrived; trials in which they do not go on. */
export function untilArrived(count: number | string, within: string): Step {
  return {
    name: `until ${count === 1 ? 'the' : 'every'} message has arrived`,
    until: { predicate: 'smp.all-arrived', parameters: { count } },
    within,
    orElse: 'continue',
  };
}

/**
 * Connections that both sides have before anything is broken, made one after another, so that the first proxy is known
 * and remembered. Their names are kept for the steps that send.
 */
export function establishedStep(count: number): Step {
  return {
    name: count === 1 ? 'a connection stands' : `${count} connections stand`,
    takes: () => `${count}s`,
    run: async (trial) => {
      for (let turn = 1; turn <= count; turn += 1) await prepareConnection(trial, turn);
    },
  };
}

/** Makes one connection that both sides have. Their names for it differ. */
export async function prepareConnection(trial: TrialContext, turn: number): Promise<void> {
  const held = await makeLink(trial, CONTACT);
  const joined = await askNode<Joined>(trial, APP, 'POST', '/join', { link: held.link, interactive: true });
  for (const [node, { connection }] of [
    [APP, joined],
    [CONTACT, held],
  ] as const) {
    await trial.until({ event: 'connection.established', on: node, where: { connection } }, '60s');
  }
  trial.emit('connection.prepared', { turn, [APP]: joined.connection, [CONTACT]: held.connection });
}

/** How many connections `prepareConnection` has made. */
export function preparedCount(trial: TrialContext): number {
  return trial.events.filter(({ event }) => event === 'connection.prepared').length;
}

/** Has the app, or the contact, send on the prepared connection of that number (from 1); at once, or at that pace. */
export async function send(
  trial: TrialContext,
  turn: number,
  count = 1,
  from = APP,
  perSecond?: number,
): Promise<void> {
  const prepared = trial.events.find(
    ({ event, fields }) => event === 'connection.prepared' && fields['turn'] === turn,
  );
  const connection = prepared?.fields[from];
  if (typeof connection !== 'string') {
    throw new SquallError(`connection ${turn} of ${from}: was not prepared; expected a step that makes it`, {
      code: 'no-connection',
    });
  }
  const pace = perSecond === undefined ? {} : { perSecond };
  await askNode(trial, from, 'POST', '/send', { connection, count, ...pace });
}

/** Messages of each side in `exchangeStep`. */
const EXCHANGED_EACH_WAY = 3;
/** … and of both. */
export const EXCHANGED = 2 * EXCHANGED_EACH_WAY;

/**
 * Both sides send on the connection that the row was about, until everything has arrived; nothing where the app has none. It
 * comes after what the row measures.
 */
export const exchangeStep: Step = {
  name: 'messages both ways, where there is a connection',
  takes: () => '2s',
  run: async (trial) => {
    const established = (node: string): string | undefined => {
      const event = trial.events.find((one) => one.event === 'connection.established' && one.node === node);
      return typeof event?.fields['connection'] === 'string' ? event.fields['connection'] : undefined;
    };
    if (established(APP) === undefined) return;
    // The side that joined is told last.
    if (established(CONTACT) === undefined) {
      await trial.until({ event: 'connection.established', on: CONTACT }, '60s');
    }
    await Promise.all(
      [APP, CONTACT].map((node) =>
        askNode(trial, node, 'POST', '/send', {
          connection: established(node),
          count: EXCHANGED_EACH_WAY,
        }),
      ),
    );
    await trial.until({ predicate: 'smp.all-arrived', parameters: { count: EXCHANGED } }, '3m');
  },
};

/** The app's servers and proxies become these; nothing is restarted. */
export function configureStep(proxies: readonly string[]): Step {
  return {
    name: `only ${proxies.join(', ')} configured`,
    run: async (trial) => {
      const servers = proxies.map((name) => `${name}@${addressOf(trial, name)}`);
      await askNode(trial, APP, 'POST', '/servers', { servers, proxies: servers });
    },
  };
}

function addressOf(trial: TrialContext, name: string): string {
  const node = trial.nodes(name)[0];
  if (!node) throw new SquallError(`node ${name}: is not on the bed`, { code: 'no-such-node' });
  return node.address;
}
