/** Conditions over events that the suite's steps wait for. */
import { registerPredicate } from '../../harness/index.ts';

/** The app is connected, or its join has failed once more than its user may tap Retry. */
registerPredicate('smp.join-over', (parameters) => {
  const cap = Number(parameters['cap']);
  let failures = 0;
  let connected = false;
  let began = false;
  return ({ node, event }) => {
    if (event === 'row.began' || event === 'row.began-again') {
      failures = 0;
      connected = false;
      began = true;
    }
    if (!began || node !== 'app-1') return false;
    if (event === 'connection.established') connected = true;
    if (event === 'join.failed') failures += 1;
    return connected || failures > cap;
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
