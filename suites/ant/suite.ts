/**
 * ant: replication fetch, on the real ant-node and on the TypeScript fetch nodes.
 * Loading this starts nothing; `squall run suites/ant` and `squall rehearse` run it.
 */
import { describeScenario } from '../../harness/index.ts';
import './actions.ts';
import { agreement } from './agreement.ts';
import { capacity } from './capacity.ts';
import { allBusy } from './holders/all-busy.ts';
import { answeringHolder } from './holders/answering.ts';
import { silentGrid, silentHolder } from './holders/silent.ts';
import { localSimulation } from './holders/simulation.ts';
import { joinWave } from './join-wave.ts';
import { rulesScenario } from './rules/scenario.ts';
import { mixedPairs, mixedWave, versionWave } from './versions/waves.ts';
import './wave-measures.ts';

for (const scenario of [
  joinWave,
  capacity,
  agreement,
  rulesScenario,
  answeringHolder,
  silentHolder,
  silentGrid,
  localSimulation,
  allBusy,
  versionWave,
  mixedWave,
  mixedPairs,
])
  describeScenario(scenario);
