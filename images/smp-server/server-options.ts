import type { Clock } from '../../harness/clock/index.ts';
import type { Settings } from '../node-kit/index.ts';
import type { ServerIdentity } from '../smp-kit/index.ts';

/** The settings of image.json that are a server's rules. */
export interface ServerRules {
  readonly basicAuth: string;
  readonly relayConnectTimeoutMs: number;
  readonly relayCommandTimeoutMs: number;
  readonly persistErrorIntervalMs: number;
  readonly relaysMax: number;
  readonly clientConcurrency: number;
  readonly pingIntervalMs: number;
  readonly pingCount: number;
  readonly silenceMs: number;
  readonly clearAbandonedConnect: boolean;
  readonly helloTimeoutMs: number;
  readonly connectionsMax: number;
  readonly queueQuota: number;
  readonly queuesMax: number;
  readonly storedMaxBytes: number;
}

export type Emit = (event: string, fields?: Readonly<Record<string, unknown>>) => void;

export interface ServerOptions {
  readonly identity: ServerIdentity;
  readonly host: string;
  /** 0: whichever is free. */
  readonly port: number;
  readonly rules: ServerRules;
  readonly clock: Clock;
  readonly emit: Emit;
}

export function readRules(settings: Settings): ServerRules {
  return {
    basicAuth: settings.text('basicAuth'),
    relayConnectTimeoutMs: settings.number('relayConnectTimeoutMs'),
    relayCommandTimeoutMs: settings.number('relayCommandTimeoutMs'),
    persistErrorIntervalMs: settings.number('persistErrorIntervalMs'),
    relaysMax: settings.number('relaysMax'),
    clientConcurrency: settings.number('clientConcurrency'),
    pingIntervalMs: settings.number('pingIntervalMs'),
    pingCount: settings.number('pingCount'),
    silenceMs: settings.number('silenceMs'),
    clearAbandonedConnect: settings.yes('clearAbandonedConnect'),
    helloTimeoutMs: settings.number('helloTimeoutMs'),
    connectionsMax: settings.number('connectionsMax'),
    queueQuota: settings.number('queueQuota'),
    queuesMax: settings.number('queuesMax'),
    storedMaxBytes: settings.number('storedMaxBytes'),
  };
}
