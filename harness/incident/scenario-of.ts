import type { CheckSpec } from '../record/index.ts';
import type { FaultStep, ParameterSpec, ScenarioSpec, Step } from '../scenario/index.ts';
import { fillTemplate } from '../scenario/index.ts';
import { faultId } from './compress-pauses.ts';
import type { SymptomSpec } from './incident-schema.ts';
import type { Happening, Incident, IncidentCase } from './types.ts';
import { parameterOf } from './unknowns.ts';

/**
 * One way in which an incident may have been, as a scenario: warm-up, its timeline, and the time that is watched. What a
 * fix changes are its parameters, before and after as sides; with a fix it must fail before and pass after.
 */
export function scenarioOf(
  incident: Incident,
  one: IncidentCase,
  how: { readonly name: string; readonly description?: string },
): ScenarioSpec {
  const fixes = Object.entries(incident.fix);
  const before = Object.fromEntries(fixes.map(([name, { before: value }]) => [name, value]));
  const after = Object.fromEntries(fixes.map(([name, { after: value }]) => [name, value]));
  const symptoms = incident.symptoms.map(checkOf);
  return {
    name: how.name,
    description: how.description ?? incident.description,
    topology: incident.topology,
    ...(incident.uses && { uses: incident.uses }),
    parameters: Object.fromEntries(fixes.map(([name, spec]) => [name, fixParameter(spec)])),
    overrides: overridesOf(incident, one) as NonNullable<ScenarioSpec['overrides']>,
    grids: {
      default: {
        description: fixes.length > 0 ? 'before and after the fix' : 'as it was',
        axes: {},
        points: fixes.length > 0 ? [before, after] : [],
      },
    },
    defaultGrid: 'default',
    trials: 1,
    bed: 'reuse',
    phases: [
      ...(incident.warmUp.length > 0 ? [{ name: 'warm-up', steps: incident.warmUp }] : []),
      { name: 'fault', steps: stepsOf(one.happenings) },
      { name: 'recovery', steps: [{ name: 'watched', wait: duration(one.watchMs) }] },
      ...(incident.settle.length > 0 ? [{ name: 'settle', steps: incident.settle }] : []),
    ],
    measure: incident.measure,
    measures: [],
    checks: [...symptoms, ...incident.held.map(checkOf)],
    ...(fixes.length > 0 && {
      expect: symptoms.map(({ title }) => ({
        where: before,
        check: title,
        outcome: 'fail' as const,
        reason: 'The incident shows here.',
      })),
    }),
  };
}

/** A symptom as a check: one violation is enough, since it was seen once. */
export function checkOf({ title, check, parameters, reason }: SymptomSpec): CheckSpec {
  return { title, check, kind: 'invariant', parameters, ...(reason !== undefined && { reason }) };
}

type FixSpec = Incident['fix'][string];

/** Numbers stay numbers: a count takes nothing else. */
function fixParameter({ before, after }: FixSpec): ParameterSpec {
  const shared = { description: `before the fix (${before}) or after it (${after})`, side: true };
  if (typeof before === 'string') {
    return { ...shared, type: 'choice', default: before, choices: [before, String(after)] };
  }
  return { ...shared, type: typeof before === 'number' ? 'number' : 'boolean', default: before };
}

/** The incident's own overrides with the unknowns filled in, what a fix changes left as placeholders, and the case's counts. */
function overridesOf(incident: Incident, one: IncidentCase) {
  const names = Object.keys(incident.fix);
  const parameters = {
    ...Object.fromEntries(Object.entries(incident.unknown).map(([name, spec]) => [name, parameterOf(spec)])),
    ...Object.fromEntries(
      names.map((name) => [name, { type: 'text', description: '', default: '' } satisfies ParameterSpec]),
    ),
  };
  const kept = Object.fromEntries(names.map((name) => [name, `\${${name}}`]));
  const filled = fillTemplate(incident.overrides, parameters, { ...one.values, ...kept });
  const counts = { ...filled.counts, ...one.counts };
  return { ...filled, ...(Object.keys(counts).length > 0 && { counts }) };
}

/** Waits and actions in the order of time. Faults of one moment bite at one instant; none holds up what comes after it. */
function stepsOf(happenings: readonly Happening[]): Step[] {
  const sorted = [...happenings].sort((a, b) => a.atMs - b.atMs);
  const absent = sorted.filter(({ action }) => action.verb === 'join');
  const steps: Step[] = absent.map((one) => ({
    name: `${one.id}: absent until it joins`,
    fault: { kind: 'stop', id: faultId(one), on: (one.action as { on: string }).on },
    background: true,
  }));
  let nowMs = 0;
  for (const atMs of new Set(sorted.map((one) => one.atMs))) {
    if (atMs > nowMs) steps.push({ wait: duration(atMs - nowMs) });
    nowMs = atMs;
    const now = sorted.filter((one) => one.atMs === atMs);
    const faults = now.filter(({ action }) => action.verb === 'fault');
    const [only] = faults;
    const name = faults.map(({ id, origin }) => `${id} (${origin})`).join(', ');
    if (faults.length > 1) steps.push({ name, faults: faults.map(faultStep), background: true });
    else if (only) steps.push({ name, fault: faultStep(only), background: true });
    steps.push(...now.flatMap(otherStep));
  }
  const endMs = Math.max(nowMs, ...sorted.map((one) => one.atMs + (lengthOf(one) ?? 0)));
  if (endMs > nowMs) steps.push({ name: 'until the last fault is over', wait: duration(endMs - nowMs) });
  return steps;
}

function faultStep(one: Happening): FaultStep {
  const { fault, forMs } = one.action as Extract<Happening['action'], { verb: 'fault' }>;
  return { ...fault, id: faultId(one), ...(forMs !== undefined && { for: duration(forMs) }) };
}

function otherStep(one: Happening): Step[] {
  const { action, id, origin } = one;
  const name = `${id} (${origin})`;
  if (action.verb === 'lift') return [{ name, lift: action.id }];
  if (action.verb === 'join') return [{ name, lift: faultId(one) }];
  if (action.verb === 'admin') return [{ name, admin: action.admin }];
  if (action.verb === 'do') return [{ name, do: action.do }];
  return action.verb === 'exec' ? [{ name, exec: action.exec }] : [];
}

export function lengthOf({ action }: Happening): number | undefined {
  return action.verb === 'fault' ? action.forMs : undefined;
}

function duration(ms: number): string {
  const whole = Math.round(ms);
  return whole % 1_000 === 0 ? `${whole / 1_000}s` : `${whole}ms`;
}
