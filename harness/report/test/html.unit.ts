import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseHTML } from 'linkedom';
import { judgeAndReport, renderHtml } from '../index.ts';
import { type SampleOptions, sampleInput, sampleRun } from './sample-run.ts';

/** The few parts of a document that these tests look at; the project is typed without a browser's. */
interface Page {
  readonly text: string;
  all(selector: string): readonly PageElement[];
}
interface PageElement {
  readonly textContent: string;
  readonly localName: string;
  readonly attributes: Iterable<{ readonly name: string; readonly value: string }>;
}

const HOSTILE = `</script></style></svg><img src=x onerror=alert(1)>"'\u001b[31m\u202e&amp;`;

describe('the HTML report', () => {
  let reports: string;
  before(async () => {
    reports = await mkdtemp(join(tmpdir(), 'squall-html-'));
  });
  after(async () => {
    await rm(reports, { recursive: true, force: true });
  });

  async function pageOf(name: string, options: SampleOptions): Promise<Page> {
    const dir = join(reports, name);
    await sampleRun(dir, options);
    const { problems } = await judgeAndReport(dir, { checks: 'recorded' });
    expect(problems).to.deep.equal([]);
    const text = await readFile(join(dir, 'index.html'), 'utf8');
    const { document } = parseHTML(text) as unknown as {
      document: { querySelectorAll(selector: string): Iterable<PageElement> };
    };
    return { text, all: (selector) => [...document.querySelectorAll(selector)] };
  }

  it('says the verdict first, then shows grid, plots, faults, host, trials and the command', async () => {
    const page = await pageOf('whole', { outagesS: [24, 40], cutoffs: [8, 32] });
    expect(page.all('h1')[0]?.textContent).to.match(/checks? failed|checks hold/);
    const headings = page.all('h2').map((one) => one.textContent);
    for (const wanted of ['What the faults did', 'How the host behaved', 'Trials', 'How to repeat it']) {
      expect(headings).to.include(wanted);
    }
    expect(page.all('section figure svg').length).to.be.at.least(6);
    expect(page.all('pre')[0]?.textContent).to.equal('npx squall run suites/synthetic --grid core --seed 7');
    expect(page.text).to.contain('diamonds are published values');
    expect(page.text).to.contain('a synthetic quotation about twenty-four seconds');
  });

  it('shows several warps side by side: a line, a column and a figure of each', async () => {
    const page = await pageOf('warps', {
      outagesS: [24, 40],
      cutoffs: [8],
      variants: ['shipped'],
      warps: [1, 4],
    });
    const lines = page.all('svg text').map((one) => one.textContent);
    expect(lines).to.include.members(['shipped, warp 1', 'shipped, warp 4']);
    const rows = page.all('#published th').map((one) => one.textContent);
    for (const warp of [1, 4]) expect(rows).to.include(`warp ${warp}: Leak starts, 8 nodes cut off`);
    expect(rows).to.not.include('Leak starts, 8 nodes cut off');
    expect(page.all('.facets th').map((one) => one.textContent)).to.include.members(['1', '4']);
  });

  it('fetches nothing and runs nothing', async () => {
    const page = await pageOf('closed', { outagesS: [24, 40], cutoffs: [8] });
    expect(page.all('script, link, img, iframe, object, embed, form, video, audio')).to.deep.equal([]);
    const [policy] = page.all('meta[http-equiv]');
    const content = [...(policy?.attributes ?? [])].find(({ name }) => name === 'content')?.value;
    expect(content).to.contain("default-src 'none'").and.not.to.contain('script');
    for (const element of page.all('*')) {
      for (const { name, value } of element.attributes) {
        expect(name, element.localName).not.to.match(/^on/i);
        // Within the page, or to the record beside it; nowhere else.
        if (/^(href|src|action|xlink:href|poster|data)$/i.test(name))
          expect(value).to.match(
            /^(#[\w-]+|trials\/[\w%.()!~*'-]+\/\d+\/(trial\.json|events\.jsonl|logs\/))$/,
          );
      }
    }
    expect(page.text).not.to.match(/url\((?!#)|@import/);
  });

  it('keeps hostile names of nodes, variants, events and reasons as text', async () => {
    const page = await pageOf('hostile', {
      hostile: HOSTILE,
      variants: ['shipped', `both${HOSTILE}`],
      outagesS: [24, 40],
      cutoffs: [8, 32],
    });
    expect(page.all('img, script')).to.deep.equal([]);
    for (const element of page.all('*')) {
      for (const { name } of element.attributes) expect(name).not.to.match(/^on/i);
    }
    expect(page.text).not.to.contain('<img');
    expect(page.text).not.to.match(/[\u0000-\u0008\u000b-\u001f\u202e]/);
    expect(page.all('th').some((one) => one.textContent.includes('<img src=x onerror=alert(1)>'))).to.equal(
      true,
    );
    expect(page.all('svg text').some((one) => one.textContent.includes('</script>'))).to.equal(true);
  });

  it('names the captures of trials, and says what is missing in them', async () => {
    const input = await sampleInput({ outagesS: [24], cutoffs: [8], trials: 2 });
    expect(renderHtml(input)).to.not.contain('pcap');
    const [first, second, ...others] = input.trials;
    const trials = [
      { ...first!, pcap: { files: 3, bytes: 2_097_152, incomplete: 1, problems: [] } },
      { ...second!, pcap: { files: 0, bytes: 0, incomplete: 0, problems: [`not captured: ${HOSTILE}`] } },
      ...others,
    ];
    const page = renderHtml({ ...input, trials });
    expect(page).to.contain(`trials/${first!.pointId}/${first!.trial}/pcap/: 3 files, 2 MiB, 1 not complete`);
    expect(page).to.contain('Packets of 2 trials: 3 pcapng files, 2 MiB');
    expect(page).to.contain('not captured: ').and.not.contain('<img');
  });

  it('never writes a wrong number into a plot', async () => {
    const page = await pageOf('numbers', { outagesS: [24], cutoffs: [8], trials: 1 });
    for (const svg of page.all('svg')) {
      for (const element of [svg]) {
        for (const { value } of element.attributes) expect(value).not.to.match(/NaN|Infinity|undefined/);
      }
    }
    expect(page.text).not.to.match(/="[^"]*\b(NaN|undefined)\b/);
  });

  it('stays below 5 MB for a run of three thousand trials', async function () {
    this.timeout(60_000);
    const input = await sampleInput({
      trials: 19,
      variants: [
        'shipped',
        'grace',
        'health-at-creation',
        'health-at-firing',
        'both',
        'no-lifeguard',
        'penalty-first',
      ],
      outagesS: [24, 32, 40, 50, 65, 90, 130],
    });
    expect(input.trials.length).to.be.above(3_000);
    const text = renderHtml(input);
    expect(text.length).to.be.within(1024 * 1024, 5 * 1024 * 1024);
    expect(text.match(/<i class="[a-z]*" title=/g)?.length).to.equal(3_000);
  });
});
