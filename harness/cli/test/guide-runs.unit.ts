import { spawn } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { FAULT_KINDS } from '../../fault/index.ts';
import { type GuideCommand, guideCommands, PROJECT, runBy } from './guide-commands.ts';
import { addGuideRuns, makeGuidePlace } from './guide-place.ts';
import { squallHere } from './in-process.ts';

/** What a page prints once it stands; it stays until it is ended, and the other views of a run that is over end by themselves. */
const STANDS = /^watch: (http:\S+)$/m;

/** What a command leaves that its guide goes on with. */
const LEAVES: Readonly<Record<string, string>> = {
  'baseline save': 'baselines/release-1.4.json',
  'report --index': 'reports/index.html',
  import: 'topologies/mine.yaml',
  init: 'suites/server/outage.scenario.yaml',
};

describe('each command in a guide', () => {
  it('is run by a test', () => {
    const unrun = guideCommands().filter((command) => runBy(command) === undefined);
    expect(unrun.map(({ guide, line }) => `${guide}: npx squall ${line}`)).to.deep.equal([]);
  });

  it('would be missed if no test ran it', () => {
    for (const [line, onBed] of [
      ['attach reports/latest', false],
      ['fault drop --on member', false],
      ['sweep', false],
      ['status', true],
      ['watch --bed server', false],
    ] as const)
      expect(runBy({ guide: 'docs/gate.md', line, argv: line.split(' '), onBed }), line).to.equal(undefined);
  });

  it('is found in blocks, under a variable, in a sentence over two lines, and in the reference', () => {
    const lines = (guide: string) => guideCommands([guide]).map(({ line }) => line);
    expect(lines('docs/example/README.md')).to.include.members(['run suites/members', 'images list']);
    expect(lines('docs/own-system.md')).to.include('import docker-compose.yaml --out topologies/mine.yaml');
    expect(lines('docs/faults.md').filter((line) => line.startsWith('fault '))).to.have.length(
      FAULT_KINDS.length,
    );
    expect(lines('docs/watching.md')).to.include('watch --json');
  });
});

describe('commands of the guides that need no engine', function () {
  this.timeout(120_000);
  const home = process.cwd();
  let dir: string;
  beforeEach(async () => {
    dir = makeGuidePlace();
    await addGuideRuns(dir);
    process.chdir(dir);
  });
  afterEach(() => {
    process.chdir(home);
    rmSync(dir, { recursive: true, force: true });
  });

  const guides = new Map<string, GuideCommand[]>();
  for (const command of guideCommands()) {
    const by = runBy(command);
    if (by !== 'here' && by !== 'planned') continue;
    guides.set(command.guide, [...(guides.get(command.guide) ?? []), command]);
  }

  for (const [guide, commands] of guides) {
    it(`of ${guide} do what they say, one after another`, async () => {
      for (const command of commands) await run(command);
    });
  }

  async function run(command: GuideCommand): Promise<void> {
    const { argv, line } = command;
    const left = Object.entries(LEAVES).find(([words]) => line.startsWith(words))?.[1];
    // A rehearsal is read beside its suite; `init` is called in a folder of its user's, where what follows it goes on.
    if (argv[0] === 'init') process.chdir(emptyFolder());
    const back = process.cwd();
    if (argv[0] === 'rehearse') process.chdir(PROJECT);
    if (argv.includes('--web')) return await runUntilItStands(argv);
    const planned = runBy(command) === 'planned' && !argv.includes('--plan') ? ['--plan'] : [];
    // Nothing is opened on the desktop of whoever runs the tests: where no program is found, the page's file is named.
    const path = process.env['PATH'] ?? '';
    if (argv.includes('--open')) process.env['PATH'] = '';
    const { error, stdout } = await squallHere(...argv, ...planned);
    process.env['PATH'] = path;
    process.chdir(back);
    expect(error, `npx squall ${line}: ${error?.message}`).to.equal(undefined);
    expect(stdout, `what npx squall ${line} prints`).to.not.equal('');
    if (left !== undefined) expect(existsSync(left), `${left} of npx squall ${line}`).to.equal(true);
  }

  function emptyFolder(): string {
    const folder = join(dir, 'of-its-user');
    mkdirSync(folder);
    for (const name of ['docker-compose.yaml', 'reports'])
      cpSync(join(dir, name), join(folder, name), { recursive: true, verbatimSymlinks: true });
    return folder;
  }

  /** A process of its own, asked at the address that it prints, and then ended. */
  async function runUntilItStands(argv: readonly string[]): Promise<void> {
    const bin = join(PROJECT, 'harness', 'cli', 'squall.mjs');
    const child = spawn(process.execPath, [bin, ...argv], { cwd: dir, stdio: ['ignore', 'ignore', 'pipe'] });
    let told = '';
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    try {
      const address = await new Promise<string>((resolve, reject) => {
        child.stderr.on('data', (chunk: Buffer) => {
          told += chunk.toString();
          const [, found] = STANDS.exec(told) ?? [];
          if (found !== undefined) resolve(found);
        });
        ended.then(() => reject(new Error(`npx squall ${argv.join(' ')} ended: ${told}`)));
      });
      // A page answers with a cookie, and leads to itself.
      expect((await fetch(address, { redirect: 'manual' })).status, address).to.be.oneOf([200, 302, 303]);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await ended, told).to.equal(0);
  }
});
