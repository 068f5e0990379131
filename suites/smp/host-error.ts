/** The document's unchanged case: an onion-only relay behind a proxy without Tor keeps its proxy for ever. */

import type { ScenarioSpec } from '../../harness/index.ts';
import { askNode } from '../../harness/index.ts';
import { bedOverrides, variantParameter } from './bed.ts';
import {
  choiceMeasureSpecs,
  choiceStays,
  exposedTo,
  guardsWithoutFault,
  retryMeasureSpecs,
  warpUpTo,
} from './checks.ts';
import { ROW_BEGAN } from './connect-measures.ts';
import { APP } from './events.ts';
import { BOTH } from './points.ts';
import { begin, CONTACT, makeLink, onionLink } from './steps.ts';

export const hostError: ScenarioSpec = {
  name: 'host-error',
  description:
    'The contact’s relay has an onion address only, and no proxy has Tor: each attempt fails with a host error, and the proxy stays the choice, in either version.',
  topology: 'smp-two-proxies',
  parameters: {
    variant: variantParameter,
    cap: { type: 'integer', description: 'Retries that the user taps', default: 6, minimum: 0 },
  },
  overrides: (point) => ({
    ...bedOverrides(point),
    settings: { app: { retries: Number(point['cap']), retryOnErrorMs: 10_000 } },
  }),
  grids: { quick: { description: 'before and after', axes: { variant: BOTH } } },
  defaultGrid: 'quick',
  trials: 3,
  bed: 'reuse',
  phases: [
    begin,
    {
      name: 'settle',
      steps: [
        {
          name: 'the agent joins a link to an onion relay',
          run: async (trial) => {
            const link = onionLink((await makeLink(trial, CONTACT)).link);
            trial.emit(ROW_BEGAN, {});
            await askNode(trial, APP, 'POST', '/join', { link, interactive: true });
          },
        },
        {
          name: 'until its user has given up',
          until: { predicate: 'smp.join-over', parameters: { cap: '${cap}' } },
          within: '4m',
          orElse: 'continue',
        },
      ],
    },
  ],
  measure: ['smp.choice', 'smp.connect'],
  measures: [
    ...retryMeasureSpecs,
    { name: 'joinFailures', title: 'Failures', unit: 'failures' },
    ...choiceMeasureSpecs,
  ],
  checks: [
    choiceStays(),
    exposedTo(
      1,
      'The choice stays, so that no second proxy learns of the destination: what the user pays is the failures.',
    ),
    {
      check: 'measure-bound',
      title: 'every attempt fails',
      kind: 'invariant',
      parameters: { measure: 'connected', op: '=', value: 0 },
      reason: 'No proxy has Tor; the document leaves this case as it was.',
    },
    {
      check: 'measure-bound',
      title: 'there were attempts',
      kind: 'guard',
      parameters: { measure: 'joinFailures', op: '>=', value: 2 },
      reason: 'A row without failures shows no cost.',
    },
    ...guardsWithoutFault,
  ],
  kills: [
    {
      mutant: 'repick-without-keep-on-host-error',
      point: { variant: 'repick' },
      trials: 2,
      reason: 'The host error forgets the proxy as another failed PRXY does.',
    },
  ],
  warp: warpUpTo(8, 'host-error'),
  shortestTimeout: '1s',
};
