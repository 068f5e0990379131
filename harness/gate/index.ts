/**
 * gate: what guards a release, as data, and what a gate says.
 *
 *   parseGate(gate.yaml) ─▶ units ─▶ unitsOfShard ─▶ chooseWithinBudget ─▶ (session runs them)
 *   checkLines(run) ─▶ GateResult ─▶ renderGateText | renderGateMarkdown | gateAnnotations
 *
 * Pure. Units are what is run or left out as a whole: a point with all its sides, or a mutant with its control. Without a
 * budget nothing is left out. Not here: running (session), verdicts (check, mutation), reading suites (suite).
 */
export { gateAnnotations } from './annotations.ts';
export { type CheckLine, checkLines } from './check-lines.ts';
export { type Choice, chooseWithinBudget, type GateUnit } from './choose-within-budget.ts';
export { GATE, type GateConfig, type GateEntry, gateSchema } from './gate-config.ts';
export type { GateResult } from './gate-result.ts';
export {
  type CheckOutcomes,
  checkKey,
  formatHistory,
  type HistoryRun,
  outcomesOf,
  parseHistory,
} from './history.ts';
export { leftOutSentences } from './left-out.ts';
export { parseGate } from './parse-gate.ts';
export { renderGateMarkdown } from './render-markdown.ts';
export { renderGateText, verdictText } from './render-text.ts';
export { parseShard, type Shard, unitsOfShard } from './shard.ts';
export {
  exitOfUnstable,
  isUnstable,
  mergeLines,
  type Stability,
  stabilityOf,
  withStability,
} from './stability.ts';
