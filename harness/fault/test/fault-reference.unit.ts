import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FAULT_KINDS, FAULT_REFERENCE, faultSettings } from '../index.ts';
import { renderFaultReference } from '../reference/render-reference.ts';

describe('the fault reference', () => {
  it('stands in docs/faults.md as the table has it now', () => {
    const page = readFileSync(join(import.meta.dirname, '../../../docs/faults.md'), 'utf8');
    expect(page.endsWith(renderFaultReference())).to.equal(true);
  });

  it('is as long as the guides say', () => {
    for (const guide of ['README.md', 'docs/own-fault.md']) {
      const text = readFileSync(join(import.meta.dirname, '../../..', guide), 'utf8');
      const [, count] = /the (\d+) (?:kinds|faults) with/.exec(text) ?? [];
      expect(Number(count), guide).to.equal(FAULT_KINDS.length);
    }
  });

  for (const kind of FAULT_KINDS) {
    it(`has defaults for ${kind} that are themselves valid, and an example of that kind`, () => {
      const { settings, example } = FAULT_REFERENCE[kind];
      const given = Object.fromEntries(
        Object.entries(settings)
          .filter(([, setting]) => setting.default === undefined)
          .map(([name, { unit }]) => [
            name,
            unit === 'text' ? 'node-1' : /Bytes|PerSecond/i.test(name) ? '64MiB' : 1,
          ]),
      );
      expect(() => faultSettings(kind, given)).to.not.throw();
      expect(example.startsWith(`squall fault ${kind} `)).to.equal(true);
    });
  }
});
