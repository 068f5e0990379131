import { describePublished } from '../../test/describe-published.ts';

/** What the documents did to their own code, and figures of settings: nothing here is measured beside them. */
const NOT_OURS = [
  'cases-proposal',
  'cases-second',
  'cases-final',
  'strike-test-before',
  'echo-version',
  'min-cache-size',
];

describePublished('suites/session', NOT_OURS);
