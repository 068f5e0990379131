import list from '../../../images/fetch-node/rules.json' with { type: 'json' };
import { describeSuiteRules } from '../../test/describe-suite-rules.ts';
import { VARIANTS } from '../holders/points.ts';

describeSuiteRules('suites/ant', {
  images: ['fetch-node'],
  mutants: list.map(({ mutant }) => mutant),
  variants: { image: 'fetch-node', names: [...VARIANTS, 'forgetful'] },
});
