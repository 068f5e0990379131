/** The suite's variants, mutants and the lists that several rows share, in one place. */

/** The old agent, the new one, and what answers the open questions; image.json of the agent says how. */
export const VARIANTS = ['master', 'repick', 'repick-exclude', 'repick-expiry', 'repick-client-timeouts'];

/** Before and after. */
export const BOTH = ['master', 'repick'];

/** The new agent, with whichever option. */
export const NEW = VARIANTS.filter((variant) => variant !== 'master');

/** `repick` with one piece switched off each. */
export const MUTANTS = [
  'repick-without-forget-on-connect-failure',
  'repick-without-ignore-waiter-timeout',
  'repick-without-forget-on-streak',
  'repick-without-clear-on-success',
  'repick-without-clear-on-relay-error',
  'repick-without-clear-on-protocol-error',
  'repick-without-guard-failure',
  'repick-without-guard-success',
  'repick-without-guard-disconnect',
  'repick-without-guard-prxy',
  'repick-without-remove-dead-session',
  'repick-without-retry-records-no-choice',
  'repick-without-keep-on-host-error',
];

/** Checks of the new agent are judged at its mutants as well, when one is run by hand. */
export const NEW_AND_MUTANTS = [...NEW, ...MUTANTS];
