import { countOf } from '../../check/index.ts';
import { formatBytes } from '../../units/index.ts';
import type { TrialDigest } from '../trial-digest.ts';
import { html, type Markup } from './template.ts';

const PROBLEMS_LIMIT = 20;

/** Where the packets of a trial lie, and whether all of them are there; empty where none were asked for. */
export function capturesText({ pcap, pointId, trial }: TrialDigest): string {
  if (!pcap) return '';
  if (pcap.files === 0) return 'none';
  const missing = pcap.incomplete > 0 ? `, ${pcap.incomplete} not complete` : '';
  return `trials/${pointId}/${trial}/pcap/: ${countOf(pcap.files, 'file')}, ${formatBytes(pcap.bytes)}${missing}`;
}

/** What was captured in the whole run, and what kept it from being complete. */
export function capturesNote(trials: readonly TrialDigest[]): Markup | undefined {
  const asked = trials.flatMap(({ pcap, pointId, trial }) => (pcap ? [{ pcap, pointId, trial }] : []));
  if (asked.length === 0) return undefined;
  const sum = (of: 'files' | 'bytes' | 'incomplete'): number =>
    asked.reduce((total, { pcap }) => total + pcap[of], 0);
  const cut = sum('incomplete');
  const problems = asked.flatMap(({ pcap, pointId, trial }) =>
    pcap.problems.map((problem) => `${pointId} #${trial}: ${problem}`),
  );
  return html`<p class="note">Packets of ${countOf(asked.length, 'trial')}: ${countOf(sum('files'), 'pcapng file')}, ${formatBytes(sum('bytes'))}, a node each, under the trial’s pcap/. They show what the network saw: inbound before a fault acts, outbound after it.${cut > 0 && ` ${cut} are not complete: their trial.json counts what is missing, and why.`}</p>
${problems.length > 0 && html`<ul>${problems.slice(0, PROBLEMS_LIMIT).map((problem) => html`<li class="note">${problem}</li>`)}</ul>`}
${problems.length > PROBLEMS_LIMIT && html`<p class="note">and ${problems.length - PROBLEMS_LIMIT} more.</p>`}`;
}
