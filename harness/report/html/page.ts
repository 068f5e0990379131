import type { ReportInput } from '../load-report.ts';
import { comparisonsSection } from './comparisons-section.ts';
import { document } from './document.ts';
import { faultsSection } from './faults-section.ts';
import { figuresSection } from './figures-section.ts';
import { findingsSection } from './findings-section.ts';
import { hostSection } from './host-section.ts';
import { ranSection } from './ran-section.ts';
import { repeatSection } from './repeat-section.ts';
import { scenarioSection } from './scenario-section.ts';
import { html, join, type Markup } from './template.ts';
import { trialsSection } from './trials-section.ts';
import { verdictSection } from './verdict-section.ts';

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
    ['ran', 'What ran', ranSection(input)],
    ['faults', 'Faults', faultsSection(input)],
    ['host', 'Host', hostSection(input)],
    ['trials', 'Trials', trialsSection(input)],
    ['repeat', 'Repeat', repeatSection(input)],
  ];
  const shown = sections.filter(([, , section]) => section !== undefined);
  return document({
    title: `${run.verdict}: ${name}`,
    label: `${name} · run ${run.runId}`,
    generator: `Squall ${run.squallVersion}`,
    body: html`${verdictSection(input)}
<nav aria-label="Sections">${join(shown.map(([id, title]) => html`<a href="#${id}">${title}</a>`))}</nav>
${join(shown.map(([, , section]) => section))}`,
    footer: `Squall ${run.squallVersion} · record version ${run.recordVersion} · run ${run.runId} · judged by ${run.judgedBy === 'today' ? 'the checks of the day of judging' : 'the checks recorded with the run'} · Node.js ${run.host.node}. Everything here is in run.json and under trials/ beside this file.`,
  });
}
