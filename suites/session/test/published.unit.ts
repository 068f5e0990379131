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

/** Of rows that are not written yet. */
const NOT_YET = ['strike-threshold', 'edge-duration'];

describePublished('suites/session', [...NOT_OURS, ...NOT_YET]);
