/**
 * memberlist: the library as shipped and with each fix, under the document's blackouts, on real containers.
 * Loading this starts nothing; `squall run suites/memberlist` and plain mocha run it.
 */
import { describeScenario } from '../../harness/index.ts';
import { backToBack, racks, reuse, zeroOutage } from './controls.ts';
import { crash, crashUnderLoss } from './crash.ts';
import './heal.ts';
import { loss } from './loss.ts';
import './measures.ts';
import { outage } from './outage.ts';
import './predicates.ts';

for (const scenario of [outage, zeroOutage, crash, crashUnderLoss, loss, racks, backToBack, reuse])
  describeScenario(scenario);
