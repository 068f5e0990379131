/** A choice that lives through a change of the configured servers, and what went where afterwards. */

import type { MeasurePredicate, PhaseSpec } from '../../harness/index.ts';
import { requiredField } from '../../harness/index.ts';
import { APP, registerTrialMeasure } from './events.ts';
import { begin, configureStep, establishedStep, send } from './steps.ts';

export const choiceThroughServers: readonly PhaseSpec[] = [
  begin,
  { name: 'warm-up', steps: [establishedStep(1)] },
  {
    name: 'settle',
    steps: [
      configureStep(['proxy-2']),
      { name: 'three messages are sent', run: (trial) => send(trial, 1, 3) },
      {
        name: 'until they have arrived',
        until: { predicate: 'smp.all-arrived', parameters: { count: 3 } },
        within: '60s',
        orElse: 'continue',
      },
      {
        // A message arrives before its sender hears that it was forwarded, or after it.
        name: 'and the agent knows that they were forwarded',
        until: { event: 'operation.ok', on: APP, count: 3 },
        within: '60s',
        orElse: 'continue',
      },
    ],
  },
];

/** Which proxies forwarded after the servers were changed. */
export const afterSwitchMeasures: MeasurePredicate = (_trial, events) => {
  const switchedNs = events.find(({ event, node }) => event === 'servers.configured' && node === APP)?.atNs;
  if (switchedNs === undefined) return { throughP1AfterSwitch: null, throughOthersAfterSwitch: null };
  const proxies = events
    .filter(({ event, node, atNs }) => event === 'forward.succeeded' && node === APP && atNs >= switchedNs)
    .map((event) => requiredField(event, 'proxy', 'string'));
  return {
    throughP1AfterSwitch: proxies.filter((proxy) => proxy === 'proxy-1').length,
    throughOthersAfterSwitch: proxies.filter((proxy) => proxy !== 'proxy-1').length,
  };
};

registerTrialMeasure('smp.after-switch', afterSwitchMeasures);
