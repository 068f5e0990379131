/** Proxies that answer as a script says: what chance would seldom line up, made to happen at the second that is wanted. */

import type { TrialContext } from '../../harness/index.ts';
import { askNode } from '../../harness/index.ts';

/** One answer, given to the next request of its command; see images/smp-server/README.md, "Scripted answers". */
export interface ScriptedAnswer {
  readonly command: 'PRXY' | 'PFWD';
  /** In place of what came of it; the request is then not passed on. Absent: what really came of it. */
  readonly error?: string;
  /** How much later it is given, unwarped. */
  readonly delayMs?: number;
}

/** What a proxy says of a relay that does not answer. */
export const TIMEOUT = 'PROXY BROKER TIMEOUT';

/** More than the attempts of any watch, 2 s apart at the least. */
export const ERRORS_THROUGHOUT: readonly ScriptedAnswer[] = Array.from({ length: 500 }, () => ({
  command: 'PFWD',
  error: TIMEOUT,
}));

/** These answers are given in this order, and after them the proxy is itself again. */
export async function script(
  trial: TrialContext,
  proxy: string,
  answers: readonly ScriptedAnswer[],
): Promise<void> {
  await askNode(trial, proxy, 'POST', '/answers', { answers });
}
