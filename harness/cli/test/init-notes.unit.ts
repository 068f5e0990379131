import { expect } from 'chai';
import { type SquallSource, squallNotes } from '../init-notes.ts';

const notes = (changes: Partial<SquallSource>): readonly string[] =>
  squallNotes({
    hasPackage: false,
    folder: '/opt/squall',
    here: 'file:../squall',
    workflow: false,
    ...changes,
  });

describe('what init says of where Squall comes from', () => {
  it('is the line to add where there is a package.json already', () => {
    expect(notes({ hasPackage: true, asked: '1.2.0' })).to.deep.equal([
      'package.json is there and was left as it is; add to its devDependencies: "squall": "1.2.0"',
    ]);
    expect(notes({ hasPackage: true })).to.deep.equal([]);
  });

  it('is nothing where it was named for a new one', () => {
    expect(notes({ asked: 'squall-0.1.0.tgz', workflow: true })).to.deep.equal([]);
  });

  it('is that the folder is of this machine, may be emptied, and is not there in CI', () => {
    expect(notes({})).to.have.length(1);
    const cached = notes({ folder: '/home/me/.npm/_npx/0a1b/node_modules/squall', workflow: true });
    expect(cached[1]).to.match(/cache, which may be emptied .*--squall/);
    expect(cached[2]).to.match(/npm ci will fail; .*--squall/);
  });
});
