/**
 * workload: what clients did and what came of it, as a history in the manner of Jepsen.
 *
 *   History (in an image)     invoke ─▶ ok | failed | unknown;  received        one JSON-lines event each
 *   runLoad                   operations at a seeded pace, bounded in flight, until aborted
 *   analyseHistory (pure)     events ─▶ operations, latencies, lost, doubled, phantom and stray messages
 *
 * ok: it happened. failed: it certainly did not. unknown: it may have; so does an operation that never ended. Only what
 * was acknowledged can be lost. Not here: bounds on any of it (check), how an event is written (images/node-kit).
 */
export { analyseHistory, type HistoryReport, type MessageFate } from './analyse-history.ts';
export { DefiniteFailure, History, type OpenOperation, type OperationFacts } from './history.ts';
export { type HistoryEvent, OPERATION_EVENTS } from './history-event.ts';
export { type Operation, type ReadHistory, type Receipt, readHistory } from './read-history.ts';
export { type LoadOptions, runLoad } from './run-load.ts';
