import type { ReportInput } from '../load-report.ts';
import { html, type Markup } from './template.ts';

/** How to run it again, and how to judge it again without running it. */
export function repeatSection({ run }: ReportInput): Markup {
  return html`<section id="repeat"><h2>How to repeat it</h2>
<p>The same seed gives the same targets and the same timeline of faults; the systems and the host keep their own chance.</p>
<pre>${run.repeat}</pre>
<p class="muted">Judged again from its record, without a container; with the suite’s checks of today; drawn again; looked at as it went; beside another run:</p>
<pre>npx squall recheck reports/${run.runId}
npx squall recheck reports/${run.runId} --with SUITE
npx squall report reports/${run.runId}
npx squall watch reports/${run.runId} --web
npx squall report reports/${run.runId} --against OTHER-RUN</pre></section>`;
}
