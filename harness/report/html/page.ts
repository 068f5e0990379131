import type { ReportInput } from '../load-report.ts';
import { comparisonsSection } from './comparisons-section.ts';
import { faultsSection } from './faults-section.ts';
import { figuresSection } from './figures-section.ts';
import { findingsSection } from './findings-section.ts';
import { hostSection } from './host-section.ts';
import { repeatSection } from './repeat-section.ts';
import { scenarioSection } from './scenario-section.ts';
import { STYLES } from './styles.ts';
import { html, join, Markup } from './template.ts';
import { trialsSection } from './trials-section.ts';
import { verdictSection } from './verdict-section.ts';

// No script runs and nothing is fetched, whatever a node may have written into its name or its log.
export const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'";

const WORDMARK = new Markup(
  '<svg viewBox="0 0 32 20" aria-hidden="true"><path d="M1 14c4 0 4-8 9-8s5 8 10 8 5-8 11-8" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round"/></svg>',
);

/** The whole run as one HTML file: no script, no font, no picture from elsewhere; light, dark and on paper. */
export function renderHtml(input: ReportInput): string {
  const { run, plan } = input;
  const name = [...new Set(plan.scenarios.map((scenario) => scenario.suite))].join(', ') || 'nothing';
  const scenarios = plan.scenarios.map((scenario, index) => ({
    name: scenario.scenario,
    id: `scenario-${index + 1}`,
    section: scenarioSection(input, scenario, `scenario-${index + 1}`),
  }));
  const sections: readonly (readonly [string, string, Markup | undefined])[] = [
    ['findings', 'What needs a look', findingsSection(input)],
    ...scenarios.map((one) => [one.id, one.name, one.section] as const),
    ['published', 'Published figures', figuresSection(input)],
    ['comparisons', 'Side by side', comparisonsSection(input)],
    ['faults', 'Faults', faultsSection(input)],
    ['host', 'Host', hostSection(input)],
    ['trials', 'Trials', trialsSection(input)],
    ['repeat', 'Repeat', repeatSection(input)],
  ];
  const shown = sections.filter(([, , section]) => section !== undefined);
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${new Markup(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="Squall ${run.squallVersion}">
<title>${run.verdict}: ${name} · Squall</title>
<style>${new Markup(STYLES)}</style>
</head>
<body>
<header><span class="wordmark">${WORDMARK}Squall</span><span class="run">${name} · run ${run.runId}</span></header>
<main>
${verdictSection(input)}
<nav aria-label="Sections">${join(shown.map(([id, title]) => html`<a href="#${id}">${title}</a>`))}</nav>
${join(shown.map(([, , section]) => section))}
</main>
<footer>Squall ${run.squallVersion} · record version ${run.recordVersion} · run ${run.runId} · judged by ${run.judgedBy === 'today' ? 'the checks of the day of judging' : 'the checks recorded with the run'} · Node.js ${run.host.node}. Everything here is in run.json and under trials/ beside this file.</footer>
</body>
</html>
`.text;
}
