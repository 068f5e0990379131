import { describePublished } from '../../test/describe-published.ts';

/** What the document did to its own code, and figures of its settings: nothing here is measured beside them. */
const NOT_OURS = [
  'drop-after-timeouts',
  'drop-after-silence',
  'mutation-cannot-forward',
  'mutation-fixed',
  'proxy-tests',
  'full-suite',
  'full-suite-alone',
  'full-suite-environment',
  'full-suite-base',
];

describePublished('suites/smp', NOT_OURS);
