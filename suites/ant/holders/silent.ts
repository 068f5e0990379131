/** One holder that answers nothing: what noticing its silence costs, at the document's point and over a grid. */
import type { CheckSpec, ScenarioSpec, Step } from '../../../harness/index.ts';
import { published } from '../published.ts';
import { guards } from './guards.ts';
import { formulaTimeouts, holderMeasureSpecs, silenceMeasureSpecs } from './measures.ts';
import {
  keysParameter,
  NO_SILENCE,
  slotsParameter,
  stageOf,
  timeoutParameter,
  variantParameter,
} from './points.ts';
import { queueDrained, summarized, wanted } from './steps.ts';

const COMPARED = ['share', 'before', NO_SILENCE];

const gateClosed: Step = {
  name: 'the holder answers nothing',
  admin: { on: 'holder', method: 'POST', path: '/gate', body: { open: false } },
};

const byFormula: CheckSpec = {
  check: 'measure-bound',
  title: 'the queue drains in as many timeouts as the formula says',
  kind: 'invariant',
  parameters: { measure: 'pastFormulaTimeouts', op: '=', value: 0 },
  reason:
    'T × (1 + ceil((N − 2) / C)) with the change, T × ceil(N / C) before it, T × ceil(N / 2) with a limit that knows no silence; what starts at one timeout ends at the next.',
};

const shared = {
  topology: 'ant-rules',
  overrides: (point) => stageOf(point, { holders: 1, holder: {} }),
  bed: 'reuse',
  phases: [{ name: 'fetch', steps: [gateClosed, wanted('holder-1'), queueDrained, summarized] }],
  measure: ['ant.holder', 'ant.silence'],
  measures: [...silenceMeasureSpecs, ...holderMeasureSpecs],
} satisfies Partial<ScenarioSpec>;

export const silentHolder: ScenarioSpec = {
  ...shared,
  name: 'silent-holder',
  description:
    'Sixteen keys that only a holder has which answers nothing, eight slots, a fetch timeout of 5 s: how long until the queue is empty.',
  parameters: {
    variant: variantParameter,
    keys: keysParameter(16),
    slots: slotsParameter,
    timeout: timeoutParameter('5s'),
  },
  grids: {
    document: {
      description: 'the change, the release, and a limit that knows no silence',
      axes: { variant: COMPARED },
    },
  },
  defaultGrid: 'document',
  trials: 3,
  plots: [{ title: 'Not yet drained', kind: 'survival', y: 'drainedS', series: 'variant' }],
  checks: [
    byFormula,
    {
      check: 'measure-bound',
      title: 'the share is passed once the holder counts as silent',
      kind: 'invariant',
      parameters: { measure: 'mostInFlight', op: '=', value: 8 },
      where: { variant: 'share', keys: 16, slots: 8 },
      reason: 'Silent sources are fetched from past the limit, within the slots.',
    },
    ...guards,
  ],
  aggregates: [
    beside('share', 'the change', ['silent-share']),
    {
      ...beside('share', 'the change, in timeouts', ['silent-timeouts']),
      measure: 'timeoutsTaken',
      unit: 'timeouts',
    },
    beside('before', 'before it', ['silent-before']),
    beside(NO_SILENCE, 'a limit that knows no silence', ['silent-no-handling']),
  ],
  published: published('silent-share', 'silent-timeouts', 'silent-before', 'silent-no-handling'),
  shortestTimeout: '5s',
};

function beside(variant: string, title: string, ids: readonly string[]) {
  return {
    title: `16 keys of a silent holder, ${title}`,
    op: 'mean' as const,
    measure: 'drainedS',
    where: { variant, keys: 16, slots: 8, timeout: '5s' },
    unit: 's',
    published: ids,
  };
}

const GRID_KEYS = [3, 4, 8, 16, 33];
const GRID_SLOTS = [2, 3, 4, 8];
const GRID_TIMEOUT_S = 2;
const BOTH = ['share', 'before'];

export const silentGrid: ScenarioSpec = {
  ...shared,
  name: 'silent-grid',
  description:
    'Keys that only a silent holder has, over numbers of keys and slots: the change and the release on the curves of the document’s formula.',
  parameters: {
    variant: { ...variantParameter, choices: BOTH },
    keys: keysParameter(16),
    slots: slotsParameter,
    timeout: timeoutParameter(`${GRID_TIMEOUT_S}s`),
  },
  grids: {
    formula: {
      description: 'three keys and more, two slots and more; and one slot, which has no share to pass',
      axes: { keys: GRID_KEYS, slots: GRID_SLOTS, variant: BOTH },
      points: [3, 8].flatMap((keys) => BOTH.map((variant) => ({ keys, slots: 1, variant }))),
    },
  },
  defaultGrid: 'formula',
  trials: 1,
  plots: GRID_SLOTS.map((slots) => ({
    title: `Until the queue is empty, ${slots} slots`,
    kind: 'line',
    where: { slots },
    x: 'keys',
    y: 'drainedS',
    series: 'variant',
    reference: BOTH.map((variant) => curve(variant, slots)),
  })),
  checks: [byFormula, ...guards],
  aggregates: BOTH.map((variant) => ({
    title: `Most timeouts past the formula, ${variant}; published: the formula`,
    op: 'max',
    measure: 'pastFormulaTimeouts',
    where: { variant },
    unit: 'timeouts',
    published: [`formula-${variant}`],
  })),
  published: published('formula-share', 'formula-before'),
  shortestTimeout: '2s',
};

/** Seconds by the formula, with the grid's fetch timeout. */
function curve(variant: string, slots: number) {
  const [first = 0, last = 0] = [GRID_KEYS[0], GRID_KEYS.at(-1)];
  const keys = Array.from({ length: last - first + 1 }, (_, index) => first + index);
  return {
    label: `by the formula, ${variant}`,
    places: keys.map((x) => ({ x, y: formulaTimeouts(variant, x, slots) * GRID_TIMEOUT_S })),
  };
}
