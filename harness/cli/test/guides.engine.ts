import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { splitWords } from '../commands/attach.ts';

const CLI = join(dirname(fileURLToPath(import.meta.url)), '..');
const PROJECT = join(CLI, '..', '..');

/** The commands of a guide's block that begins with `up`, as far as `down`. */
function bedBlock(guide: string): string[] {
  const text = readFileSync(join(PROJECT, guide), 'utf8');
  const [block = ''] =
    /^ {4}npx squall up topologies\/memberlist-16[\s\S]*?^ {4}npx squall down/m.exec(text) ?? [];
  return block
    .split('\n')
    .map((line) => line.replace(/^ {4}npx squall /, '').replace(/(\s+#|\s{2,}).*$/, ''));
}

describe('commands of the guides on a bed that is up', function () {
  this.timeout(600_000);
  // A name of its own, so that a bed of somebody else is neither taken for it nor in its way.
  const name = `guide-${process.pid}`;
  function squall(argv: readonly string[]) {
    const words =
      argv[0] === 'up' ? [...argv, '--name', name] : argv.includes('--bed') ? argv : [...argv, '--bed', name];
    return spawnSync(process.execPath, [join(CLI, 'squall.mjs'), ...words], {
      cwd: PROJECT,
      encoding: 'utf8',
    });
  }

  for (const guide of ['docs/own-fault.md', 'README.md']) {
    it(`of ${guide} do what they say, one after another`, () => {
      const commands = bedBlock(guide).map(splitWords);
      expect(commands.length).to.be.above(3);
      let isUp = false;
      try {
        for (const argv of commands) {
          const { status, stdout, stderr } = squall(argv);
          expect(status, `${argv.join(' ')}: ${stdout}${stderr}`).to.equal(0);
          isUp = argv[0] === 'up' || (isUp && argv[0] !== 'down');
          if (argv[0] === 'status') {
            const watched = squall(['watch', '--once', '--bed', name]);
            expect(watched.status, watched.stderr).to.equal(0);
            expect(watched.stdout).to.contain('16 member').and.contain('a bed that is up');
          }
        }
        expect(isUp).to.equal(false);
      } finally {
        if (isUp) squall(['down']);
      }
    });
  }
});
