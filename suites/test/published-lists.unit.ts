import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readPublishedList } from '../../harness/cli/published-list.ts';

const folders = readdirSync('suites').filter((name) => existsSync(join('suites', name, 'published.json')));

describe('lists of published figures', () => {
  for (const folder of folders) {
    it(`of ${folder} can be listed as its README says`, () => {
      const { values, chosen } = readPublishedList(join('suites', folder, 'published.json'));
      expect(values).to.not.be.empty;
      expect(chosen).to.not.be.empty;
      expect(readFileSync(join('suites', folder, 'README.md'), 'utf8')).to.include(
        `squall published suites/${folder}`,
      );
    });
  }

  it('exist wherever a README tells to list one', () => {
    const named = readdirSync('suites').filter((name) => {
      const readme = join('suites', name, 'README.md');
      return existsSync(readme) && readFileSync(readme, 'utf8').includes(`squall published suites/${name}`);
    });
    expect(folders).to.include.members(named);
  });
});
