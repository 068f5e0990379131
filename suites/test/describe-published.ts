import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { findMisquotes, type PublishedList, readPublishedList } from '../../harness/cli/published-list.ts';
import { loadSuite } from '../../harness/suite/index.ts';
import { documentCells, numbersIn } from './document-cells.ts';

export const readPublished = (folder: string): PublishedList =>
  readPublishedList(join(folder, 'published.json'));

/** What the README of a suite has in its columns for the document's figures. */
export const readDocumentCells = (folder: string): readonly string[] =>
  documentCells(readFileSync(join(folder, 'README.md'), 'utf8'));

/**
 * What holds of every suite that stands beside a document.
 * @param notOurs ids of figures beside which nothing is measured; not asked for when absent
 */
export function describePublished(folder: string, notOurs?: readonly string[]): void {
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

    it('are all that the README has as the figures of the document', () => {
      const cells = readDocumentCells(folder);
      expect(cells).to.not.be.empty;
      const known = new Set(list.values.flatMap(({ value }) => numbersIn(String(value))));
      for (const cell of cells)
        for (const number of numbersIn(cell))
          expect(known.has(number), `${number} in: ${cell}`).to.equal(true);
    });

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
