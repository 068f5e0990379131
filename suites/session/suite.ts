/**
 * session: clients, storage nodes and their registry when swarms change and nodes answer 421, before and after the fixes.
 * Loading this starts nothing; `squall run suites/session` and plain mocha run it.
 */
import { describeScenario } from '../../harness/index.ts';
import { batches } from './batches.ts';
import './client-measures.ts';
import { forgery } from './forgery.ts';
import { moves } from './moves.ts';
import { noRedirect } from './no-redirect.ts';
import './notes.ts';
import { redirects } from './redirects.ts';
import { youngPool } from './young-pool.ts';

for (const scenario of [moves, noRedirect, redirects, youngPool, batches, forgery])
  describeScenario(scenario);
