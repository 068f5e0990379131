import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseHTML } from 'linkedom';
import { judgeRun } from '../../check/index.ts';
import { readRun } from '../../record/index.ts';
import {
  compareRuns,
  loadRunIndex,
  renderComparedHtml,
  renderComparedText,
  renderRunIndex,
} from '../index.ts';
import { type SampleOptions, sampleRun } from './sample-run.ts';

const HOSTILE = `</script><img src=x onerror=alert(1)>"'\u001b[31m\u202e`;

function attributes(text: string): readonly { readonly name: string; readonly value: string }[] {
  const { document } = parseHTML(text) as unknown as {
    document: {
      querySelectorAll(selector: string): Iterable<{
        readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
      }>;
    };
  };
  return [...document.querySelectorAll('*')].flatMap((element) => [...element.attributes]);
}

describe('reports over several runs', () => {
  let reports: string;
  before(async () => {
    reports = await mkdtemp(join(tmpdir(), 'squall-runs-'));
    const base: SampleOptions = { outagesS: [40], cutoffs: [32], trials: 3, variants: ['shipped', 'both'] };
    for (const [name, options] of [
      ['run-a', base],
      ['run-b', { ...base, failing: true, hostile: HOSTILE }],
      ['run-c', { ...base, outagesS: [24] }],
    ] as const) {
      await sampleRun(join(reports, name), options);
      await judgeRun(join(reports, name), { checks: 'recorded' });
      await writeFile(join(reports, name, 'index.html'), '');
    }
  });
  after(() => rm(reports, { recursive: true, force: true }));

  async function judged(name: string) {
    const { plan, run } = await readRun(join(reports, name));
    return { plan, run: run! };
  }

  it('list every run with its verdict, newest first, and link to its page', async () => {
    const index = await loadRunIndex(reports);
    expect(index.problems).to.deep.equal([]);
    expect(index.runs.map(({ runId, hasPage }) => [runId, hasPage])).to.deep.equal([
      ['run-c', true],
      ['run-b', true],
      ['run-a', true],
    ]);
    const page = renderRunIndex(index);
    expect(page).to.contain('href="run-b/index.html"');
    expect(page).to.contain('<h1>3 runs</h1>');
    for (const { name, value } of attributes(page)) {
      expect(name).not.to.match(/^on/i);
      if (name === 'href') expect(value).to.match(/^(#(main|run-[abc])|run-[abc]\/index\.html)$/);
    }
  });

  it('list what could not be read with its reason, and the others all the same', async () => {
    await writeFile(join(reports, 'run-c', 'plan.json'), '{"recordVersion": 1');
    try {
      const index = await loadRunIndex(reports);
      expect(index.runs.map(({ runId }) => runId)).to.deep.equal(['run-b', 'run-a']);
      expect(index.problems[0]).to.match(/^run-c: .*is not JSON/);
      expect(renderRunIndex(index)).to.contain('Not readable');
    } finally {
      await rm(join(reports, 'run-c'), { recursive: true });
    }
  });

  it('say which checks say something else and which measures differ clearly, and why to doubt it', async () => {
    const comparison = compareRuns(await judged('run-a'), await judged('run-b'));
    expect(comparison.points.length).to.be.above(0);
    const text = renderComparedText(comparison);
    expect(text).to.match(/was pass, is fail/);
    expect(text).to.contain('They did not run in turns');
    const changed = comparison.points.flatMap((point) => point.measures.filter((row) => row.interval));
    expect(changed.length).to.be.above(0);
    for (const { effect, interval } of changed) {
      expect(effect).to.be.within(interval!.low, interval!.high);
    }
    const page = renderComparedHtml(comparison, { before: '../run-a/index.html', after: 'index.html' });
    expect(page)
      .not.to.contain('<img')
      .and.not.to.match(/[\u001b\u202e]/);
    // Each figure leads to its point in the report that it comes from.
    for (const report of ['../run-a/index.html', 'index.html']) {
      const own = await judged(report === 'index.html' ? 'run-b' : 'run-a');
      for (const index of own.run.points.keys()) {
        expect(page).to.contain(`href="${report}#point-${index + 1}"`);
      }
    }
    for (const { name, value } of attributes(page)) {
      expect(name).not.to.match(/^on/i);
      if (name === 'href') expect(value).to.match(/^(#main|(\.\.\/run-a\/)?index\.html(#point-[1-9]\d*)?)$/);
    }
  });

  it('find no difference between a run and itself', async () => {
    const one = await judged('run-a');
    const { points, onlyBefore, onlyAfter } = compareRuns(one, one);
    expect([onlyBefore, onlyAfter]).to.deep.equal([[], []]);
    expect(points.flatMap((point) => point.changed)).to.deep.equal([]);
    for (const row of points.flatMap((point) => point.measures)) {
      if (row.effect !== undefined) expect(row.effect).to.equal(0);
      if (row.pValue !== undefined) expect(row.pValue).to.equal(1);
    }
    expect(renderComparedText(compareRuns(one, one))).to.contain('no measure differs clearly');
  });

  it('reckon nothing where some trial did not see it happen', async () => {
    const one = await judged('run-a');
    const points = one.run.points.map((point) => ({
      ...point,
      measures: { recovery: { values: [1, 2, null], mean: 1.5 } },
    }));
    const { points: compared } = compareRuns(one, { ...one, run: { ...one.run, points: points as never } });
    const before = { ...one, run: { ...one.run, points: points as never } };
    const rows = compareRuns(before, before).points.flatMap((point) => point.measures);
    expect(compared.flatMap((point) => point.measures)).to.deep.equal([]);
    expect(rows.length).to.be.above(0);
    for (const row of rows) expect(row).not.to.have.any.keys('effect', 'interval', 'pValue');
  });
});
