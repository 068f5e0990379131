/**
 * smp: private routing before and after the re-pick of a proxy that cannot forward, on real containers.
 * Loading this starts nothing; `squall run suites/smp` and plain mocha run it.
 */
import { describeScenario } from '../../harness/index.ts';
import { abandonedConnect } from './abandoned.ts';
import './actions.ts';
import './choice-measures.ts';
import { boundary, clearing, rareSends } from './clearing.ts';
import './connect-measures.ts';
import { contactJoinsRow } from './contact-joins.ts';
import { exposure } from './exposure.ts';
import { flap, healing } from './flap.ts';
import { hostError } from './host-error.ts';
import { agentInterval, proxyInterval } from './intervals.ts';
import { lateDisconnect, lateResults } from './late-results.ts';
import { load } from './load.ts';
import './message-measures.ts';
import { answersErrors, offline, unreachable } from './offline.ts';
import { openQuestions } from './open-questions.ts';
import { allBad, pool } from './pool.ts';
import './predicates.ts';
import { otherHoles, reconnects, slowLink } from './reconnect.ts';
import { relayDown, relayRestart, stumble } from './relay-down.ts';
import { agentRestart } from './restart.ts';
import { retryRow } from './retry.ts';
import { anotherLink, serversAlone, stuckContact } from './servers.ts';
import { slowWait } from './slow-wait.ts';
import { waiter } from './waiter.ts';

for (const scenario of [
  contactJoinsRow,
  retryRow,
  anotherLink,
  stuckContact,
  serversAlone,
  offline,
  unreachable,
  answersErrors,
  reconnects,
  otherHoles,
  slowLink,
  slowWait,
  healing,
  flap,
  pool,
  allBad,
  relayDown,
  relayRestart,
  stumble,
  clearing,
  boundary,
  rareSends,
  agentInterval,
  proxyInterval,
  waiter,
  lateResults,
  lateDisconnect,
  hostError,
  abandonedConnect,
  agentRestart,
  openQuestions,
  exposure,
  load,
])
  describeScenario(scenario);
