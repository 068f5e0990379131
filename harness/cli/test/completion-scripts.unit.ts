import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { squallHere } from './in-process.ts';

/**
 * In place of `squall`: shows the words that it was asked to complete, and has no answer behind `nothing`.
 * Each driver then presses Tab behind `squall run 'a b' ` and behind `squall nothing `.
 */
const DRIVERS: Readonly<
  Record<string, { readonly args: readonly string[]; readonly before: string; readonly after: string }>
> = {
  bash: {
    args: ['--norc', '--noprofile'],
    before: `squall() { [ "$2" = nothing ] || printf '<%s>' "$@"; }
compopt() { echo "files: $*"; }`,
    after: `COMP_WORDS=(squall run 'a b' '') COMP_CWORD=3; _squall; echo "\${COMPREPLY[@]}"
COMP_WORDS=(squall nothing '') COMP_CWORD=2; _squall; echo "\${#COMPREPLY[@]} answers"`,
  },
  zsh: {
    args: ['-f'],
    before: `squall() { [ "$2" = nothing ] || printf '<%s>' "$@"; }
compdef() { : }
compadd() { print -r -- \${(P)2} }
_files() { print files: -o default }`,
    after: `words=(squall run 'a b' '') CURRENT=4; _squall
words=(squall nothing '') CURRENT=3; _squall; echo 0 answers`,
  },
  fish: {
    args: ['--no-config'],
    before: `function squall
  test $argv[2] = nothing; or printf '<%s>' $argv
end
function __fish_complete_path
  echo "files: -o default"
end`,
    after: `complete -C "squall run 'a b' "
complete -C "squall nothing "; echo "0 answers"`,
  },
};

/** bash is everywhere; the others are asked where this machine has them. */
const installed = Object.keys(DRIVERS).filter(
  (shell) => shell === 'bash' || spawnSync(shell, ['--version']).status === 0,
);

describe('completion scripts', () => {
  for (const shell of installed) {
    it(`hand all words of the prompt to squall, and leave file names to ${shell} where it has no answer`, async () => {
      const { stdout: script } = await squallHere('completion', shell);
      const { args, before, after } = DRIVERS[shell]!;
      const home = mkdtempSync(join(tmpdir(), 'squall-shell-'));
      try {
        const { status, stdout, stderr } = spawnSync(
          shell,
          [...args, '-c', [before, script, after].join('\n')],
          {
            encoding: 'utf8',
            cwd: home,
            env: { PATH: process.env['PATH'], HOME: home },
          },
        );
        expect(stderr).to.equal('');
        expect(stdout.trim().split('\n')).to.deep.equal([
          '<__complete><run><a b><>',
          'files: -o default',
          '0 answers',
        ]);
        expect(status).to.equal(0);
      } finally {
        rmSync(home, { recursive: true });
      }
    });
  }
});
