import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { commandNames, firstWord, isInternal, loadCommand, SUMMARIES } from '../catalogue.ts';
import { complete } from '../complete.ts';
import { squallHere } from './in-process.ts';

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

  it('ends with exit 3 and one line when it is called in a wrong way', () => {
    const { status, stderr, stdout } = squall(['completion', '--hepl']);
    expect(status).to.equal(3);
    expect(stdout).to.equal('');
    expect(stderr.trim().split('\n')).to.have.length(1);
    expect(stderr).to.include('--hepl').and.include('Did you mean --help?');
  });

  it('prints its version', async () => {
    expect((await squallHere('--version')).stdout.trim()).to.match(/^\d+\.\d+\.\d+$/);
  });

  for (const [argv, problem] of [
    [['complition'], 'Did you mean completion?'],
    [['completion', '--dryRun'], '--dryRun'],
    [['completion', 'tcsh'], '"bash", "zsh", "fish"'],
    [['completion', 'bash', 'more'], 'more: more than it takes'],
    [['--yes'], 'options without a command'],
    [['--yess'], 'Did you mean --yes?'],
    [['--yess', 'doctor'], '--yess: no such option before a command. Did you mean --yes?'],
    [['images', 'bild'], 'squall images bild: no such command. Did you mean build?'],
    [['engine', 'stat'], 'squall engine stat: no such command. Did you mean start?'],
    [['images', 'list', 'toxiproxy', '--jsn'], 'Did you mean --json?'],
    [['schema', 'topolgy'], 'Did you mean topology?'],
    [['fault', '--on', 'drop', 'los'], 'squall fault los: no such kind of fault. Did you mean loss?'],
    [
      ['fault', 'loss', '--id', 'drop', '--lossRato', '30%'],
      '--lossRato: no such option. Did you mean --lossRatio?',
    ],
    [['fault', 'drop', '--on', 'loss', '--lossRatio', '30%'], '--lossRatio: no such option'],
  ] as const) {
    it(`refuses \`squall ${argv.join(' ')}\` and says what was meant`, async () => {
      const { error } = await squallHere(...argv);
      expect(error?.blame).to.equal('input');
      expect(error?.message).to.include(problem);
    });
  }

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

  it('completes commands, options and choices', async () => {
    expect(await complete(['compl'])).to.deep.equal(['completion']);
    expect(await complete(['completion', 'f'])).to.deep.equal(['fish']);
    expect(await complete(['completion', '--he'])).to.deep.equal(['--help']);
  });

  it('completes suites and the parameters of a suite, and no suite for the value of an option', async () => {
    expect(await complete(['run', 'suites/memberl'])).to.deep.equal(['suites/memberlist']);
    expect(await complete(['run', 'memberlist', '--cut'])).to.deep.equal(['--cutoff']);
    expect(await complete(['run', 'memberlist', '--seed', ''])).to.deep.equal([]);
  });

  it('completes grids, scenarios and the values that a parameter has to choose from, also in a list', async () => {
    expect(await complete(['run', 'memberlist', '--grid', ''])).to.include.members(['gate', 'core', 'full']);
    expect(await complete(['plan', 'memberlist', '--scenario', 'out'])).to.deep.equal(['outage']);
    expect(await complete(['run', 'memberlist', '--variant', 'shi'])).to.deep.equal(['shipped']);
    const both = await complete(['run', 'memberlist', '--variant', 'shipped,bo']);
    expect(both).to.include('shipped,both');
    expect(await complete(['run', 'memberlist', '--variant', 'shipped,shi'])).to.deep.equal([]);
  });

  it('completes the settings of a kind of fault, whatever the names of its targets', async () => {
    expect(await complete(['fault', 'loss', '--on', 'drop', '--lossR'])).to.deep.equal(['--lossRatio']);
    expect(await complete(['fault', 'drop', '--on', 'loss', '--lossR'])).to.deep.equal([]);
  });

  it('prints completions a line each', async () => {
    expect((await squallHere('__complete', 'compl')).stdout).to.equal('completion\n');
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
