/**
 * Results of P1 that come after P2 was chosen: a failure, a success, the end of a PRXY, the end of the connection, and a
 * NO_SESSION that comes when there is no choice at all. Each must leave what is chosen as it is.
 *
 *   0 s   A fails at P1: the streak starts          A tries again every 2 s
 *   2 s   A goes out again; its failure comes at 31 s, when the streak is old enough: P1 is forgotten
 *   33 s  A picks P2
 *   …     B, sent through P1 meanwhile, gets its result late
 */
import type { CheckSpec, ScenarioSpec, TrialContext } from '../../harness/index.ts';
import { bedOverrides, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  firstPickWasP1,
  guards,
  guardsWithoutFault,
  messageMeasureSpecs,
  noLoss,
  ofTheNew,
  warpUpTo,
} from './checks.ts';
import { type ScriptedAnswer, script, TIMEOUT } from './script.ts';
import { picksAre } from './seeds.ts';
import { begin, establishedStep, send } from './steps.ts';

const SITES = ['failure', 'success', 'prxy', 'no-session'];

/** A's first failure at once, its second 29 s after it was sent again, which is 31 s after the first. */
const A_FAILS: readonly ScriptedAnswer[] = [
  { command: 'PFWD', error: TIMEOUT },
  { command: 'PFWD', error: TIMEOUT, delayMs: 29_000 },
];

/** When B is sent, and what P1 makes of it. */
const B_AT_P1: Readonly<
  Record<string, { readonly sentAtS: number; readonly answers: readonly ScriptedAnswer[] }>
> = {
  failure: { sentAtS: 12, answers: [{ command: 'PFWD', error: TIMEOUT, delayMs: 29_000 }] },
  success: { sentAtS: 12, answers: [{ command: 'PFWD', delayMs: 29_000 }] },
  prxy: {
    sentAtS: 12,
    answers: [
      { command: 'PFWD', error: 'PROXY NO_SESSION' },
      { command: 'PRXY', error: 'PROXY BROKER NETWORK', delayMs: 29_000 },
    ],
  },
  // At 32 s P1 is forgotten and P2 not yet chosen.
  'no-session': { sentAtS: 4, answers: [{ command: 'PFWD', error: 'PROXY NO_SESSION', delayMs: 28_000 }] },
};

async function course(trial: TrialContext): Promise<void> {
  const site = String(trial.point['site']);
  const b = B_AT_P1[site];
  if (!b) throw new Error(`site "${site}" has no course`);
  await script(trial, 'proxy-1', [...A_FAILS, ...b.answers]);
  // P2 begins a streak of its own and keeps it, so that a late success would have something to clear.
  if (site === 'success') {
    await script(trial, 'proxy-2', [
      { command: 'PFWD', error: TIMEOUT },
      { command: 'PFWD', delayMs: 25_000 },
    ]);
  }
  await send(trial, 1);
  await trial.wait(`${b.sentAtS}s`);
  await send(trial, 2);
  await trial.wait(`${45 - b.sentAtS}s`);
}

const untilBothArrived = [
  {
    name: 'until both messages have arrived',
    // Of the whole trial: most have arrived before this phase.
    until: { predicate: 'smp.all-arrived', parameters: { count: 2 } },
    within: '90s',
    orElse: 'continue',
  },
  { name: 'what is late has come', wait: '20s' },
] as const;

const lateMeasureSpecs = [
  { name: 'late', title: 'Results that came late', unit: 'results' },
  { name: 'strangersChanges', title: 'Changes of an entry by another proxy', unit: 'changes' },
  ...choiceMeasureSpecs,
  ...messageMeasureSpecs,
];

const changesNoOther: CheckSpec = {
  check: 'measure-bound',
  title: 'a late result changes no other proxy’s entry',
  kind: 'invariant',
  parameters: { measure: 'strangersChanges', op: '=', value: 0 },
  where: ofTheNew,
  reason: 'An entry is changed only while it still names the proxy that failed or succeeded.',
};

const p1AloneForgotten: CheckSpec = {
  check: 'measure-bound',
  title: 'P1 alone is forgotten',
  kind: 'invariant',
  parameters: { measure: 'forgotten', op: '=', value: 1 },
  reason: 'P2 has not failed for 30 s, so that it stays the choice whatever becomes of P1.',
};

const cameLate: CheckSpec = {
  check: 'measure-bound',
  title: 'a result came late',
  kind: 'guard',
  parameters: { measure: 'late', op: '>=', value: 1 },
  reason: 'A trial in which nothing was late proves nothing about late results.',
};

const bothArrive: CheckSpec = {
  check: 'measure-bound',
  title: 'both messages arrive',
  kind: 'invariant',
  parameters: { measure: 'undelivered', op: '=', value: 0 },
  where: ofTheNew,
  reason: 'P2 forwards from the first attempt on.',
};

const shared = {
  topology: 'smp-two-proxies',
  overrides: bedOverrides,
  trials: 3,
  bed: 'reuse',
  seedWhere: picksAre('proxy-1', 'proxy-2'),
  measure: ['smp.choice', 'smp.messages'],
  plots: [{ title: 'One trial', kind: 'timeline', y: 'late.ignored' }],
  timeBudget: '6m',
  shortestTimeout: '1s',
} as const;

export const lateResults: ScenarioSpec = {
  ...shared,
  name: 'late-results',
  description:
    'A failure, a success and a PRXY result of P1 that come after P2 was chosen, and a NO_SESSION that comes when nothing is chosen.',
  parameters: {
    variant: variantParameter,
    site: { type: 'choice', description: 'which result of P1 is late', default: 'failure', choices: SITES },
  },
  grids: {
    quick: { description: 'every site with the new agent', axes: { site: SITES, variant: ['repick'] } },
  },
  defaultGrid: 'quick',
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(2)] },
    { name: 'fault', steps: [{ name: 'P1 answers by the script', takes: () => '45s', run: course }] },
    { name: 'recovery', steps: untilBothArrived },
  ],
  measures: [
    ...lateMeasureSpecs,
    { name: 'recordedRetries', title: 'Retries recorded as the choice', unit: 'retries' },
    { name: 'sessionsRemoved', title: 'Dead sessions removed', unit: 'sessions' },
  ],
  checks: [
    changesNoOther,
    { ...p1AloneForgotten, where: { ...ofTheNew, site: ['failure', 'success', 'prxy'] } },
    { ...cameLate, where: { site: ['failure', 'success', 'prxy'] } },
    {
      check: 'measure-bound',
      title: 'the retry of a lost session records no choice',
      kind: 'invariant',
      parameters: { measure: 'recordedRetries', op: '=', value: 0 },
      where: { ...ofTheNew, site: 'no-session' },
      reason: 'A proxy that was forgotten meanwhile must not be put back.',
    },
    {
      check: 'measure-bound',
      title: 'the dead session is removed from the client that handled it',
      kind: 'invariant',
      parameters: { measure: 'sessionsRemoved', op: '>=', value: 1 },
      where: { ...ofTheNew, site: ['no-session', 'prxy'] },
      reason: 'A session that the proxy does not know would fail every later forward through it.',
    },
    bothArrive,
    ...noLoss,
    firstPickWasP1,
    ...guardsWithoutFault,
  ],
  kills: (
    [
      ['repick-without-guard-failure', 'failure', 'The late failure of P1 starts a streak of P2.'],
      ['repick-without-guard-success', 'success', 'The late success of P1 clears the streak of P2.'],
      ['repick-without-guard-prxy', 'prxy', 'The late failure of a PRXY at P1 forgets P2.'],
      [
        'repick-without-remove-dead-session',
        'no-session',
        'The session is looked for at the proxy that is chosen now, and there is none.',
      ],
      [
        'repick-without-retry-records-no-choice',
        'no-session',
        'The retry through P1 makes P1 the choice again.',
      ],
    ] as const
  ).map(([mutant, site, reason]) => ({ mutant, point: { variant: 'repick', site }, trials: 2, reason })),
  warp: warpUpTo(4, 'late-results'),
};

/** P1 ends after P2 was chosen: that the agent loses its connection to P1 is what is late. */
export const lateDisconnect: ScenarioSpec = {
  ...shared,
  name: 'late-disconnect',
  description:
    'P1 is killed after P2 was chosen in its place: the lost connection must not make the agent forget P2.',
  parameters: { variant: variantParameter },
  grids: { quick: { description: 'the new agent', axes: { variant: ['repick'] } } },
  defaultGrid: 'quick',
  phases: [
    begin,
    { name: 'warm-up', steps: [establishedStep(2)] },
    {
      name: 'fault',
      steps: [
        {
          name: 'P1 fails for longer than the interval, and P2 is chosen',
          takes: () => '36s',
          run: async (trial) => {
            await script(trial, 'proxy-1', A_FAILS);
            await send(trial, 1);
            await trial.wait('36s');
          },
        },
        { name: 'P1 is killed', fault: { kind: 'kill', id: 'killed', on: 'proxy-1' }, background: true },
        { name: 'the agent notices', wait: '5s' },
        { name: 'the second message', run: (trial) => send(trial, 2) },
      ],
    },
    { name: 'recovery', steps: untilBothArrived },
  ],
  measures: lateMeasureSpecs,
  checks: [
    changesNoOther,
    { ...p1AloneForgotten, where: ofTheNew },
    cameLate,
    bothArrive,
    ...noLoss,
    firstPickWasP1,
    ...guards,
  ],
  kills: [
    {
      mutant: 'repick-without-guard-disconnect',
      point: { variant: 'repick' },
      trials: 2,
      reason: 'The end of the connection to P1 forgets P2.',
    },
  ],
  warp: warpUpTo(4, 'late-disconnect'),
};
