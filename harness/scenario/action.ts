import { suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import { processWide } from '../record/index.ts';
import type { TrialContext } from './types.ts';

/**
 * Something that a suite does in code, under a name by which documents call it: `do: {action: smp.joins}`. It throws where
 * it could not be done, and the trial is then an error.
 */
export type TrialAction = (
  trial: TrialContext,
  parameters: Readonly<Record<string, unknown>>,
) => Promise<void>;

const actions = processWide<TrialAction>('actions');

/**
 * Registers an action for the `do` of scenarios, incidents and explorations.
 * @throws SquallError `action-clash` (input) when the name is taken by different code
 */
export function registerAction(name: string, action: TrialAction): void {
  const known = actions.get(name);
  if (known && known.toString() !== action.toString()) {
    throw new SquallError(`action "${name}": registered twice; expected one meaning a name`, {
      code: 'action-clash',
      blame: 'input',
      hint: 'Rename one of the two.',
    });
  }
  actions.set(name, action);
}

/** @throws SquallError `unknown-action` (input) */
export function requireAction(name: string): TrialAction {
  const action = actions.get(name);
  if (action) return action;
  const known = [...actions.keys()].sort();
  throw new SquallError(`action "${name}": not registered${suggestionFor(name, known)}`, {
    code: 'unknown-action',
    blame: 'input',
    facts: { known },
    hint: 'Name the suite that registers it under "uses".',
  });
}
