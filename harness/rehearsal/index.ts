/**
 * rehearsal: a release and its candidates on one topology, wave by wave in turns, until one can say which to ship.
 *
 *   readRehearsal(topology) + sides ─▶ rehearsalScenario ─▶ planned and run like any other scenario
 *                                      WaveJudge ─▶ another round, or the end: clear, lost, no room, no time
 *   RunRecord ─▶ releaseSentence (compare), rehearsalRows
 *
 * Defaults stand in the topology's `rehearsal`: 5 to 20 waves a side, looked at up to 4 times, each at the level that all
 * the looks together ask for. Not here: running (`session`), the comparison itself (`compare`), what a wave is (suites).
 */
export {
  imagesOf,
  type RehearsalProgress,
  type RehearsalResult,
  rehearsalRows,
  timeLeftText,
} from './describe-rehearsal.ts';
export { countRepeats, describeRepeats, type RepeatCounts } from './describe-repeats.ts';
export { describeForecast, type Forecast, requireRoom, smallerText } from './forecast.ts';
export { Pace } from './pace.ts';
export { rehearsalScenario } from './rehearsal-scenario.ts';
export { type RollingUpgrade, rollingMeasures } from './rolling-phases.ts';
export { nameSides, SIDE, type Side, type Sides } from './sides.ts';
export { looksAt, type Room, WaveJudge, type WaveJudgeOptions } from './wave-judge.ts';
export { type WaveSize, waveSizes, whatLacks } from './wave-size.ts';
