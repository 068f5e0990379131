import { z } from 'zod';
import type { Finding } from '../../record/index.ts';
import type { CheckDefinition } from '../definition.ts';
import { guardJudgement } from '../guard.ts';

const parameters = z.strictObject({
  /** Node logs that were cut short do no harm by default: what is judged are events. */
  logs: z.enum(['may-be-cut', 'whole']).default('may-be-cut'),
});

/** No event was lost on its way into the record: a count over a stream with gaps is a guess. */
export const logsComplete: CheckDefinition<z.infer<typeof parameters>> = {
  parameters,
  judge({ trials, parameters: { logs } }) {
    const findings: Finding[] = trials.flatMap((trial) => {
      const { lost, truncated } = trial.events;
      const found: Finding[] = [];
      if (lost > 0 || truncated) {
        const observed = lost > 0 ? `${lost} lost` : 'cut short';
        found.push({ subject: 'events', observed, expected: 'none lost', trial: trial.trial });
      }
      for (const node of logs === 'whole' ? trial.nodes : []) {
        if (!node.log?.truncated) continue;
        const observed = `cut short by ${node.log.lostLines} lines`;
        found.push({ subject: `log of ${node.name}`, observed, expected: 'whole', trial: trial.trial });
      }
      return found;
    });
    return guardJudgement(findings, trials.length, 'no event was lost');
  },
};
