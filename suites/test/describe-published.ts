import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { findMisquotes, type PublishedList, readPublishedList } from '../../harness/cli/published-list.ts';
import { loadSuite } from '../../harness/suite/index.ts';
import { cellProblem } from './cell-problem.ts';
import { type DocumentCell, documentCells, publishedCells } from './document-cells.ts';
import { heldHash } from './held-list.ts';

/** What a suite says of its list. */
export interface Published {
  /** Of the list as it was when its documents were last held against it. */
  readonly heldSha256: string;
  /** Each row of the README's tables that has a figure of the document, with the ids that it is tied to. */
  readonly rows: Readonly<Record<string, readonly string[]>>;
  /** Ids of figures beside which nothing is measured; not asked for when absent. */
  readonly notOurs?: readonly string[];
}

export const readPublished = (folder: string): PublishedList =>
  readPublishedList(join(folder, 'published.json'));

/** What the README of a suite has in its columns for the document's figures. */
export const readDocumentCells = (folder: string): readonly DocumentCell[] =>
  documentCells(readFileSync(join(folder, 'README.md'), 'utf8'));

/** Summaries of runs that are kept beside a suite. */
const summariesOf = (folder: string): readonly string[] =>
  readdirSync(folder).filter((name) => name.endsWith('-grid.md'));

/** What holds of every suite that stands beside a document. */
export function describePublished(folder: string, { heldSha256, rows, notOurs }: Published): void {
  const list = readPublished(folder);
  const scenarios = async () => (await loadSuite(folder)).scenarios;

  describe(`published figures of ${folder}`, () => {
    it('are each listed once, with the words that state them', () => {
      const ids = list.values.map(({ id }) => id);
      expect(ids).to.deep.equal([...new Set(ids)]);
      for (const { id, quote } of list.values) expect(quote, id).to.not.equal('');
      for (const { name, reason } of list.chosen) expect(reason, name).to.not.equal('');
    });

    it('are stated by those words', () => {
      const words = list.values.map(({ quote }) => quote).join('\n');
      expect(findMisquotes({ ...list, rules: [], paragraphs: [] }, words)).to.deep.equal([]);
    });

    it('are those that their documents were last held against', () => {
      expect(
        heldHash(list),
        `values, quotes or entries of the list are others: run "squall published ${folder} --source FILE", then set the new hash`,
      ).to.equal(heldSha256);
    });

    it('are what the README has as the figures of the document, row by row', () => {
      const cells = readDocumentCells(folder);
      expect(cells.map(({ row }) => row)).to.have.members(Object.keys(rows));
      for (const { row, cell } of cells)
        expect(cellProblem(list, cell, rows[row] ?? []), `${row}: ${cell}`).to.equal(undefined);
    });

    for (const file of summariesOf(folder)) {
      it(`stand in ${file} as its aggregates print them`, async () => {
        const printed = new Map(
          (await scenarios()).flatMap(({ published = [], aggregates = [] }) =>
            aggregates.map(({ title, published: ids = [] }) => {
              const shown = published.filter(({ id }) => ids.includes(id));
              return [title, shown.map(({ value, unit }) => `${value} ${unit}`.trim())] as const;
            }),
          ),
        );
        const cells = publishedCells(readFileSync(join(folder, file), 'utf8'));
        expect(cells).to.not.be.empty;
        for (const { row, cell } of cells)
          expect(cell === '–' ? [] : cell.split('; '), row).to.have.members([
            ...(printed.get(row) ?? ['no such row']),
          ]);
      });
    }

    it('are printed by a scenario only as the list has them', async () => {
      const printed = (await scenarios()).flatMap((scenario) => scenario.published ?? []);
      expect(printed).to.not.be.empty;
      for (const { id, label, value, unit, quote } of printed) {
        const listed = list.values.find((one) => one.id === id);
        expect(listed, id).to.include({ label, value, unit, quote });
      }
    });

    it('stand beside an aggregate exactly where the scenario prints them', async () => {
      for (const { name, published, aggregates } of await scenarios()) {
        const printed = (published ?? []).map(({ id }) => id);
        const shown = new Set((aggregates ?? []).flatMap((aggregate) => [...(aggregate.published ?? [])]));
        expect([...shown], name).to.have.members(printed);
      }
    });

    if (notOurs) {
      it('all stand beside one of ours, but for what is not measured here', async () => {
        const shown = (await scenarios()).flatMap(({ aggregates }) =>
          (aggregates ?? []).flatMap(({ published }) => [...(published ?? [])]),
        );
        const missing = list.values.map(({ id }) => id).filter((id) => !shown.includes(id));
        expect(missing).to.have.members([...notOurs]);
      });
    }
  });
}
