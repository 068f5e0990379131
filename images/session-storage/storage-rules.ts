import type { Settings } from '../node-kit/index.ts';

/** What decides about a node's behaviour; the names are those of image.json. */
export interface StorageRules {
  /** A 421 repeats the account that it is about, as servers from 2.12 on do. */
  readonly echoPubkey: boolean;
  /** A changed swarm's messages go to whoever owns them now. */
  readonly handOver: boolean;
  /** A store goes to the whole swarm. */
  readonly replicate: boolean;
  /** A member that did not take a store gets it later. */
  readonly retryReplication: boolean;
  /** A message that is handed over and is there already is not kept a second time. */
  readonly dropCopies: boolean;
  /** A node that has left the network may still hand over what it took. */
  readonly hearLeavers: boolean;
  readonly version: readonly [number, number, number];
  readonly clockOffsetMs: number;
  readonly registryRetryMs: number;
  readonly lagMs: number;
  readonly handshakeTimeoutMs: number;
  readonly relayTimeoutMs: number;
  /** Each client address has a limit of its own. */
  readonly limitEachClient: boolean;
  readonly ratePerSecond: number;
  readonly ratePerSecondNodes: number;
  readonly rateBucket: number;
  readonly storeMaxBytes: number;
  readonly handOverBatchBytes: number;
  readonly handOverRetryMs: number;
  readonly handOverRetryMaxMs: number;
  readonly handOverWaitingMax: number;
  readonly countEveryMs: number;
  readonly tellAnswers: boolean;
  readonly tellMessages: boolean;
}

export function storageRules(settings: Settings): StorageRules {
  const version = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(settings.text('version'))?.slice(1).map(Number);
  if (!version?.every((part) => part <= 255)) {
    throw new Error(
      `SQUALL_VERSION=${settings.text('version')}: expected three numbers up to 255, such as 2.12.0`,
    );
  }
  return {
    echoPubkey: settings.yes('echoPubkey'),
    handOver: settings.yes('handOver'),
    replicate: settings.yes('replicate'),
    retryReplication: settings.yes('retryReplication'),
    dropCopies: settings.yes('dropCopies'),
    hearLeavers: settings.yes('hearLeavers'),
    version: version as unknown as readonly [number, number, number],
    clockOffsetMs: settings.number('clockOffsetMs'),
    registryRetryMs: settings.number('registryRetryMs'),
    lagMs: settings.number('lagMs'),
    handshakeTimeoutMs: settings.number('handshakeTimeoutMs'),
    relayTimeoutMs: settings.number('relayTimeoutMs'),
    limitEachClient: settings.yes('limitEachClient'),
    ratePerSecond: settings.number('ratePerSecond'),
    ratePerSecondNodes: settings.number('ratePerSecondNodes'),
    rateBucket: settings.number('rateBucket'),
    storeMaxBytes: settings.number('storeMaxBytes'),
    handOverBatchBytes: settings.number('handOverBatchBytes'),
    handOverRetryMs: settings.number('handOverRetryMs'),
    handOverRetryMaxMs: settings.number('handOverRetryMaxMs'),
    handOverWaitingMax: settings.number('handOverWaitingMax'),
    countEveryMs: settings.number('countEveryMs'),
    tellAnswers: settings.yes('tellAnswers'),
    tellMessages: settings.yes('tellMessages'),
  };
}
