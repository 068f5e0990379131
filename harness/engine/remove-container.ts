import type Dockerode from 'dockerode';
import { SquallError } from '../errors/index.ts';
import { type CallOptions, call, DEADLINE_MS } from './call.ts';
import { hasCode } from './engine-errors.ts';

/** How long a removal is waited for, in ms. */
export interface RemovalPatience {
  /** For the answer to one request; then the container is looked at and asked for again. */
  readonly answerMs: number;
  /** For a wait on another's removal; then the container is looked at. */
  readonly lookAgainMs: number;
  /** For the whole. */
  readonly wholeMs: number;
  /** See `CallOptions`. */
  readonly startDeadline?: (deadlineMs: number) => AbortSignal;
}

export const REMOVAL_PATIENCE: RemovalPatience = {
  answerMs: 15_000,
  lookAgainMs: 1_000,
  wholeMs: DEADLINE_MS.act,
};

/** What became of one request of a removal. */
type Answer = 'gone' | 'another removes it' | 'it ended meanwhile' | 'no answer';

/**
 * Removes a container by force, with its volumes, and returns when it is not there any more, whoever removed it.
 *
 * No answer is believed in alone. A removal that somebody else began is waited for and looked at: an engine that is asked
 * to wait at the instant at which the removal ends never answers (moby renews the channel that it closes, so that whoever
 * comes a moment later waits for the next removal, of which there is none), and a removal that failed is no end. An answer that does not
 * come is not waited for to the end either, since asking again is harmless. A container that ends by itself while the engine
 * is about to kill it is refused once (engine 20.10), and removed when it has ended.
 * @throws SquallError `engine-timeout` when it is still there after all that, and what the engine refuses
 */
export async function removeContainer(
  container: Dockerode.Container,
  id: string,
  patience: RemovalPatience,
): Promise<void> {
  const giveUpAt = performance.now() + patience.wholeMs;
  let refusals = 0;
  for (;;) {
    const answer = await removeOnce(container, id, patience, refusals);
    if (answer === 'gone') return;
    if (answer === 'it ended meanwhile') {
      refusals += 1;
      await wait(container, id, 'not-running', { ...patience, deadlineMs: patience.answerMs });
    }
    if (answer === 'another removes it' && (await removedByAnother(container, id, patience, giveUpAt)))
      return;
    if (answer === 'no answer' && (await isGone(container, id, patience))) return;
    if (performance.now() < giveUpAt) continue;
    throw new SquallError(
      `container ${id}, remove: it is still there; expected it gone within ${patience.wholeMs} ms`,
      {
        code: 'engine-timeout',
        facts: { lastAnswer: answer },
        hint: 'Look at the engine with `squall doctor`.',
      },
    );
  }
}

async function removeOnce(
  container: Dockerode.Container,
  id: string,
  { answerMs, startDeadline }: RemovalPatience,
  refusals: number,
): Promise<Answer> {
  try {
    await call(`container ${id}, remove`, { deadlineMs: answerMs, startDeadline }, (abortSignal) =>
      container.remove({ force: true, v: true, abortSignal }),
    );
    return 'gone';
  } catch (error) {
    if (hasCode(error, 'container-not-found')) return 'gone';
    if (hasCode(error, 'removal-in-progress')) return 'another removes it';
    if (hasCode(error, 'container-not-running') && refusals === 0) return 'it ended meanwhile';
    if (hasCode(error, 'engine-timeout')) return 'no answer';
    throw error;
  }
}

/** True once it is gone; false when the other's removal ended without that, or took too long. */
async function removedByAnother(
  container: Dockerode.Container,
  id: string,
  patience: RemovalPatience,
  giveUpAt: number,
): Promise<boolean> {
  for (;;) {
    const ended = await wait(container, id, 'removed', {
      ...patience,
      deadlineMs: patience.lookAgainMs,
    });
    if (await isGone(container, id, patience)) return true;
    if (ended || performance.now() > giveUpAt) return false;
  }
}

/** False when the wait was cut short. */
async function wait(
  container: Dockerode.Container,
  id: string,
  condition: 'removed' | 'not-running',
  { deadlineMs, startDeadline }: CallOptions,
): Promise<boolean> {
  try {
    await call(`container ${id}, wait`, { deadlineMs, startDeadline }, (abortSignal) =>
      container.wait({ condition, abortSignal }),
    );
    return true;
  } catch (error) {
    if (hasCode(error, 'container-not-found')) return true;
    if (hasCode(error, 'engine-timeout')) return false;
    throw error;
  }
}

async function isGone(
  container: Dockerode.Container,
  id: string,
  { answerMs, startDeadline }: RemovalPatience,
): Promise<boolean> {
  try {
    await call(`container ${id}`, { deadlineMs: answerMs, startDeadline }, (abortSignal) =>
      container.inspect({ abortSignal }),
    );
    return false;
  } catch (error) {
    if (hasCode(error, 'container-not-found')) return true;
    if (hasCode(error, 'engine-timeout')) return false;
    throw error;
  }
}
