import type { AgentContext } from './agent-context.ts';
import { failureOf, isHostError, isTemporary } from './agent-error.ts';
import { RetryPauses } from './retry-interval.ts';

/**
 * Does it in the background until it succeeds, with the pauses of message retries, as long as the errors are ones that
 * time may heal.
 * @throws AgentError with an error that it will not · the signal's reason
 */
export async function persist<T>(context: AgentContext, operate: () => Promise<T>): Promise<T> {
  const pauses = new RetryPauses(context.rules.messageRetry);
  for (;;) {
    try {
      const result = await operate();
      context.signal.throwIfAborted();
      return result;
    } catch (error) {
      context.signal.throwIfAborted();
      const failure = failureOf(error);
      if (!isTemporary(failure) && !isHostError(failure)) throw error;
    }
    await context.clock.sleep(pauses.nextMs(), context.signal);
  }
}
