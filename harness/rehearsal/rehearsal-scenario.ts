import { suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type {
  CheckSpec,
  ComparedMeasure,
  ComparisonSpec,
  MeasureSpec,
  ParameterValue,
} from '../record/index.ts';
import { fillOverrides, type ResolvedScenario, readParameter } from '../scenario/index.ts';
import { levelPerLook } from '../stats/index.ts';
import type { RehearsalSpec, TopologyOverrides } from '../topology/index.ts';
import {
  ROLLING_MARGIN_S,
  ROLLING_MEASURE,
  ROLLING_MEASURES,
  type RollingUpgrade,
  rollingPhases,
} from './rolling-phases.ts';
import { SIDE, type Sides } from './sides.ts';

/**
 * The scenario of one wave as a comparison: a point for each side, the same seeds in all, a fresh bed for every wave, and
 * the margins of the topology. What the scenario compares, publishes and designates by itself is left out.
 * @param topology the topology's file, in place of the scenario's own
 * @param rolling who is upgraded and rolled back in further phases, before the last, which counts; nobody when absent
 * @throws SquallError `bad-rehearsal`, `bad-parameter` (input)
 */
export function rehearsalScenario(
  base: ResolvedScenario,
  spec: RehearsalSpec,
  sides: Sides,
  topology: string,
  rolling?: RollingUpgrade,
): ResolvedScenario {
  requireMeasures(base, spec);
  requireSizes(base, spec);
  if (SIDE in base.parameters) {
    throw new SquallError(
      `scenario ${base.name}: has a parameter "${SIDE}", which a rehearsal needs itself.`,
      {
        code: 'bad-rehearsal',
        blame: 'input',
      },
    );
  }
  const all = [sides.baseline, ...sides.candidates];
  const { expect: _e, aggregates: _a, kills: _k, gate: _g, published: _p, warp: _w, ...rest } = base;
  const imageOf = new Map(all.map(({ label, image }) => [label, image]));
  return {
    ...rest,
    seedAs: base.seedAs ?? base.name,
    topology,
    bed: 'fresh',
    trials: spec.mostWaves,
    parameters: {
      ...withDefaults(base, spec),
      [SIDE]: {
        type: 'choice',
        description: 'the image that this wave is about',
        default: sides.baseline.label,
        choices: all.map(({ label }) => label),
        side: true,
      },
    },
    grids: { rehearsal: { description: 'each side', axes: { [SIDE]: all.map(({ label }) => label) } } },
    defaultGrid: 'rehearsal',
    plots: (base.plots ?? []).map((plot) => ({ ...plot, series: SIDE })),
    checks: [...base.checks, ...lossChecks(base, spec)],
    ...(rolling && {
      phases: [...base.phases.slice(0, -1), ...rollingPhases(rolling), ...base.phases.slice(-1)],
      measure: [...base.measure, ROLLING_MEASURE],
      measures: [...base.measures, ...ROLLING_MEASURES],
    }),
    comparisons: sides.candidates.map((candidate) =>
      comparison(spec, sides, candidate.label, rolling ? ROLLING_MEASURES : []),
    ),
    overrides: (point) =>
      withImages(fillOverrides(base, point), spec, imageOf.get(String(point[SIDE])) ?? '', sides),
  };
}

/** What is lost fails a wave of either side: the comparison itself looks at the candidate's alone. */
function lossChecks({ checks, measures }: ResolvedScenario, { noLoss }: RehearsalSpec): readonly CheckSpec[] {
  const isChecked = (measure: string): boolean =>
    checks.some(
      ({ check, kind, where, parameters }) =>
        check === 'measure-bound' &&
        kind === 'invariant' &&
        where === undefined &&
        parameters['measure'] === measure &&
        parameters['op'] === '=' &&
        parameters['value'] === 0,
    );
  return noLoss
    .filter((measure) => !isChecked(measure))
    .map((measure) => ({
      check: 'measure-bound',
      title: `nothing is lost: ${measures.find(({ name }) => name === measure)?.title ?? measure}`,
      kind: 'invariant',
      parameters: { measure, op: '=', value: 0 },
      reason: 'The topology’s noLoss: above 0 in any wave, of either side, is a failure.',
    }));
}

/** Each side runs its own image in the candidate's roles, and all of them the baseline's in the others. */
function withImages(
  overrides: TopologyOverrides,
  spec: RehearsalSpec,
  image: string,
  { baseline }: Sides,
): TopologyOverrides {
  return {
    ...overrides,
    images: {
      ...overrides.images,
      ...Object.fromEntries(spec.baseline.map((role) => [role, baseline.image])),
      ...Object.fromEntries(spec.candidate.map((role) => [role, image])),
    },
  };
}

function comparison(
  spec: RehearsalSpec,
  { baseline }: Sides,
  candidate: string,
  more: readonly MeasureSpec[],
): ComparisonSpec {
  // The interval is as wide as all the looks together ask for, so that looking often does not make an answer likelier.
  const level = levelPerLook(0.95, spec.looks);
  return {
    title: `${candidate} against ${baseline.label}`,
    parameter: SIDE,
    baseline: baseline.label,
    candidate,
    primary: { ...compared(spec.primary), level },
    ...(spec.noMore && { noMore: spec.noMore.map((one) => ({ ...compared(one), level })) }),
    secondary: [
      ...spec.secondary.map(compared),
      ...more.map(({ name }) => ({ measure: name, better: 'lower' as const, margin: ROLLING_MARGIN_S })),
    ],
    noLoss: spec.noLoss,
  };
}

function compared({
  measure,
  better,
  margin,
  statistic,
  openAs,
  reason,
}: RehearsalSpec['primary']): ComparedMeasure {
  return {
    measure,
    better,
    margin,
    ...(statistic !== undefined && { statistic }),
    ...(openAs !== undefined && { openAs }),
    ...(reason !== undefined && { reason }),
  };
}

function withDefaults(base: ResolvedScenario, { set }: RehearsalSpec): ResolvedScenario['parameters'] {
  const given = Object.entries(set).map(([name, raw]) => {
    const parameter = base.parameters[name];
    if (!parameter) {
      throw new SquallError(
        `rehearsal: scenario ${base.name} has no parameter "${name}"${suggestionFor(name, Object.keys(base.parameters))}.`,
        { code: 'bad-parameter', blame: 'input' },
      );
    }
    readParameter(name, parameter, raw);
    return [name, { ...parameter, default: raw satisfies ParameterValue }] as const;
  });
  return { ...base.parameters, ...Object.fromEntries(given) };
}

function requireSizes({ name, parameters }: ResolvedScenario, { shrinkTo = {} }: RehearsalSpec): void {
  for (const size of Object.keys(shrinkTo)) {
    if (parameters[size]?.type === 'integer') continue;
    throw new SquallError(
      `rehearsal: shrinkTo: scenario ${name} has no whole-number parameter "${size}"${suggestionFor(size, Object.keys(parameters))}.`,
      { code: 'bad-parameter', blame: 'input' },
    );
  }
}

/** A misspelt measure would be compared with nothing, wave after wave. */
function requireMeasures(base: ResolvedScenario, spec: RehearsalSpec): void {
  const known = base.measures.map(({ name }) => name);
  const named = [spec.primary, ...(spec.noMore ?? []), ...spec.secondary]
    .flatMap(({ measure, openAs }) => (openAs === undefined ? [measure] : [measure, openAs]))
    .concat(spec.noLoss);
  const unknown = named.filter((measure) => !known.includes(measure));
  if (unknown.length === 0) return;
  throw new SquallError(
    `rehearsal: scenario ${base.name} has no measure ${unknown.map((one) => `"${one}"${suggestionFor(one, known)}`).join(', ')}.`,
    { code: 'bad-rehearsal', blame: 'input', hint: `It has ${known.join(', ') || 'none'}.` },
  );
}
