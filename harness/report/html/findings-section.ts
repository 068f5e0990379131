import type { CheckResult, PointResult, RunRecord } from '../../record/index.ts';
import { axesOf, pointText, scenarioOf } from '../cases.ts';
import type { ReportInput } from '../load-report.ts';
import { html, join, type Markup } from './template.ts';
import { verdictMark } from './verdict-section.ts';

const NOTHING_COUNTS =
  'A trial counts when it ran to its end on a quiet host and its faults were seen to act and to be gone.';
const GROUPS_LIMIT = 30;
const FINDINGS_LIMIT = 8;
const LIST_LIMIT = 100;

interface Group {
  readonly check: CheckResult;
  readonly hits: { readonly point: PointResult; readonly check: CheckResult }[];
}

/** What did not pass, failures first and what is waived last, one entry a check with the points where it did not. */
export function findingsSection({ run, plan }: ReportInput): Markup | undefined {
  const groups = [
    ...group(run, (one) => one.verdict === 'fail'),
    ...group(run, (one) => one.verdict === 'inconclusive'),
    ...group(run, (one) => one.waived !== undefined),
  ];
  if (groups.length === 0 && run.errors.length === 0) return undefined;
  return html`<section id="findings"><h2>What needs a look</h2>
${groups.slice(0, GROUPS_LIMIT).map((one) => entry(one, run, plan))}
${groups.length > GROUPS_LIMIT && html`<p class="note">${groups.length - GROUPS_LIMIT} more are in run.json.</p>`}
${
  run.errors.length > 0 &&
  html`<div class="finding fail"><h3>${verdictMark('fail', 'broken')} Problems of the harness or the bed</h3>
<ul>${run.errors.slice(0, LIST_LIMIT).map((error) => html`<li>${error}</li>`)}</ul></div>`
}
</section>`;
}

function group(run: RunRecord, isWanted: (check: CheckResult) => boolean): Group[] {
  const groups = new Map<string, Group>();
  for (const point of run.points) {
    const nothing = (point.trials.counted ?? point.trials.completed) === 0;
    const open = point.checks.filter(isWanted);
    // One entry for all points of which nothing counts: each of their checks would say the same.
    for (const one of nothing ? open.slice(0, 1) : open) {
      const check = nothing ? { ...one, title: 'Nothing is shown', reason: NOTHING_COUNTS } : one;
      const key = `${point.suite}/${point.scenario}/${check.title}`;
      const known = groups.get(key) ?? { check, hits: [] };
      known.hits.push({ point, check });
      groups.set(key, known);
    }
  }
  return [...groups.values()];
}

function entry({ check, hits }: Group, run: RunRecord, plan: ReportInput['plan']): Markup {
  const first = hits[0]?.point as PointResult;
  const scenario = scenarioOf(plan, first);
  const siblings = run.points.filter((one) => one.suite === first.suite && one.scenario === first.scenario);
  const axes = axesOf(siblings, scenario);
  const rows = hits
    .slice(0, FINDINGS_LIMIT)
    .map(
      (hit) =>
        html`<tr><th scope="row">${pointText(hit.point.point, axes, scenario)}</th><td class="text">${hit.check.sentence}${details(hit.check)}</td></tr>`,
    );
  return html`<div class="finding ${check.verdict}">
<h3>${verdictMark(check.verdict, check.waived ? 'waived' : check.verdict)} ${check.title} <span class="muted">· ${first.suite}/${first.scenario}</span></h3>
${check.reason && html`<p class="muted">${check.reason}</p>`}
<div class="scroll"><table><thead><tr><th>${axes.join(' · ') || 'point'}</th><th>what was seen</th></tr></thead><tbody>${join(rows)}</tbody></table></div>
${hits.length > FINDINGS_LIMIT && html`<p class="note">and at ${hits.length - FINDINGS_LIMIT} more points.</p>`}
</div>`;
}

function details(check: CheckResult): Markup | undefined {
  if (check.findings.length === 0) return undefined;
  const shown = check.findings.slice(0, FINDINGS_LIMIT);
  return html`<details><summary>${check.findings.length} finding${check.findings.length === 1 ? '' : 's'}</summary>
<table><thead><tr><th>trial</th><th>subject</th><th>observed</th><th>expected</th></tr></thead><tbody>${shown.map(
    (one) =>
      html`<tr><td class="num">${one.trial ?? ''}</td><td>${one.subject}</td><td>${one.observed}</td><td>${one.expected}</td></tr>`,
  )}</tbody></table>${check.findings.length > shown.length && html`<p class="note">The others are in run.json.</p>`}</details>`;
}
