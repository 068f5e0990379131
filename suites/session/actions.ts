/** What incidents and explorations do to a Session network, under names: an account's key follows from the run's seed. */
import { registerAction, type TrialContext } from '../../harness/index.ts';
import { AGED_MS, Desk } from './desk.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** The network stands and the client has a pool that is past its first minute; from here on things are counted. */
registerAction('session.begins', async (trial: TrialContext) => {
  const desk = new Desk(trial);
  await desk.stands();
  await desk.leap(AGED_MS);
  desk.begin();
});

/** The client's first account goes to another swarm. */
registerAction('session.account-moves', async (trial: TrialContext) => {
  const desk = new Desk(trial);
  const [account] = await desk.accounts();
  await desk.moveAccount(account);
});

/** `{count}` retrieves of the client's first account, one after another; what became of them is noted unless `noted` is false. */
registerAction('session.asks', async (trial: TrialContext, { count = 1, noted = true }: Parameters) => {
  const desk = new Desk(trial);
  if (noted) await desk.sends(Number(count));
  else for (let left = Number(count); left > 0; left -= 1) await desk.send();
});

/** All clocks go ahead by `{minutes}`, and what was due meanwhile happens in order. */
registerAction('session.time-passes', async (trial: TrialContext, { minutes = 0 }: Parameters) => {
  await new Desk(trial).leap(Number(minutes) * 60_000);
});
