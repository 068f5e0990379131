import { expect } from 'chai';
import {
  currentOwner,
  formatOwner,
  ownerLife,
  type ProcReader,
  parseOwner,
  readStartTicks,
} from '../owner.ts';

const stat = (pid: number, name: string, state: string, startTicks: string): string =>
  `${pid} (${name}) ${state} ${Array.from({ length: 18 }, (_, index) => index).join(' ')} ${startTicks} 0 0\n`;

function procOf(overrides: Partial<Record<string, string>> = {}, host = 'host-a'): ProcReader {
  const files: Record<string, string | undefined> = {
    '/proc/sys/kernel/random/boot_id': 'boot-1\n',
    [`/proc/${process.pid}/stat`]: stat(process.pid, 'node', 'S', '100'),
    '/proc/700/stat': stat(700, 'squall', 'S', '555'),
    ...overrides,
  };
  return {
    readText(path) {
      const text = files[path];
      if (text === undefined) throw Object.assign(new Error(path), { code: 'ENOENT' });
      return text;
    },
    readLink: () => 'pid:[4026531836]',
    hostname: () => host,
  };
}

describe('owner', () => {
  const owner = currentOwner(700, procOf());

  it('survives the way into a label and back', () => {
    expect(parseOwner(formatOwner(owner))).to.deep.equal(owner);
    expect(formatOwner(owner)).to.equal('host-a/boot-1/4026531836/700/555');
  });

  for (const text of [undefined, '', 'somebody', 'a/b/c/d/e', 'a/b/c/1', 'a/b/c/1/2/3']) {
    it(`is not understood from ${JSON.stringify(text)}`, () => expect(parseOwner(text)).to.equal(undefined));
  }

  it('lives while the same process does', () => expect(ownerLife(owner, procOf())).to.equal('alive'));

  it('is dead when the process is gone, is a zombie, or its PID is another’s now', () => {
    expect(ownerLife(owner, procOf({ '/proc/700/stat': undefined as unknown as string }))).to.equal('dead');
    expect(ownerLife(owner, procOf({ '/proc/700/stat': stat(700, 'squall', 'Z', '555') }))).to.equal('dead');
    expect(ownerLife(owner, procOf({ '/proc/700/stat': stat(700, 'squall', 'S', '556') }))).to.equal('dead');
  });

  it('is dead after a boot of its host', () => {
    expect(ownerLife(owner, procOf({ '/proc/sys/kernel/random/boot_id': 'boot-2' }))).to.equal('dead');
  });

  it('is unknown, not dead, when it lives on another host or in another PID namespace', () => {
    expect(ownerLife(owner, procOf({}, 'host-b'))).to.equal('unknown');
    expect(ownerLife({ ...owner, pidNamespace: '1' }, procOf())).to.equal('unknown');
  });

  it('is read from a process whose name holds spaces and parentheses', () => {
    const proc = procOf({ '/proc/9/stat': stat(9, 'a) b (c', 'S', '77') });
    expect(readStartTicks(9, proc)).to.equal('77');
  });

  it('is this very process by default', () => expect(ownerLife(currentOwner())).to.equal('alive'));
});
