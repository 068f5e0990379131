import { existsSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { check, point, run as sampleResult } from '../../gate/test/sample-result.ts';
import { judgeMutants, notCovered } from '../../mutation/index.ts';
import { readRun } from '../../record/index.ts';
import { openBrowser, openPage, overflowPx, until, type WatchedPage } from '../../testing/browser.ts';
import {
  compareRuns,
  judgeAndReport,
  loadRunIndex,
  renderComparedHtml,
  renderMutationHtml,
  renderRunIndex,
} from '../index.ts';
import { sampleRun } from './sample-run.ts';

const HOSTILE = `</script><img src=x onerror=alert(1)>"'\u001b[31m\u202e`;

/** Twelve mutants of three scenarios, whose names and rules are long and hostile. */
function mutationPage(): string {
  const rule = `whoever says ${HOSTILE} is not believed, however_long_it_is_without_a_single_place_to_break_a_line`;
  const claim = (index: number, scenario: string, dies: boolean) => ({
    image: `node-${HOSTILE}`,
    fix: 'a-fix-with-a-name-that-goes-on-and-on-and-on',
    suite: 'suites/fake',
    scenario,
    mutant: `mutant-${index}-of-a-rule-that-has-a-long-name-${HOSTILE}`,
    rule,
    control: point(`c${index}`, [check('nobody dies', 'pass')]),
    mutated: point(`m${index}`, [check('nobody dies', dies ? 'fail' : 'pass')]),
  });
  const own = Array.from({ length: 10 }, (_, index) => claim(index, 'outage', index % 3 > 0));
  const { control, mutated, ...bare } = claim(11, 'outage', true);
  const report = judgeMutants(own, {
    uncovered: [notCovered(bare)],
    others: ['a-crash-with-a-long-name', 'rack-uplink'].map((scenario) => claim(1, scenario, false)),
  });
  return renderMutationHtml(report, sampleResult([control, mutated]));
}

describe('reports in a browser, from the disk', function () {
  this.timeout(300_000);
  let reports: string;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  before(async () => {
    reports = await mkdtemp(join(tmpdir(), 'squall-report-page-'));
    const options = {
      outagesS: [24, 40],
      cutoffs: [8, 32],
      trials: 3,
      variants: ['shipped', `both${HOSTILE}`],
    };
    for (const [name, failing] of [
      ['run-a', false],
      ['run-b', true],
    ] as const) {
      await sampleRun(join(reports, name), { ...options, failing, hostile: HOSTILE });
      await judgeAndReport(join(reports, name), { checks: 'recorded' });
    }
    await writeFile(join(reports, 'index.html'), renderRunIndex(await loadRunIndex(reports)));
    const [before, after] = await Promise.all(
      ['run-a', 'run-b'].map(async (name) => {
        const { plan, run } = await readRun(join(reports, name));
        return { plan, run: run! };
      }),
    );
    const links = { before: '../run-a/index.html', after: 'index.html' };
    await writeFile(
      join(reports, 'run-b', 'against-run-a.html'),
      renderComparedHtml(compareRuns(before!, after!), links),
    );
    await writeFile(join(reports, 'run-b', 'mutation.html'), mutationPage());
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await rm(reports, { recursive: true, force: true });
  });

  async function open(file: string, width: number, dark: boolean): Promise<WatchedPage> {
    // Nothing may be needed from anywhere: the machine of the reader may have no network.
    const watched = await openPage(browser, { width, height: 900, dark, offline: true });
    await watched.page.goto(pathToFileURL(join(reports, file)).href);
    return watched;
  }

  for (const file of ['run-b/index.html', 'index.html', 'run-b/against-run-a.html', 'run-b/mutation.html']) {
    for (const [width, dark] of [
      [1280, false],
      [400, true],
    ] as const) {
      it(`${file} opens offline at ${width} pixels, ${dark ? 'dark' : 'light'}: no error, no overflow, hostile names as text`, async () => {
        const { page, problems, requests } = await open(file, width, dark);
        // All that is folded is opened, since what overflows there would be seen only then.
        await page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })");
        expect(await overflowPx(page)).to.equal(0);
        expect(problems).to.deep.equal([]);
        expect(requests).to.deep.equal([pathToFileURL(join(reports, file)).href]);
        expect(await page.evaluate("document.querySelectorAll('img, script').length")).to.equal(0);
        const paper = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
        const [red = 0] = paper.match(/\d+/g)?.map(Number) ?? [];
        expect(red, paper).to.be[dark ? 'below' : 'above'](128);
      });
    }
  }

  it('is readable on paper: light, and without what only a screen needs', async () => {
    const { page } = await open('run-b/index.html', 1280, true);
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    expect(await page.evaluate("getComputedStyle(document.querySelector('nav')).display")).to.equal('none');
    const ink = await page.evaluate<string>('getComputedStyle(document.body).color');
    expect(Number(ink.match(/\d+/)?.[0]), ink).to.be.below(128);
    expect((await page.pdf({ printBackground: true })).length).to.be.above(7_500);
  });

  it('leads by keyboard past its head, and from a figure to its trials and to the record', async () => {
    const { page } = await open('run-b/index.html', 1280, false);
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).to.equal('To the content');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('location.hash')).to.equal('#main');
    await page.evaluate("document.querySelector('td.cell a').focus()");
    await page.keyboard.press('Enter');
    await until(
      page,
      "document.querySelector(':target') !== null && document.querySelector(':target').closest('details').open",
    );
    const trial = await page.evaluate<string>("document.querySelector(':target a').getAttribute('href')");
    await page.evaluate("document.querySelector(':target a').focus()");
    await page.keyboard.press('Enter');
    await until(
      page,
      `location.hash === ${JSON.stringify(trial)} && document.querySelector(':target').closest('details').open`,
    );
    const files = await page.evaluate<string[]>(
      "[...document.querySelectorAll(':target a')].map((one) => one.href).filter((one) => one.includes('/trials/'))",
    );
    expect(files).to.have.length(3);
    expect(existsSync(new URL(files[0] ?? '')), files[0]).to.equal(true);
  });

  it('says in words what colours say, and names its figures for those who do not see them', async () => {
    const { page } = await open('run-b/index.html', 1280, false);
    const unnamed = await page.evaluate<number>(
      "[...document.querySelectorAll('main svg')].filter((one) => one.getAttribute('aria-hidden') !== 'true' && !one.getAttribute('aria-label') && !one.querySelector('title') && !one.closest('figure')?.querySelector('figcaption')).length",
    );
    expect(unnamed).to.equal(0);
    const marks = await page.evaluate<string[]>(
      "[...document.querySelectorAll('.mark')].map((one) => one.textContent)",
    );
    for (const mark of marks) expect(mark).to.match(/[✓✕?⏱∅~]/);
  });
});
