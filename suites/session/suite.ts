/**
 * session: clients, storage nodes and their registry when swarms change and nodes answer 421, before and after the fixes.
 * Loading this starts nothing; `squall run suites/session` and plain mocha run it.
 */
import { describeScenario } from '../../harness/index.ts';
import { batches } from './batches.ts';
import './actions.ts';
import { callbacks, oneSubnet } from './callbacks.ts';
import './client-measures.ts';
import { darkNodes } from './dark-nodes.ts';
import { edgeNodes } from './edge-nodes.ts';
import { forgery } from './forgery.ts';
import { gateRow } from './gate-row.ts';
import { handOver } from './hand-over.ts';
import { herd } from './herd.ts';
import { incidents } from './incidents.ts';
import './message-measures.ts';
import { moves } from './moves.ts';
import { noRedirect } from './no-redirect.ts';
import './notes.ts';
import { rateLimit } from './rate-limit.ts';
import { redirects } from './redirects.ts';
import { silence } from './silence.ts';
import { storms } from './storms.ts';
import { strikes } from './strikes.ts';
import { suspend } from './suspend.ts';
import { youngPool } from './young-pool.ts';

for (const scenario of [
  moves,
  noRedirect,
  redirects,
  storms,
  youngPool,
  batches,
  forgery,
  strikes,
  edgeNodes,
  darkNodes,
  callbacks,
  oneSubnet,
  suspend,
  silence,
  herd,
  rateLimit,
  handOver,
  incidents,
  gateRow,
])
  describeScenario(scenario);
