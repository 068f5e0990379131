import { basename, dirname } from 'node:path';
import { SquallError } from '../errors/index.ts';
import type { ScenarioSpec } from '../scenario/index.ts';
import { currentCollector } from './collector.ts';
import { registerTests } from './register-tests.ts';

/**
 * Describes a scenario. Under `squall run` and its kin the scenario is taken as data; in a plain mocha run it becomes a
 * `describe` with an `it` for each check at each point of its default grid, and the same record is written.
 * @throws SquallError `invalid-document` with everything that is wrong with the scenario, `no-runner` elsewhere
 */
export function describeScenario(spec: ScenarioSpec): void {
  const collector = currentCollector();
  if (collector) {
    collector.push(spec);
    return;
  }
  if (typeof globalThis.describe !== 'function') {
    throw new SquallError(`scenario ${spec.name}: described outside of \`squall run\` and of mocha.`, {
      code: 'no-runner',
      blame: 'input',
      hint: 'Run it with `squall run SUITE` or `npx mocha SUITE/suite.ts`.',
    });
  }
  globalThis.describe(spec.name, function () {
    const { file } = this as { readonly file?: string };
    const folder = file === undefined ? process.cwd() : dirname(file);
    registerTests(spec, { suite: basename(folder), folder });
  });
}
