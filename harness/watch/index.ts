/**
 * watch: a run or a bed as it goes on, for people and for the programs that they watch with.
 *
 *   record that grows ─▶ RunFollower.poll ─┐                        ┌─▶ renderFrame, plainLine   a terminal
 *   keeper of a bed   ─▶ BedFollower.poll ─┴▶ RunView, TrialStory ──┼─▶ serveWatch               a page, loopback only
 *                                                                   └─▶ openMetrics              a Prometheus
 *
 * Everything is read from the record's files: the process that runs is not asked, so watching disturbs no measurement.
 * The files are looked at every `POLL_MS`; the record is on the disk 0.2 s (a run's timeline) to 1 s (nodes' events) after it
 * happened. Not here: verdicts (check), reports (report), starting anything.
 */
export { BedFollower, type SeenBed } from './bed-follower.ts';
export { RunFollower, type RunFollowerOptions } from './run-follower.ts';
export { LiveScreen } from './terminal/live-screen.ts';
export { plainLine } from './terminal/plain-line.ts';
export { type FrameSize, renderFrame } from './terminal/render-frame.ts';
export type { TrialStory } from './trial-story.ts';
export type { RunView, TrialView } from './views.ts';
export { type MetricsServer, serveMetrics } from './web/serve-metrics.ts';
export { serveWatch, type Watched, type WatchServer } from './web/serve-watch.ts';

/** Between two looks at the record. */
export const POLL_MS = 250;
