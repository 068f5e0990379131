import { SquallError } from '../errors/index.ts';
import { type EventConditionMatcher, matchesEvent, type RecordedEvent } from '../record/index.ts';
import type { Condition } from './types.ts';

/** A node that was still to be heard ended by itself: waiting on would only cost time. */
export const AWAITED_NODE_ENDED = 'awaited-node-ended';

/**
 * The matcher of a condition that each of the nodes must fulfil, which gives up as soon as one that has not yet fulfilled it
 * ends without anybody having asked for it. Other conditions stay as they are: somebody else may fulfil them.
 * @throws SquallError `awaited-node-ended` from `accepts`, with the node's exit code and its cause
 */
export function untilEnded(
  matcher: EventConditionMatcher,
  condition: Condition,
  nodes: readonly string[],
): EventConditionMatcher {
  if ('predicate' in condition || condition.count !== 'all') return matcher;
  const missing = new Set(nodes);
  return {
    ...matcher,
    accepts(event: RecordedEvent): boolean {
      if (missing.has(event.node)) {
        if (matchesEvent(event, condition)) missing.delete(event.node);
        else if (event.event === 'node.exited' && event.fields['expected'] === false) {
          const { code, cause } = event.fields;
          throw new SquallError(
            `${matcher.what}: ${event.node} ended with code ${String(code)} (${String(cause)}) before it came; expected it to live until then; ${matcher.progress()}.`,
            {
              code: AWAITED_NODE_ENDED,
              facts: { node: event.node, code, cause },
              hint: `Its last lines are in its log: \`squall logs ${event.node}\`, or logs/ of the trial.`,
            },
          );
        }
      }
      return matcher.accepts(event);
    },
  };
}
