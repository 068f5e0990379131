/**
 * session-client: the client under test, and what a suite needs to know about it beforehand.
 *
 *   accountId(seed, label) ─▶ the 66 digits that an account of a client has on the wire
 *   RULES                  ─▶ the switches; rules.json says what each is, in the documents' words, and its mutant
 *
 * Labels: `client-1/2/1` is the first account of the second client of the node client-1; a shared account's is its name.
 * The client itself is the image of this folder (`image.json`, `main.ts`). Not here: storage nodes (images/session-storage),
 * the registry (images/session-registry), what they speak (images/session-kit), scenarios (suites/session).
 */
export { accountId } from './client-account.ts';
export { RULES, type RuleName } from './client-rules.ts';
