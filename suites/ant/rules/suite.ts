/**
 * rules: each rule of the fetch pipeline on a stage of its own, and a mutant for each, on real containers.
 * Loading this starts nothing; `squall run suites/ant/rules` and `squall mutate suites/ant/rules` run it.
 */
import { describeScenario } from '../../../harness/index.ts';
import { rulesScenario } from './scenario.ts';

describeScenario(rulesScenario);
