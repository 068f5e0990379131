import { z } from 'zod';
import type { Finding } from '../../record/index.ts';
import type { CheckDefinition } from '../definition.ts';
import { guardJudgement } from '../guard.ts';

const parameters = z.strictObject({});

/** After each trial nothing of a fault was left, and every node was running or its end was expected. */
export const bedClean: CheckDefinition<z.infer<typeof parameters>> = {
  parameters,
  judge({ trials }) {
    const findings: Finding[] = trials.flatMap((trial) => [
      ...(trial.cleanAfter
        ? []
        : [{ subject: `bed ${trial.bed.id}`, observed: 'not clean', expected: 'clean', trial: trial.trial }]),
      ...trial.nodes.flatMap((node) =>
        node.exit && !node.exit.expected
          ? [
              {
                subject: `node ${node.name}`,
                observed: describeExit(node.exit),
                expected: 'running to the end of the trial',
                atNs: node.exit.atNs,
                trial: trial.trial,
              },
            ]
          : [],
      ),
    ]);
    return guardJudgement(findings, trials.length, 'the bed was clean afterwards');
  },
};

/** 137 alone says only SIGKILL: whether it was memory is the engine's flag to tell. */
function describeExit(exit: { readonly code: number; readonly oomKilled: boolean }): string {
  if (exit.oomKilled) return `ended by the kernel for want of memory (code ${exit.code})`;
  if (exit.code === 137) return 'killed by SIGKILL, cause unknown (code 137, not marked as out of memory)';
  return `ended unexpectedly with code ${exit.code}`;
}
