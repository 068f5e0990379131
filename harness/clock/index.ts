/**
 * clock: time that is handed in, so that it can be led.
 *
 *   systemClock({warp}) ─ real time, `warp` times as fast, and `leap(ms)` forward       for our images
 *   manualClock()       ─ stands still until `leap(ms)`                                 for tests
 *
 * Leap: due timers fire in the order of their due times, those that timers set on the way included, each seeing its own
 * due time as now. Warp: every interval passes in 1/warp of its length, and `nowMs` counts unwarped milliseconds.
 * Imports nothing but errors, so that the images can use it. Not here: the record's monoNs, which is never led.
 */
export type { Clock, LeapingClock, Timer } from './clock.ts';
export { manualClock, systemClock } from './led-clock.ts';
