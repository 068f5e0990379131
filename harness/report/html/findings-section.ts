import type { CheckResult, Finding, PointResult, RunRecord } from '../../record/index.ts';
import { axesOf, pointText, scenarioOf } from '../cases.ts';
import type { ReportInput } from '../load-report.ts';
import { type RecordLinks, recordLinks } from './record-links.ts';
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
export function findingsSection(input: ReportInput): Markup | undefined {
  const { run } = input;
  const groups = [
    ...group(run, (one) => one.verdict === 'fail'),
    ...group(run, (one) => one.verdict === 'inconclusive'),
    ...group(run, (one) => one.waived !== undefined),
  ];
  if (groups.length === 0 && run.errors.length === 0) return undefined;
  return html`<section id="findings"><h2>What needs a look</h2>
${groups.slice(0, GROUPS_LIMIT).map((one) => entry(one, input, recordLinks(input)))}
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

function entry({ check, hits }: Group, { run, plan, trials }: ReportInput, links: RecordLinks): Markup {
  const first = hits[0]?.point as PointResult;
  const scenario = scenarioOf(plan, first);
  const siblings = run.points.filter((one) => one.suite === first.suite && one.scenario === first.scenario);
  const axes = axesOf(siblings, scenario);
  const rows = hits
    .slice(0, FINDINGS_LIMIT)
    .map(
      (hit) =>
        html`<tr><th scope="row"><a href="${links.point(hit.point.pointId)}">${pointText(hit.point.point, axes, scenario)}</a></th><td class="text">${hit.check.sentence}${details(hit.check, { runId: run.runId, pointId: hit.point.pointId, trials, links })}</td></tr>`,
    );
  return html`<div class="finding ${check.verdict}">
<h3>${verdictMark(check.verdict, check.waived ? 'waived' : check.verdict)} ${check.title} <span class="muted">· ${first.suite}/${first.scenario}</span></h3>
${check.reason && html`<p class="muted">${check.reason}</p>`}
<div class="scroll" role="group" tabindex="0" aria-label="${check.title}: where"><table><thead><tr><th scope="col">${axes.join(' · ') || 'point'}</th><th scope="col">what was seen</th></tr></thead><tbody>${join(rows)}</tbody></table></div>
${hits.length > FINDINGS_LIMIT && html`<p class="note">and at ${hits.length - FINDINGS_LIMIT} more points.</p>`}
</div>`;
}

interface Place {
  readonly runId: string;
  readonly pointId: string;
  readonly trials: ReportInput['trials'];
  readonly links: RecordLinks;
}

function details(check: CheckResult, place: Place): Markup | undefined {
  if (check.findings.length === 0) return undefined;
  const shown = check.findings.slice(0, FINDINGS_LIMIT);
  return html`<details><summary>${check.findings.length} finding${check.findings.length === 1 ? '' : 's'}</summary>
<div class="scroll" role="group" tabindex="0" aria-label="Findings"><table><thead><tr><th scope="col">trial</th><th scope="col">subject</th><th scope="col">observed</th><th scope="col">expected</th></tr></thead><tbody>${shown.map((one) => findingRow(one, place))}</tbody></table></div>${check.findings.length > shown.length && html`<p class="note">The others are in run.json.</p>`}</details>`;
}

/** With the way to the trial, and to the lines of all nodes around the instant. */
function findingRow({ trial, subject, observed, expected, atNs }: Finding, place: Place): Markup {
  const { pointId, links, runId, trials } = place;
  const number =
    trial === undefined
      ? ''
      : html`<a href="${links.trial(pointId, trial)}" aria-label="trial ${trial}">${trial}</a>`;
  const began = trials.find((one) => one.pointId === pointId && one.trial === trial)?.startNs;
  const lines =
    trial === undefined || atNs === undefined || began === undefined
      ? undefined
      : html`<span class="small mono">${linesCommand(runId, pointId, trial, (atNs - began) / 1e6)}</span>`;
  return html`<tr><td class="num">${number}</td><td>${subject}</td><td>${observed}${lines}</td><td>${expected}</td></tr>`;
}

/** A second to either side. */
function linesCommand(runId: string, pointId: string, trial: number, atMs: number): string {
  const [from, to] = [Math.max(0, Math.floor(atMs - 1_000)), Math.ceil(atMs + 1_000)];
  return `npx squall timeline ${runId} --point '${pointId.replace(/'/g, "'\\''")}' --trial ${trial} --from ${from}ms --to ${to}ms`;
}
