import { z } from 'zod';

/** First line that a watchdog reads: what it answers for. */
export const watchdogOrder = z.object({
  endpoint: z.string(),
  /** Folder of the engine's certificates, over TLS. */
  certificatesDir: z.string().optional(),
  /** `key=value`; everything with all of them is removed when the pipe closes. */
  labels: z.array(z.string()).min(1),
  /** The process at the other end of the pipe, for messages only: the pipe decides. */
  parentPid: z.number(),
});
export type WatchdogOrder = z.infer<typeof watchdogOrder>;

/** Later lines. `spare`: this bed has another owner now. `dismiss`: all is removed already, leave. */
export const watchdogCommand = z.union([
  z.object({ spare: z.string() }),
  z.object({ dismiss: z.literal(true) }),
]);
export type WatchdogCommand = z.infer<typeof watchdogCommand>;

/** What a watchdog says once, when it stands. */
export const WATCHDOG_READY = 'ready';
