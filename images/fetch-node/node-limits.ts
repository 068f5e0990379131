import type { Settings } from '../node-kit/index.ts';
import type { BusyLimits } from './busy-book.ts';
import type { ResponderLimits } from './fetch-responder.ts';
import type { FetchWorkerLimits } from './fetch-worker.ts';
import type { PendingLimits } from './pending-verification.ts';
import type { QueueLimits } from './queue-ports.ts';
import type { HealthLimits } from './source-health.ts';
import type { RoundLimits } from './verification-rounds.ts';

/** The settings of each part of a node, by the names of image.json. */
export interface NodeLimits {
  readonly queue: QueueLimits;
  readonly health: HealthLimits;
  readonly busy: BusyLimits;
  readonly pending: PendingLimits;
  readonly worker: FetchWorkerLimits;
  readonly rounds: RoundLimits;
  readonly responder: ResponderLimits;
}

export function nodeLimits(settings: Settings): NodeLimits {
  const number = (name: string): number => settings.number(name);
  const fetchTimeoutMs = number('fetchTimeoutMs');
  const groups = {
    closeGroupSize: number('closeGroupSize'),
    paidListGroupSize: number('paidListGroupSize'),
  };
  const hintsPerKey = number('hintsPerKey');
  return {
    queue: {
      ...groups,
      hintsPerKey,
      capacity: number('queueCapacity'),
      perSource: number('fetchMaxInFlightPerSource'),
    },
    health: { capacity: number('healthCapacity'), fetchTimeoutMs },
    busy: { capacity: number('busyCapacity'), maximumMs: number('busyMaximumMs') },
    pending: {
      hintsPerKey,
      capacity: number('pendingCapacity'),
      retryMs: number('verificationRetryMs'),
      maximumAgeMs: number('pendingMaximumAgeMs'),
    },
    worker: {
      fetchTimeoutMs,
      concurrency: number('fetchConcurrency'),
      rotateOnBusy: settings.yes('rotateOnBusy'),
    },
    rounds: {
      ...groups,
      quorum: number('quorum'),
      timeoutMs: number('verificationTimeoutMs'),
      batch: number('verificationBatch'),
    },
    responder: {
      slots: number('slots'),
      slotsPerPeer: number('slotsPerPeer'),
      workers: number('workers'),
      shedAfterMs: number('shedAfterMs'),
      busy: settings.yes('busy'),
      busyWaitMs: number('busyWaitMs'),
      busyReplyPool: number('busyReplyPool'),
    },
  };
}
