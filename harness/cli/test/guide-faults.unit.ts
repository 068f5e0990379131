import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { FAULT_KINDS } from '../../fault/index.ts';
import { faultExamples, faultStep, REFUSED } from './guide-faults.ts';
import { squallHere } from './in-process.ts';

describe('examples of the fault reference', function () {
  this.timeout(60_000);
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-reference-'));
  });
  after(() => rmSync(dir, { recursive: true }));

  it('are one of each kind', () => {
    expect(faultExamples().map(({ kind }) => kind)).to.have.members([...FAULT_KINDS]);
  });

  for (const example of faultExamples()) {
    const refused = REFUSED[example.kind];
    it(`of ${example.kind} ${refused ? 'is refused' : 'can be made'} on ${example.topology}`, async () => {
      const file = join(dir, 'one.scenario.yaml');
      const steps = [{ fault: faultStep(example) }];
      const scenario = { name: 'one', description: 'one fault', topology: example.topology };
      const checks = [{ check: 'no-event', title: 'none', kind: 'invariant', parameters: { event: 'none' } }];
      writeFileSync(file, stringify({ ...scenario, phases: [{ name: 'fault', steps }], checks }));
      const { error } = await squallHere('plan', file);
      if (refused) expect(error?.message).to.match(refused);
      else expect(error?.message).to.equal(undefined);
    });
  }
});
