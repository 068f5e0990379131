/** What incidents and explorations have the agents do, under names: documents cannot read an answer and pass it on. */
import { askNode, registerAction, type TrialContext } from '../../harness/index.ts';
import { APP } from './events.ts';
import {
  APP_JOINS,
  CONTACT,
  CONTACT_JOINS,
  joinMarked,
  prepareConnection,
  preparedCount,
  send,
} from './steps.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** Connections that both sides have: `{count}`, 1 unless it says otherwise. */
registerAction('smp.connections', async (trial: TrialContext, { count = 1 }: Parameters) => {
  for (let turn = preparedCount(trial), left = Number(count); left > 0; left -= 1) {
    turn += 1;
    await prepareConnection(trial, turn);
  }
});

/** A contact joins the app's link in the background. */
registerAction('smp.contact-joins', async (trial: TrialContext) => await joinMarked(trial, CONTACT_JOINS));

/** The app joins a link of the contact, and its user waits. */
registerAction('smp.app-joins', async (trial: TrialContext) => await joinMarked(trial, APP_JOINS));

/** `{count}` messages on the last prepared connection, at once; the contact sends them where `from` says so. */
registerAction('smp.sends', async (trial: TrialContext, { count = 1, from = APP }: Parameters) => {
  await send(trial, preparedCount(trial), Number(count), from === 'contact' ? CONTACT : APP);
});

/** `{count}` messages on the last prepared connection, evenly spread at `{perSecond}`. */
registerAction('smp.chats', async (trial: TrialContext, { count = 10, perSecond = 1 }: Parameters) => {
  await send(trial, preparedCount(trial), Number(count), APP, Number(perSecond));
});

/** From now on the app picks among all proxies of the bed; its message servers and what it remembers stay. */
registerAction('smp.all-proxies', async (trial: TrialContext) => {
  const proxies = trial.nodes('proxy').map(({ name, address }) => `${name}@${address}`);
  await askNode(trial, APP, 'POST', '/servers', { servers: proxies, proxies });
});
