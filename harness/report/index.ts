/**
 * report: one record, many renderers.
 *
 *   broadcast(observers) ◀── runner, while it runs     createLiveConsole: a line a step, a bar with the time left
 *   writeReports(runDir) ─▶ index.html, junit.xml      after judging; a renderer that throws stops no other
 *   judgeAndReport(runDir) ─▶ run.json and all of these        the judging side from end to end
 *   compareRuns(before, after) ─▶ text, page     two runs that were not played in turns: shown, not judged
 *   loadRunIndex(reports) ─▶ renderRunIndex       all runs of a folder as a page
 *   renderMarkdownSummary ─▶ a file to keep beside a suite
 *   renderSummary ─▶ text for a console                points × variants with intervals, the verdict last
 *
 * Whatever comes from containers is text here: control characters are shown, markup is escaped, nothing is fetched.
 * Not here: verdicts (check), the record's files (record).
 */

export { broadcast } from './broadcast.ts';
export { compareRuns, type RunComparison } from './compared-runs.ts';
export { renderComparedText } from './compared-text.ts';
export { renderComparedHtml } from './html/compared-page.ts';
export { renderMutationHtml } from './html/mutation-page.ts';
export { renderHtml } from './html/page.ts';
export { renderRunIndex } from './html/run-index-page.ts';
export { STYLES as REPORT_STYLES } from './html/styles.ts';
export { type JudgedRun, judgeAndReport } from './judge-and-report.ts';
export { renderJUnit } from './junit.ts';
export { type ConsoleTarget, createLiveConsole, type LiveConsoleOptions } from './live-console.ts';
export { loadReport, type ReportInput, type TrialTimeline } from './load-report.ts';
export { renderMarkdownSummary } from './markdown-summary.ts';
export { markdownCode, markdownText } from './markdown-text.ts';
export { type MutantSource, renderMutationElements } from './mutation-elements.ts';
export { plainLines, plainText } from './plain-text.ts';
export { type IndexedRun, loadRunIndex, type RunIndex } from './run-index.ts';
export { renderSummary } from './summary.ts';
export { textTable } from './text-table.ts';
export type { TrialDigest } from './trial-digest.ts';
export { RENDERERS, type Renderer, type WrittenReports, writeReports } from './write-reports.ts';
