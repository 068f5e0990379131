import { z } from 'zod';
import type { Finding } from '../../record/index.ts';
import type { CheckDefinition } from '../definition.ts';
import { faultDoubts } from '../doubts.ts';
import { guardJudgement } from '../guard.ts';

const parameters = z.strictObject({
  /** Lower bounds on what the witnesses of the faults of a kind or id counted together, e.g. `{hold: {heldIn: 100}}`. */
  atLeast: z.record(z.string(), z.record(z.string(), z.number())).optional(),
});

/** Every fault was seen by the bed to act, and then to be gone. Without faults there is nothing to doubt. */
export const faultsBit: CheckDefinition<z.infer<typeof parameters>> = {
  parameters,
  judge({ trials, parameters: { atLeast = {} } }) {
    const findings: Finding[] = trials.flatMap((trial) => [
      ...faultDoubts(trial).map((doubt) => ({ ...doubt, trial: trial.trial })),
      ...Object.entries(atLeast).flatMap(([wanted, counts]) =>
        Object.entries(counts).flatMap(([name, minimum]) => {
          const seen = trial.faults
            .filter((fault) => fault.kind === wanted || fault.id === wanted)
            .reduce((sum, fault) => sum + (fault.witness?.counts[name] ?? 0), 0);
          return seen >= minimum
            ? []
            : [
                {
                  subject: `${wanted}.${name}`,
                  observed: String(seen),
                  expected: `at least ${minimum}`,
                  trial: trial.trial,
                },
              ];
        }),
      ),
    ]);
    const faults = trials.reduce((sum, trial) => sum + trial.faults.length, 0);
    return guardJudgement(
      findings,
      trials.length,
      faults === 0 ? 'no fault was applied' : `all ${faults} faults bit and were seen gone`,
    );
  },
};
