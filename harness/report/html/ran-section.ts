import type { ReportInput } from '../load-report.ts';
import type { RanImage } from '../trial-digest.ts';
import { html, type Markup } from './template.ts';
import { isRehearsal } from './verdict-section.ts';

interface Row extends RanImage {
  readonly side: string;
}

/** What a rehearsal was about, to sign off: the largest wave, and each image of each side with the id that ran. */
export function ranSection({ plan, trials }: ReportInput): Markup | undefined {
  const [largest] = trials.filter(({ counted }) => counted).toSorted((a, b) => b.nodes - a.nodes);
  if (!isRehearsal(plan) || !largest) return undefined;
  const rows = rowsOf(plan, trials);
  return html`<section id="ran"><h2>What ran</h2>
<p>Largest wave: ${largest.nodes} nodes (${largest.ran.map(({ count, role }) => `${count} ${role}`).join(', ')}). Why none was larger, where one was asked for, stands in rehearsal.json.</p>
<div class="scroll" role="group" tabindex="0" aria-label="Images that ran"><table><thead><tr><th scope="col">side</th><th scope="col">role</th><th scope="col">image</th><th scope="col">id</th></tr></thead><tbody>${rows.map(
    ({ side, role, image, imageId }) =>
      html`<tr><th scope="row">${side}</th><td class="text">${role}</td><td class="text">${image}</td><td class="text">${imageId}</td></tr>`,
  )}</tbody></table></div></section>`;
}

function rowsOf({ scenarios }: ReportInput['plan'], trials: ReportInput['trials']): readonly Row[] {
  const parameter = scenarios.flatMap(({ comparisons = [] }) => comparisons)[0]?.parameter;
  const rows = new Map<string, Row>();
  for (const { point, ran } of trials) {
    const side = parameter === undefined ? '' : String(point[parameter]);
    for (const one of ran) rows.set(`${side} ${one.role} ${one.image} ${one.imageId}`, { ...one, side });
  }
  return [...rows.values()];
}
