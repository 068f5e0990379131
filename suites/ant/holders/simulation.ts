/** The document's local simulation: twelve nodes, eight slots, a fetch timeout of five seconds. */
import type { ScenarioSpec } from '../../../harness/index.ts';
import { published } from '../published.ts';
import { guards } from './guards.ts';
import { holderMeasureSpecs, silenceMeasureSpecs } from './measures.ts';
import { stageOf, variantParameter } from './points.ts';
import { queueDrained, summarized, want } from './steps.ts';

const KEYS = { answering: 12, silent: 16 };

export const localSimulation: ScenarioSpec = {
  name: 'local-simulation',
  description:
    'Twelve nodes, eight slots, 5 s: the holder of all keys answers or is silent. Our copy of the document has three times of its simulation and not what their rows are; the third is the silent holder.',
  topology: 'ant-rules',
  parameters: {
    variant: variantParameter,
    holder: {
      type: 'choice',
      description: 'what the holder of the keys does',
      default: 'silent',
      choices: ['answering', 'silent'],
    },
    keys: {
      type: 'integer',
      description: '12 where it answers, 16 where it is silent',
      default: KEYS.silent,
    },
    slots: { type: 'integer', description: 'fetches at a time', default: 8, minimum: 1 },
    timeout: { type: 'duration', description: 'longest wait for the answer to a fetch', default: '5s' },
  },
  overrides: (point) => stageOf(point, { holders: 11, holder: { serveMs: 50 } }),
  grids: {
    document: {
      description: 'the change and the release',
      axes: { holder: ['silent'], keys: [KEYS.silent], variant: ['before', 'share'] },
      points: ['before', 'share'].map((variant) => ({ holder: 'answering', keys: KEYS.answering, variant })),
    },
  },
  defaultGrid: 'document',
  trials: 1,
  bed: 'reuse',
  phases: [
    {
      name: 'fetch',
      steps: [
        {
          name: 'the holder answers nothing',
          when: { holder: 'silent' },
          admin: { on: 'holder[1]', method: 'POST', path: '/gate', body: { open: false } },
        },
        {
          name: 'all keys are wanted from it',
          takes: () => '1s',
          run: (trial) => want(trial, Number(trial.point['keys']), 'holder-1'),
        },
        queueDrained,
        summarized,
      ],
    },
  ],
  measure: ['ant.holder', 'ant.silence'],
  measures: [...holderMeasureSpecs, ...silenceMeasureSpecs],
  checks: [
    {
      check: 'measure-bound',
      title: 'a silent holder costs what the formula says',
      kind: 'invariant',
      parameters: { measure: 'pastFormulaTimeouts', op: '=', value: 0 },
      where: { holder: 'silent' },
      reason: 'The other ten nodes have no part in it.',
    },
    ...guards,
  ],
  aggregates: [
    {
      title: 'A silent holder, the change',
      op: 'mean',
      measure: 'drainedS',
      where: { variant: 'share', holder: 'silent' },
      unit: 's',
      published: ['simulation-third'],
    },
    {
      title:
        'An answering holder, the change; published: the two times whose rows our copy of the document lacks',
      op: 'mean',
      measure: 'drainedS',
      where: { variant: 'share', holder: 'answering' },
      unit: 's',
      published: ['simulation-first', 'simulation-second'],
    },
  ],
  published: published('simulation-first', 'simulation-second', 'simulation-third'),
  shortestTimeout: '5s',
};
