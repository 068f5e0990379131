import type { RunObserver } from '../record/index.ts';

/** Lines on standard error, until the report room's console is joined. */
export function consoleObserver(): RunObserver {
  const say = (text: string): void => void process.stderr.write(`${text}\n`);
  return {
    planned: (plan, done) => say(`run ${plan.runId}: seed ${plan.seed}, ${done} trials done already`),
    trialStarted: (trial) => say(`${trial.pointId} trial ${trial.trial} on ${trial.bedId}`),
    stepped: (trial, text) => say(`  ${trial ? `${trial.pointId} ${trial.trial}: ` : ''}${text}`),
    trialFinished: (trial, { willRepeat }) =>
      say(
        `${trial.pointId} trial ${trial.trial}: ${trial.outcome} ${trial.reasons.join('; ')}${willRepeat ? ' (repeated)' : ''} ${JSON.stringify(trial.measures)}`,
      ),
    pointStopped: (id, why) => say(`${id}: stopped, ${why}`),
    noted: (text) => say(text),
    judged: (run, dir) => say(`${dir}: ${run.verdict} (${run.exitCode})`),
  };
}
