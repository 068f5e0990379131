import { type ProblemPath, suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { Point } from '../record/index.ts';
import { parseDurationMs } from '../units/index.ts';
import { KNOWN_FAULT_KINDS } from './fault-kinds.ts';
import { fillTemplate, placeholdersIn } from './template.ts';
import type { FaultStep, ScenarioSpec, Step } from './types.ts';

/** What a step may be; it is exactly one of them. */
export const STEP_VERBS = ['wait', 'until', 'fault', 'faults', 'lift', 'admin', 'exec', 'do', 'run'] as const;
export type StepVerb = (typeof STEP_VERBS)[number];

/** The verb of a step that has passed `checkSteps`. */
export function stepVerb(step: Step): StepVerb {
  const verb = STEP_VERBS.find((name) => name in step);
  if (!verb) throw new SquallError('step without a verb', { code: 'step-without-verb' });
  return verb;
}

/** The faults that a step applies. */
export function stepFaults(step: Step): readonly FaultStep[] {
  if ('fault' in step) return [step.fault];
  return 'faults' in step ? step.faults : [];
}

/** Reports what is wrong with a scenario's phases, tried at one point. */
export function checkSteps(
  spec: ScenarioSpec,
  point: Point,
  report: (path: ProblemPath, message: string) => void,
): void {
  if (spec.phases.length === 0) report(['phases'], 'no phase: nothing would happen');
  const known = new Set(Object.keys(spec.parameters));
  const ids = new Set<string>();
  for (const [phaseIndex, phase] of spec.phases.entries()) {
    for (const [stepIndex, raw] of phase.steps.entries()) {
      const path: ProblemPath = ['phases', phaseIndex, 'steps', stepIndex];
      if (placeholdersIn(raw).some((name) => !known.has(name))) continue; // Reported once for all phases.
      const step = fillTemplate(raw, spec.parameters, point);
      const verbs = STEP_VERBS.filter((name) => name in step);
      if (verbs.length !== 1) {
        report(path, `a step is one of ${STEP_VERBS.join(', ')}; found ${verbs.join(' and ') || 'none'}`);
        continue;
      }
      const duration = (key: string, text: unknown): void => checkDuration([...path, key], text, report);
      if ('wait' in step) duration('wait', step.wait);
      if ('until' in step) duration('within', step.within);
      for (const fault of stepFaults(step)) checkFault(path, fault, ids, report);
      if ('faults' in step && step.faults.length === 0) report(path, 'the list of faults is empty');
      if ('lift' in step && step.lift !== '*' && !ids.has(step.lift)) {
        report([...path, 'lift'], `no fault "${step.lift}" before it${suggestionFor(step.lift, [...ids])}`);
      }
    }
  }
}

function checkFault(
  path: ProblemPath,
  fault: FaultStep,
  ids: Set<string>,
  report: (path: ProblemPath, message: string) => void,
): void {
  if (!KNOWN_FAULT_KINDS.includes(fault.kind)) {
    report(
      [...path, 'kind'],
      `no fault "${fault.kind}"${suggestionFor(String(fault.kind), KNOWN_FAULT_KINDS)}`,
    );
  }
  if (fault.on === undefined && fault.from === undefined && fault.to === undefined) {
    report(path, `fault ${fault.kind}: no target; expected "on", or "from" and "to"`);
  }
  if (fault.for !== undefined) checkDuration([...path, 'for'], fault.for, report);
  const id = fault.id ?? fault.kind;
  if (fault.id !== undefined && ids.has(id)) report([...path, 'id'], `a second fault with the id "${id}"`);
  ids.add(id);
}

function checkDuration(
  path: ProblemPath,
  text: unknown,
  report: (path: ProblemPath, message: string) => void,
): void {
  try {
    parseDurationMs(String(text));
  } catch (error) {
    if (!(error instanceof SquallError)) throw error;
    report(path, `${error.message}. ${error.hint ?? ''}`.trim());
  }
}
