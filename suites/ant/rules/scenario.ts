/** Each rule of the fetch pipeline on a stage of its own: three holders that do as they are told, and one requester. */
import { type MeasurePredicate, registerMeasure, type ScenarioSpec } from '../../../harness/index.ts';
import list from '../../../images/fetch-node/rules.json' with { type: 'json' };
import { caseOf, RULE_CASES } from './cases.ts';
import { REQUESTER } from './lab.ts';
import { PAST_UNTRACKED } from './silence-cases.ts';
import { trialLab } from './trial-lab.ts';

const SHIPPED = ['share', 'share+busy'];
/** The case that overflows the table of sources. */
const OVERFLOW = 'overflowCountsSilent';
const MUTANTS = list.map(({ mutant }) => mutant);
const shippedOf = (group: string): string => (group === 'busy' ? 'share+busy' : 'share');

/**
 * What the stage saw: 1 when the rule was kept; and how many fetches the requester began past the share of a source that its table had
 * no room for, null where the case did not ask.
 */
export const ruleMeasure: MeasurePredicate = (_trial, events) => {
  const observed = events.filter(({ event }) => event === 'rule.observed');
  const [only] = observed.length === 1 ? observed : [];
  const past = only?.fields['startedPastUntracked'];
  return {
    kept: only ? Number(only.fields['kept'] === true) : null,
    startedPastUntracked: typeof past === 'number' ? past : null,
  };
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
            const lab = trialLab(trial);
            const kept = await caseOf(rule).keeps(lab);
            const figures = rule === OVERFLOW ? await lab.ask(REQUESTER, '/summary', {}) : {};
            const startedPastUntracked = figures['started_past_untracked'];
            trial.emit('rule.observed', { rule, kept, startedPastUntracked });
          },
        },
      ],
    },
  ],
  measure: ['ant.rule'],
  measures: [
    { name: 'kept', title: 'The rule was kept', unit: '' },
    { name: 'startedPastUntracked', title: 'Fetches past the share of an untracked source', unit: 'fetches' },
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'the rule is kept',
      kind: 'invariant',
      parameters: { measure: 'kept', op: '=', value: 1 },
      reason: 'Each rule is the document’s; images/fetch-node/rules.json has its words.',
    },
    {
      check: 'measure-bound',
      title: 'the limit is bypassed while the table overflows, and that is counted',
      kind: 'invariant',
      parameters: { measure: 'startedPastUntracked', op: '=', value: PAST_UNTRACKED },
      where: { rule: OVERFLOW },
      reason: 'Of five fetches from a source that the table has no room for, two are within its share.',
    },
    { check: 'bed-clean', title: 'the bed was clean afterwards', kind: 'guard', parameters: {} },
    { check: 'logs-complete', title: 'no event was lost', kind: 'guard', parameters: {} },
  ],
  aggregates: [
    {
      title: 'Fetches past the share of a source that the overflown table has no room for',
      op: 'max',
      measure: 'startedPastUntracked',
      where: { rule: OVERFLOW, variant: 'share+busy' },
      unit: 'fetches',
    },
  ],
  kills: list.map(({ switch: rule, mutant, group, words }) => ({
    mutant,
    point: { variant: shippedOf(group), rule },
    trials: 1,
    reason: `Switched off: ${words}.`,
  })),
  shortestTimeout: '1s',
};
