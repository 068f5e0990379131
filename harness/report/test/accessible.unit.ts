import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { parseHTML } from 'linkedom';
import { check, point, run as sampleResult } from '../../gate/test/sample-result.ts';
import { judgeMutants } from '../../mutation/index.ts';
import { readRun } from '../../record/index.ts';
import {
  compareRuns,
  judgeAndReport,
  loadRunIndex,
  renderComparedHtml,
  renderMutationHtml,
  renderRunIndex,
} from '../index.ts';
import { sampleRun } from './sample-run.ts';

/** The few parts of a document that these tests look at; the project is typed without a browser's. */
interface PageElement {
  readonly localName: string;
  readonly textContent: string;
  readonly outerHTML: string;
  readonly parentElement: PageElement | null;
  getAttribute(name: string): string | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

const PAGES = ['a run', 'the index of runs', 'two runs compared', 'the matrix of mutants'] as const;

describe('pages for those who listen to them, or have no mouse', () => {
  const texts = new Map<string, string>();
  let reports: string;
  before(async () => {
    reports = await mkdtemp(join(tmpdir(), 'squall-accessible-'));
    const options = { outagesS: [24, 40], cutoffs: [8, 32], trials: 3, variants: ['shipped', 'both'] };
    for (const [name, failing] of [
      ['run-a', false],
      ['run-b', true],
    ] as const) {
      await sampleRun(join(reports, name), { ...options, failing });
      await judgeAndReport(join(reports, name), { checks: 'recorded' });
    }
    const [before, after] = await Promise.all(
      ['run-a', 'run-b'].map(async (name) => {
        const { plan, run } = await readRun(join(reports, name));
        return { plan, run: run! };
      }),
    );
    const claim = {
      ...{ image: 'fake', fix: 'grace', suite: 'fake', scenario: 'outage', mutant: 'bare', rule: 'gone' },
      control: point('c', [check('nobody dies', 'pass')]),
      mutated: point('m', [check('nobody dies', 'fail')]),
    };
    texts.set('a run', await readFile(join(reports, 'run-b', 'index.html'), 'utf8'));
    texts.set('the index of runs', renderRunIndex(await loadRunIndex(reports)));
    texts.set(
      'two runs compared',
      renderComparedHtml(compareRuns(before!, after!), { before: 'a.html', after: 'b.html' }),
    );
    texts.set(
      'the matrix of mutants',
      renderMutationHtml(judgeMutants([claim]), sampleResult([claim.control, claim.mutated])),
    );
  });
  after(() => rm(reports, { recursive: true, force: true }));

  function all(name: string, selector: string): readonly PageElement[] {
    const { document } = parseHTML(texts.get(name) ?? '') as unknown as { document: PageElement };
    return [...document.querySelectorAll(selector)];
  }

  for (const name of PAGES) {
    it(`${name}: has a language, one heading of the first order, and none that is skipped`, () => {
      expect(all(name, 'html')[0]?.getAttribute('lang')).to.equal('en');
      const orders = all(name, 'h1,h2,h3,h4,h5,h6').map(({ localName }) => Number(localName.slice(1)));
      expect(orders.filter((order) => order === 1)).to.have.length(1);
      for (const [index, order] of orders.entries())
        expect(order).to.be.at.most((orders[index - 1] ?? 0) + 1);
    });

    it(`${name}: says of each head of a table what it is the head of`, () => {
      const heads = all(name, 'th');
      expect(heads.length).to.be.above(3);
      for (const head of heads) {
        expect(head.getAttribute('scope'), head.outerHTML).to.match(/^(col|row)$/);
        expect(head.textContent.trim(), head.outerHTML).to.not.equal('');
      }
      for (const table of all(name, 'table')) expect([...table.querySelectorAll('th')]).to.not.have.length(0);
    });

    it(`${name}: lets what is wider than the page be reached and named by keyboard`, () => {
      const boxes = all(name, '.scroll');
      expect(boxes.length).to.be.above(0);
      for (const box of boxes) {
        expect(box.getAttribute('tabindex'), box.outerHTML.slice(0, 120)).to.equal('0');
        expect(box.getAttribute('aria-label')).to.match(/\S/);
      }
      for (const table of all(name, 'table')) {
        expect(table.parentElement?.getAttribute('class'), table.outerHTML.slice(0, 120)).to.match(
          /\bscroll\b/,
        );
      }
    });

    it(`${name}: names every link and every picture, leads nowhere that is not there, and uses each name once`, () => {
      const ids = all(name, '[id]').map((one) => one.getAttribute('id'));
      expect(new Set(ids).size).to.equal(ids.length);
      for (const link of all(name, 'a')) {
        expect(link.textContent.trim() || link.getAttribute('aria-label'), link.outerHTML).to.match(/\S/);
        const href = link.getAttribute('href') ?? '';
        if (href.startsWith('#')) expect(ids, href).to.include(decodeURIComponent(href.slice(1)));
      }
      for (const picture of all(name, 'svg')) {
        const named = picture.getAttribute('aria-hidden') === 'true' || isNamed(picture);
        expect(named, picture.outerHTML.slice(0, 120)).to.equal(true);
      }
    });
  }
});

/** It, or what it stands in, is a picture with a name. */
function isNamed(element: PageElement | null): boolean {
  if (element === null) return false;
  if (element.getAttribute('role') === 'img') return /\S/.test(element.getAttribute('aria-label') ?? '');
  return isNamed(element.parentElement);
}
