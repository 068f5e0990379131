import { z } from 'zod';
import type { Finding } from '../../record/index.ts';
import { formatQuantity } from '../bound.ts';
import type { CheckDefinition } from '../definition.ts';
import { hostDoubts } from '../doubts.ts';
import { guardJudgement } from '../guard.ts';

const parameters = z.strictObject({});

/** The host was watched in every counted trial and stayed within the thresholds fixed beforehand. */
export const hostQuiet: CheckDefinition<z.infer<typeof parameters>> = {
  parameters,
  judge({ trials }) {
    const findings: Finding[] = trials.flatMap((trial) => {
      const exceeded = trial.host.measures
        .filter((measure) => measure.exceeded)
        .map((measure) => ({
          subject: `host ${measure.name}`,
          observed: formatQuantity(measure.value, measure.unit),
          expected: `at most ${formatQuantity(measure.threshold ?? Number.NaN, measure.unit)}`,
          trial: trial.trial,
        }));
      return exceeded.length > 0 ? exceeded : hostDoubts(trial);
    });
    return guardJudgement(findings, trials.length, 'the host was quiet');
  },
};
