/** Conditions over events that the suite's steps wait for. */
import { registerPredicate } from '../../harness/index.ts';

/**
 * The app is connected, or its join has failed once more than its user may tap Retry; of the row that began with `marker`, since
 * what is awaited looks at the whole trial.
 */
registerPredicate('smp.join-over', (parameters) => {
  const cap = Number(parameters['cap']);
  const marker = parameters['marker'] ?? 'row.began';
  let began = false;
  let failures = 0;
  return ({ node, event }) => {
    if (event === marker) began = true;
    if (!began || node !== 'app-1') return false;
    if (event === 'join.failed') failures += 1;
    return event === 'connection.established' || failures > cap;
  };
});

/** So many different messages have arrived. */
registerPredicate('smp.all-arrived', (parameters) => {
  const count = Number(parameters['count']);
  const arrived = new Set<unknown>();
  return ({ event, fields }) => {
    // What nodes still say of the trial before, while they begin anew, does not count.
    if (event === 'ready') arrived.clear();
    if (event === 'message.received') arrived.add(fields['message']);
    return arrived.size >= count;
  };
});
