import type { Settings } from '../node-kit/index.ts';
import type { AgentRules } from './agent-context.ts';
import type { RetryInterval } from './retry-interval.ts';
import type { SmpWireOptions } from './smp-wire.ts';

export function agentRules(settings: Settings): AgentRules {
  const ms = (name: string): number => settings.number(name);
  return {
    waits: {
      connect: {
        backgroundMs: ms('connectTimeoutMs'),
        interactiveMs: ms('interactiveConnectTimeoutMs'),
      },
      command: {
        backgroundMs: ms('commandTimeoutMs'),
        interactiveMs: ms('interactiveCommandTimeoutMs'),
      },
      perKibMs: ms('commandTimeoutPerKibMs'),
    },
    persistErrorIntervalMs: ms('persistErrorIntervalMs'),
    reconnect: interval(settings, 'reconnect'),
    messageRetry: interval(settings, 'messageRetry'),
    quotaRetry: interval(settings, 'quotaRetry'),
    messageExpiryMs: ms('messageExpiryMs'),
    proxyMode: settings.text('proxyMode') as AgentRules['proxyMode'],
    retries: settings.number('retries'),
    retryOnErrorMs: ms('retryOnErrorMs'),
  };
}

/** When a connection that answers nothing is given up. */
export function keepAliveRules(settings: Settings): SmpWireOptions['keepAlive'] {
  return {
    pingIntervalMs: settings.number('pingIntervalMs'),
    pingCount: settings.number('dropAfterTimeouts'),
    silenceMs: settings.number('dropAfterSilenceMs'),
    pingTimeoutMs: settings.number('commandTimeoutMs'),
  };
}

function interval(settings: Settings, name: string): RetryInterval {
  return {
    initialMs: settings.number(`${name}InitialMs`),
    increaseAfterMs: settings.number(`${name}IncreaseAfterMs`),
    maximumMs: settings.number(`${name}MaximumMs`),
  };
}
