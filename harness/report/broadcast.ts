import { describeError } from '../errors/index.ts';
import type { RunObserver } from '../record/index.ts';

/**
 * One observer for many. One that throws is told of once, is not called again, and stops neither the others nor the run.
 * @param onBroken called with what the observer threw
 */
export function broadcast(
  observers: readonly RunObserver[],
  onBroken: (error: string) => void,
): Required<RunObserver> {
  const broken = new Set<RunObserver>();
  const fail = (observer: RunObserver, error: unknown): void => {
    broken.add(observer);
    onBroken(`a reporter threw and is silent from here on: ${describeError(error)}`);
  };
  const tell = (call: (observer: RunObserver) => void): void => {
    for (const observer of observers) {
      if (broken.has(observer)) continue;
      try {
        call(observer);
      } catch (error) {
        fail(observer, error);
      }
    }
  };
  return {
    planned: (plan, alreadyDone) => tell((one) => one.planned?.(plan, alreadyDone)),
    trialStarted: (trial) => tell((one) => one.trialStarted?.(trial)),
    stepped: (trial, text) => tell((one) => one.stepped?.(trial, text)),
    trialFinished: (trial, options) => tell((one) => one.trialFinished?.(trial, options)),
    pointStopped: (pointId, why) => tell((one) => one.pointStopped?.(pointId, why)),
    noted: (text) => tell((one) => one.noted?.(text)),
    judged: (run, runDir) => tell((one) => one.judged?.(run, runDir)),
    async closed() {
      for (const observer of observers) {
        if (broken.has(observer)) continue;
        try {
          await observer.closed?.();
        } catch (error) {
          fail(observer, error);
        }
      }
    },
  };
}
