import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Ledger } from '../ledger.ts';
import { stateHome } from '../state-home.ts';

describe('the ledger', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-ledger-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('keeps what is entered, in order, until it is removed, also by several at once', async () => {
    const ledger = new Ledger(folder);
    expect(ledger.entries()).to.deep.equal([]);
    await Promise.all(
      ['a', 'b', 'c'].map((path) => new Ledger(folder).add({ kind: 'limit', path, from: '1', to: '2' })),
    );
    expect(ledger.entries()).to.have.length(3);
    const [first] = ledger.entries();
    await ledger.remove(first?.id ?? '');
    expect(ledger.entries()).to.have.length(2);
  });

  it('that cannot be read says so instead of forgetting', () => {
    const ledger = new Ledger(folder);
    writeFileSync(ledger.path, 'half a fil');
    expect(() => ledger.entries()).to.throw(/cannot be read; expected JSON/);
  });

  it('lies in the state directory', () => {
    expect(stateHome({ SQUALL_STATE_HOME: '/x' })).to.equal('/x');
    const mine = stateHome({ HOME: '/home/me', XDG_STATE_HOME: '/state' });
    expect(mine).to.equal(process.getuid?.() === 0 ? '/var/lib/squall' : '/state/squall');
  });
});
