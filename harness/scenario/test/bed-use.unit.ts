import { expect } from 'chai';
import { bedUseOf } from '../bed-use.ts';
import type { ResolvedScenario } from '../resolve-scenario.ts';

const scenario = (bed: string) =>
  ({
    name: 'sample',
    bed,
    parameters: { beds: { type: 'text', description: 'which', default: 'reuse' } },
  }) as unknown as ResolvedScenario;

describe('whether the trials of a point share a bed', () => {
  it('is said by the scenario, or by the parameter that it names', () => {
    expect(bedUseOf(scenario('fresh'), {})).to.equal('fresh');
    expect(bedUseOf(scenario('${beds}'), { beds: 'fresh' })).to.equal('fresh');
    expect(bedUseOf(scenario('${beds}'), { beds: 'reuse' })).to.equal('reuse');
  });

  it('is refused when it is neither', () => {
    expect(() => bedUseOf(scenario('${beds}'), { beds: 'rented' })).to.throw(
      'sample: bed is "rented" at this point; expected reuse or fresh.',
    );
  });
});
