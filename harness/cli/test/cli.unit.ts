import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { commandNames, firstWord, isInternal, loadCommand, SUMMARIES } from '../catalogue.ts';

const BIN = join(dirname(fileURLToPath(import.meta.url)), '..', 'squall.mjs');

function squall(args: readonly string[], bin = BIN, cwd = tmpdir()) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...args], { encoding: 'utf8', cwd });
  return { status, stdout, stderr };
}

describe('the squall command', function () {
  // Each starts a process; a busy machine takes its time.
  this.timeout(60_000);

  it('prints help with examples and exit codes', () => {
    const { status, stdout } = squall(['--help']);
    expect(status).to.equal(0);
    expect(stdout).to.include('Examples:').and.include('Exit codes:').and.include('squall completion');
  });

  it('prints its version', () => {
    expect(squall(['--version']).stdout.trim()).to.match(/^\d+\.\d+\.\d+$/);
  });

  it('refuses a call without a command with exit 3', () => {
    const { status, stderr } = squall([]);
    expect(status).to.equal(3);
    expect(stderr).to.include('no command given');
  });

  it('refuses an unknown command and names the one that was meant', () => {
    const { status, stderr } = squall(['complition']);
    expect(status).to.equal(3);
    expect(stderr).to.include('Did you mean completion?');
  });

  it('refuses an unknown option and names the one that was meant', () => {
    const { status, stderr } = squall(['completion', '--hepl']);
    expect(status).to.equal(3);
    expect(stderr).to.include('--hepl').and.include('Did you mean --help?');
  });

  it('refuses a value outside the choices', () => {
    const { status, stderr } = squall(['completion', 'tcsh']);
    expect(status).to.equal(3);
    expect(stderr).to.include('"bash", "zsh", "fish"');
  });

  it('refuses an argument too many', () => {
    expect(squall(['completion', 'bash', 'more']).status).to.equal(3);
  });

  it('runs through a symbolic link from another folder', () => {
    const dir = mkdtempSync(join(tmpdir(), 'squall-link-'));
    try {
      symlinkSync(BIN, join(dir, 'squall'));
      expect(squall(['--version'], join(dir, 'squall'), dir).status).to.equal(0);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });

  it('ends quietly when the reader of its output has gone', () => {
    const { stderr, status } = spawnSync(
      'bash',
      ['-c', `set -o pipefail; "${process.execPath}" "${BIN}" --help | head -c 1; exit \${PIPESTATUS[0]}`],
      { encoding: 'utf8' },
    );
    expect(stderr).to.equal('');
    expect(status).to.equal(0);
  });

  it('completes commands, options and choices', () => {
    expect(squall(['__complete', 'compl']).stdout).to.equal('completion\n');
    expect(squall(['__complete', 'completion', 'f']).stdout).to.equal('fish\n');
    expect(squall(['__complete', 'completion', '--he']).stdout).to.equal('--help\n');
  });

  it('completes suites and the parameters of a suite', () => {
    expect(squall(['__complete', 'run', 'suites/memberl']).stdout).to.equal('suites/memberlist\n');
    expect(squall(['__complete', 'run', 'memberlist', '--cut']).stdout).to.equal('--cutoff\n');
  });

  it('prints a completion script that bash accepts', () => {
    const { stdout } = squall(['completion', 'bash']);
    expect(spawnSync('bash', ['-n'], { input: stdout }).status).to.equal(0);
  });

  it('has a summary for every command, and each module answers to its file name', async () => {
    for (const name of commandNames().filter((each) => !isInternal(each))) {
      const command = await loadCommand(name);
      expect(command, name).to.not.equal(undefined);
      expect(SUMMARIES, 'commands missing from the catalogue').to.have.property(name);
      expect(firstWord(command!), name).to.equal(name);
      expect(String(command?.describe ?? ''), name).to.not.equal('');
    }
  });
});
