/**
 * baseline: figures of an earlier run, kept as a file in the repository, for bounds that are relative to them.
 *
 *   takeBaseline(run) ─▶ baselines/NAME.json ─▶ scaleFor(this machine) ─▶ baselineChecks(scenario) ─▶ CheckSpec[]
 *
 * Two machines are of one class with the same CPUs and memory within 10 %; on another class a baseline is refused, or rescaled by
 * a calibration run. Not here: the judgement itself (check `baseline-bound`), two sides of one run (compare).
 */
export { type Baseline, type BaselinePoint, parseBaseline } from './baseline-file.ts';
export { type Scale, type ScaleOf, scaleFor } from './calibrate.ts';
export {
  BASELINES_DIR,
  baselinesIn,
  findBaseline,
  findNewestBaseline,
  NEWEST,
  writeBaseline,
} from './find-baseline.ts';
export { machineClassText, sameMachineClass } from './machine-class.ts';
export { baselineChecks, type RelativeBound } from './relative-bounds.ts';
export { type TakeOptions, takeBaseline } from './take-baseline.ts';
