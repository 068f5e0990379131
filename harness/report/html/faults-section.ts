import { formatNumber } from '../../check/index.ts';
import type { FaultRecord } from '../../record/index.ts';
import { median } from '../../stats/index.ts';
import type { ReportInput } from '../load-report.ts';
import type { TrialDigest } from '../trial-digest.ts';
import { html, type Markup } from './template.ts';
import { verdictMark } from './verdict-section.ts';

const ROWS_LIMIT = 200;
const PROBLEMS_LIMIT = 5;

interface Group {
  readonly scenario: string;
  readonly fault: FaultRecord;
  readonly seen: FaultRecord[];
}

/** What the bed itself says each fault did: the witness, over all trials that had it. */
export function faultsSection({ trials }: ReportInput): Markup | undefined {
  const groups = groupFaults(trials);
  if (groups.length === 0) return undefined;
  return html`<section id="faults"><h2>What the faults did</h2>
<p class="muted">Read back from the bed, never from what was asked of it. A fault that was not seen to act, or not seen to be gone, makes its trial prove nothing.</p>
<div class="scroll" role="group" tabindex="0" aria-label="Faults"><table><thead><tr><th scope="col">fault</th><th scope="col">on</th><th scope="col" class="num">times</th><th scope="col">seen to act</th><th scope="col">seen gone</th><th scope="col">witness a trial: median (least to most)</th><th scope="col" class="num">skew at most</th></tr></thead>
<tbody>${groups.slice(0, ROWS_LIMIT).map(row)}</tbody></table></div>
${groups.length > ROWS_LIMIT && html`<p class="note">${groups.length - ROWS_LIMIT} more kinds are in the trials’ records.</p>`}</section>`;
}

function groupFaults(trials: readonly TrialDigest[]): Group[] {
  const groups = new Map<string, Group>();
  for (const trial of trials) {
    for (const fault of trial.faults) {
      const ordered = Object.entries(fault.settings).sort();
      const key = JSON.stringify([trial.scenario, fault.id, fault.kind, fault.selector, ordered]);
      const group = groups.get(key) ?? { scenario: trial.scenario, fault, seen: [] };
      group.seen.push(fault);
      groups.set(key, group);
    }
  }
  return [...groups.values()];
}

function row({ scenario, fault, seen }: Group): Markup {
  const all = (flag: 'bit' | 'gone'): Markup => {
    const yes = seen.filter((one) => one[flag]).length;
    return verdictMark(yes === seen.length ? 'pass' : 'inconclusive', `${yes} of ${seen.length}`);
  };
  const settings = Object.entries(fault.settings)
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
  const skews = seen.flatMap((one) => [one.applySkewNs, one.liftSkewNs].filter((skew) => skew !== undefined));
  const skew = skews.length === 0 ? '–' : `${formatNumber(Math.max(...skews) / 1e6)} ms`;
  return html`<tr><th scope="row">${fault.kind}<span class="small">${fault.id} · ${scenario}${settings && ` · ${settings}`}</span></th>
<td>${fault.selector}<span class="small">${fault.targets.length} node${fault.targets.length === 1 ? '' : 's'}</span></td><td class="num">${seen.length}</td><td>${all('bit')}</td><td>${all('gone')}</td>
<td class="text">${witness(seen)}</td><td class="num">${skew}</td></tr>`;
}

/** Counts that were ever above zero with their spread, the others by name. */
function witness(seen: readonly FaultRecord[]): Markup {
  const names = [...new Set(seen.flatMap((one) => Object.keys(one.witness?.counts ?? {})))];
  const counts = names.map((name) => ({
    name,
    values: seen.flatMap((one) => one.witness?.counts[name] ?? []),
  }));
  const silent = counts.filter(({ values }) => values.every((value) => value === 0)).map(({ name }) => name);
  const spoken = counts.filter(({ name }) => !silent.includes(name)).map(spread);
  const problems = [...new Set(seen.flatMap((one) => one.problems))].slice(0, PROBLEMS_LIMIT);
  return html`${spoken.length === 0 ? '–' : html`<span class="counts">${spoken}</span>`}${silent.length > 0 && html`<span class="small">always 0: ${silent.join(', ')}</span>`}${problems.map((problem) => html`<span class="small">${problem}</span>`)}`;
}

function spread({ name, values }: { readonly name: string; readonly values: readonly number[] }): Markup {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const range = least === most ? '' : ` (${formatNumber(least)} to ${formatNumber(most)})`;
  return html`<span>${name} <b>${formatNumber(median(values))}</b>${range}</span>`;
}
