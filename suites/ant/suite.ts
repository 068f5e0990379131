/**
 * ant: replication fetch, on the real ant-node and on the TypeScript fetch nodes.
 * Loading this starts nothing; `squall run suites/ant` and `squall rehearse` run it.
 */
import { describeScenario } from '../../harness/index.ts';
import './actions.ts';
import { agreement } from './agreement.ts';
import { joinWave } from './join-wave.ts';
import { rulesScenario } from './rules/scenario.ts';
import './wave-measures.ts';

for (const scenario of [joinWave, agreement, rulesScenario]) describeScenario(scenario);
