import type { ClientRules } from './client-rules.ts';

/** Who is to blame for a failed request over a path. */
export interface Blame {
  /** A node that the error names: it is known to be gone, or not ready. */
  readonly named?: { readonly node: string; readonly permanent: boolean };
  readonly destination?: { readonly permanent: boolean };
  readonly edge?: true;
  readonly path?: true;
}

const NOBODY: Blame = {};

/** What relays say in plain text, with or without the status's own words in front. */
const UNREACHABLE = /(?:Next node not found|Next node is currently unreachable): ([0-9a-f]{64})/i;
const NOT_READY = /Snode not ready: ([0-9a-f]{64})/i;

/**
 * Blames for a status that is no success. A status that is not listed says nothing about the path.
 * @param destination the Ed25519 key of the node that the request was for
 */
export function blameFor(
  rules: Pick<ClientRules, 'unlistedStatusSparesPath'>,
  answer: { readonly status: number; readonly timeout: boolean; readonly message: string },
  destination: string,
): Blame {
  const { status, timeout, message } = answer;
  if (timeout) return { path: true };
  if (status === 502) {
    const gone = UNREACHABLE.exec(message)?.[1]?.toLowerCase();
    if (gone === destination) return { destination: { permanent: true } };
    // The path as well, so that nobody on it can shape it by naming others.
    if (gone !== undefined) return { named: { node: gone, permanent: true }, path: true };
    if (message.includes('oxend returned unparsable data')) return { destination: { permanent: true } };
  }
  if (status === 503) {
    const notReady = NOT_READY.exec(message)?.[1]?.toLowerCase();
    if (notReady !== undefined) return { named: { node: notReady, permanent: false } };
    if (/Service node is not ready|Server busy/.test(message)) return { edge: true };
  }
  if (status === 504) return { path: true };
  if (status === 500 && message.includes('Invalid response from snode')) return { path: true };
  return rules.unlistedStatusSparesPath ? NOBODY : { path: true };
}
