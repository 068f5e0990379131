import { formatDurationMs } from '../../units/index.ts';
import type { ReportInput } from '../load-report.ts';
import type { TrialDigest } from '../trial-digest.ts';
import { capturesNote, capturesText } from './captures.ts';
import { type RecordLinks, recordLinks, TRIAL_ROWS } from './record-links.ts';
import { html, type Markup } from './template.ts';

const EXCEPTIONS_LIMIT = 200;

/** Every trial as a square, those that do not count with their reasons, and the list. */
export function trialsSection(input: ReportInput): Markup | undefined {
  const { run, trials } = input;
  if (trials.length === 0) return undefined;
  const links = recordLinks(input);
  const exceptions = trials.filter((trial) => !trial.counted);
  const captured = trials.some((trial) => trial.pcap);
  return html`<section id="trials"><h2>Trials</h2>
<div class="strip">${trials.slice(0, 3_000).map((trial) => html`<i class="${classOf(trial)}" title="${`${trial.pointId} #${trial.trial}: ${stateOf(trial)}`}"></i>`)}</div>
<p class="note">${trials.length} trials in the order of their points: filled ones count, outlined ones are void, orange ones broke, yellow ones prove nothing because a fault was not seen to act or to be gone.</p>
${
  exceptions.length > 0 &&
  html`<h3>${exceptions.length} do not count</h3><div class="scroll" role="group" tabindex="0" aria-label="Trials that do not count"><table><thead><tr><th scope="col">point</th><th scope="col" class="num">trial</th><th scope="col">outcome</th><th scope="col">why</th></tr></thead><tbody>${exceptions.slice(0, EXCEPTIONS_LIMIT).map((trial) => html`<tr><th scope="row">${trial.pointId}</th><td class="num"><a href="${links.trial(trial.pointId, trial.trial)}">${trial.trial}</a></td><td>${stateOf(trial)}</td><td class="text">${whyOf(trial)}</td></tr>`)}</tbody></table></div>${exceptions.length > EXCEPTIONS_LIMIT && html`<p class="note">and ${exceptions.length - EXCEPTIONS_LIMIT} more.</p>`}`
}
${capturesNote(trials)}
<details><summary>The list</summary><div class="scroll" role="group" tabindex="0" aria-label="All trials"><table><thead><tr><th scope="col">point</th><th scope="col" class="num">trial</th><th scope="col">outcome</th><th scope="col">behind it</th><th scope="col" class="num">took</th><th scope="col" class="num">bed ready in</th><th scope="col">bed</th><th scope="col" class="num">events</th>${captured && html`<th scope="col">captures</th>`}<th scope="col">seed</th></tr></thead><tbody>${trials.slice(0, TRIAL_ROWS).map((trial) => row(trial, captured, links))}</tbody></table></div>${trials.length > TRIAL_ROWS && html`<p class="note">${trials.length - TRIAL_ROWS} more are under trials/.</p>`}</details>
${run.notes && run.notes.length > 0 && html`<details><summary>${run.notes.length} notes of the judge</summary><ul>${run.notes.slice(0, EXCEPTIONS_LIMIT).map((note) => html`<li class="note">${note}</li>`)}</ul></details>`}
</section>`;
}

function row(trial: TrialDigest, captured: boolean, links: RecordLinks): Markup {
  const { bed, events } = trial;
  const file = (name: string): string => links.file(trial.pointId, trial.trial, name);
  return html`<tr id="${links.trialId(trial.pointId, trial.trial)}"><th scope="row"><a href="${links.point(trial.pointId)}">${trial.pointId}</a></th><td class="num">${trial.trial}</td><td>${stateOf(trial)}</td><td><a href="${file('trial.json')}">record</a> <a href="${file('events.jsonl')}">events</a> <a href="${file('logs/')}">logs</a></td><td class="num">${formatDurationMs(trial.durationMs)}</td><td class="num">${formatDurationMs(trial.overheadMs)}</td><td>${bed.id}${bed.reused ? ` (trial ${bed.trialOnBed} on it)` : ''}</td><td class="num">${events.count}${events.lost > 0 && ` (${events.lost} lost)`}</td>${captured && html`<td>${capturesText(trial)}</td>`}<td class="mono">${trial.seed}</td></tr>`;
}

function stateOf(trial: TrialDigest): string {
  if (trial.outcome !== 'completed') return trial.outcome;
  return trial.counted ? 'counts' : 'proves nothing';
}

function classOf(trial: TrialDigest): string {
  if (trial.outcome !== 'completed') return trial.outcome;
  return trial.counted ? '' : 'unproven';
}

function whyOf(trial: TrialDigest): string {
  const faults = trial.faults
    .filter((fault) => !fault.bit || !fault.gone)
    .map(
      (fault) =>
        `fault ${fault.id} was not seen to ${fault.bit ? 'be gone' : 'act'}: ${fault.problems.join('; ')}`,
    );
  return [...new Set([...trial.reasons, ...trial.host.reasons, ...faults])].join('; ') || 'no reason given';
}
