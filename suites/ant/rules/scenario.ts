/** Each rule of the fetch pipeline on a stage of its own: three holders that do as they are told, and one requester. */
import { type MeasurePredicate, registerMeasure, type ScenarioSpec } from '../../../harness/index.ts';
import list from '../../../images/fetch-node/rules.json' with { type: 'json' };
import { caseOf, RULE_CASES } from './cases.ts';
import { trialLab } from './trial-lab.ts';

const SHIPPED = ['share', 'share+busy'];
const MUTANTS = list.map(({ mutant }) => mutant);
const shippedOf = (group: string): string => (group === 'busy' ? 'share+busy' : 'share');

/** What the stage saw: 1 when the rule was kept. */
export const ruleMeasure: MeasurePredicate = (_trial, events) => {
  const observed = events.filter(({ event }) => event === 'rule.observed');
  return { kept: observed.length === 1 ? Number(observed[0]?.fields['kept'] === true) : null };
};

registerMeasure('ant.rule', ruleMeasure);

export const rulesScenario: ScenarioSpec = {
  name: 'rules',
  description:
    'One rule at a time on real nodes: holders answer, are silent or busy for single keys as the case has it, and what the requester does is compared with the rule.',
  topology: 'ant-rules',
  parameters: {
    variant: {
      type: 'choice',
      description: 'the shipped node, or one with a rule switched off',
      default: 'share+busy',
      choices: [...SHIPPED, ...MUTANTS],
    },
    rule: {
      type: 'choice',
      description: 'the rule that is on the stage, by its switch',
      default: 'shareLimit',
      choices: RULE_CASES.map(({ rule }) => rule),
    },
  },
  overrides: (point) => ({
    variant: String(point['variant']),
    settings: { joiner: { ...caseOf(String(point['rule'])).settings } },
  }),
  grids: {
    quick: {
      description: 'every rule on the node with both changes',
      axes: { variant: ['share+busy'], rule: RULE_CASES.map(({ rule }) => rule) },
    },
  },
  defaultGrid: 'quick',
  trials: 1,
  bed: 'reuse',
  phases: [
    {
      name: 'stage',
      steps: [
        {
          name: 'the case is played',
          takes: () => '8s',
          run: async (trial) => {
            const rule = String(trial.point['rule']);
            const kept = await caseOf(rule).keeps(trialLab(trial));
            trial.emit('rule.observed', { rule, kept });
          },
        },
      ],
    },
  ],
  measure: ['ant.rule'],
  measures: [{ name: 'kept', title: 'The rule was kept', unit: '' }],
  checks: [
    {
      check: 'measure-bound',
      title: 'the rule is kept',
      kind: 'invariant',
      parameters: { measure: 'kept', op: '=', value: 1 },
      reason: 'Each rule is the document’s; images/fetch-node/rules.json has its words.',
    },
    { check: 'bed-clean', title: 'the bed was clean afterwards', kind: 'guard', parameters: {} },
    { check: 'logs-complete', title: 'no event was lost', kind: 'guard', parameters: {} },
  ],
  kills: list.map(({ switch: rule, mutant, group, words }) => ({
    mutant,
    point: { variant: shippedOf(group), rule },
    trials: 1,
    reason: `Switched off: ${words}.`,
  })),
  shortestTimeout: '1s',
};
