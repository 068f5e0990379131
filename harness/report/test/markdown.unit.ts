import { expect } from 'chai';
import { markdownCode, markdownText, renderMarkdownSummary } from '../index.ts';
import { sampleInput } from './sample-run.ts';

describe('the summary of a run as Markdown', () => {
  it('has the machine, every point with the value of each trial, and what the document says beside it', async () => {
    const input = await sampleInput({ variants: ['shipped'], cutoffs: [32], outagesS: [40], trials: 3 });
    const text = renderMarkdownSummary(input);
    const { host, repeat } = input.run;
    expect(text).to.include(`| trials that count | ${input.run.points.length * 3} of`);
    expect(text).to.include(`${host.cpus} × ${host.cpuModel}`);
    expect(text).to.include(repeat);
    for (const point of input.run.points) {
      const values = point.measures['falseDeaths']?.values ?? [];
      if (new Set(values).size > 1) expect(text).to.include(`: ${values.join(', ')} |`);
    }
    expect(text).to.include('180 deaths');
  });

  it('keeps its tables whole whatever a name holds', async () => {
    const input = await sampleInput({ hostile: '| a\nb | <script>', trials: 3 });
    const rows = renderMarkdownSummary(input).split('\n');
    const width = (row: string): number => row.replaceAll(/\\\|/g, '').split('|').length;
    for (const [index, row] of rows.entries()) {
      expect(row).not.to.include('<script>');
      const before = rows[index - 1];
      if (row.startsWith('|') && before?.startsWith('|')) expect(width(row), row).to.equal(width(before));
    }
  });

  it('escapes what Markdown would take for something', () => {
    expect(markdownText('a*b*_c_ <d> @e [f](g)')).to.equal('a\\*b\\*\\_c\\_ &lt;d&gt; &#64;e \\[f\\]\\(g\\)');
    expect(markdownCode('a`b')).to.equal("`a'b`");
  });
});
