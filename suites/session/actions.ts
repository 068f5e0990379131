/** What incidents and explorations do to a Session network, under names: an account's key follows from the run's seed. */
import { registerAction, type TrialContext } from '../../harness/index.ts';
import { AGED_MS, Desk } from './desk.ts';

type Parameters = Readonly<Record<string, unknown>>;

/** The network stands and the client has a pool that is past its first minute; from here on things are counted. */
registerAction('session.begins', async (trial: TrialContext) => {
  const desk = Desk.at(trial);
  await desk.stands();
  // Or all that a load would have done in those minutes would be due at once.
  await desk.command('/pause');
  await desk.leap(AGED_MS);
  await desk.command('/start');
  desk.begin();
});

/** The client's first account goes to another swarm. */
registerAction('session.account-moves', async (trial: TrialContext) => {
  const desk = Desk.at(trial);
  const [account] = await desk.accounts();
  await desk.moveAccount(account);
});

/** `{count}` retrieves of the client's first account, one after another; what became of them is noted unless `noted` is false. */
registerAction('session.asks', async (trial: TrialContext, { count = 1, noted = true }: Parameters) => {
  const desk = Desk.at(trial);
  if (noted) await desk.sends(Number(count));
  else for (let left = Number(count); left > 0; left -= 1) await desk.send();
});

/** All clocks go ahead by `{minutes}`, and what was due meanwhile happens in order. */
registerAction('session.time-passes', async (trial: TrialContext, { minutes = 0 }: Parameters) => {
  await Desk.at(trial).leap(Number(minutes) * 60_000);
});

/** How long what members of a swarm lack is waited for, as a node that was away is told of it again after 10 s at most. */
const LOOKS = 15;

/**
 * The load ends, and what each member of an account's swarm lacks of what any of them has is noted as `missing`; then all
 * accounts are read once more.
 */
registerAction('session.copies-compared', async (trial: TrialContext) => {
  const desk = Desk.at(trial);
  await desk.command('/pause');
  let missing = await missingIn(desk);
  for (let looks = 0; missing > 0 && looks < LOOKS; looks += 1) {
    await trial.wait('1s');
    missing = await missingIn(desk);
  }
  desk.note('missing', missing);
  await desk.command('/poll');
  await trial.wait('1s');
});

async function missingIn(desk: Desk): Promise<number> {
  let missing = 0;
  for (const account of await desk.accounts()) {
    const { members } = await desk.swarmOf(account.id);
    const held = await desk.hashesAt(members, account);
    const all = new Set(held.flat());
    for (const hashes of held) missing += all.size - new Set(hashes).size;
  }
  return missing;
}
