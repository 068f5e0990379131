import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { loadCommand } from '../catalogue.ts';
import { splitWords } from '../commands/attach.ts';
import { blockCommands, GUIDES, guideCommands, PROJECT, runBy } from './guide-commands.ts';
import { makeGuidePlace } from './guide-place.ts';
import { parseCall } from './parse-call.ts';

/** Words of a call that name what must be there for it to do anything. */
function filesIn(argv: readonly string[]): string[] {
  return argv.filter(
    (word, index) =>
      /^(suites|topologies)\/|\.(ya?ml|txt)$/.test(word) &&
      !['--out', '--image'].includes(argv[index - 1] ?? ''),
  );
}

describe('commands in the guides', () => {
  const home = process.cwd();
  let dir: string;

  before(() => {
    dir = makeGuidePlace();
    process.chdir(dir);
  });
  after(() => {
    process.chdir(home);
    rmSync(dir, { recursive: true, force: true });
  });

  for (const guide of GUIDES) {
    // The example's suite finds what it imports in a project of its own only.
    const commands = guideCommands([guide]).filter((command) => runBy(command) !== 'example');
    if (commands.length === 0) continue;
    it(`of ${guide} are understood as they stand, and name what is there`, async function () {
      this.timeout(60_000);
      for (const { line, argv } of commands) {
        for (const file of filesIn(argv))
          expect(
            existsSync(file) || existsSync(join(PROJECT, file)),
            `${file} of: npx squall ${line}`,
          ).to.equal(true);
        // Help is printed by the parser itself, and needs no more than the command.
        if (argv.includes('--help')) expect(await loadCommand(argv[0] ?? ''), line).not.to.equal(undefined);
        else
          await parseCall(argv).catch((error: unknown) =>
            expect.fail(`${guide}: npx squall ${line}: ${String(error)}`),
          );
      }
    });
  }

  it('are found in every guide that there should be', () => {
    for (const guide of [
      'gate',
      'incidents',
      'rehearsals',
      'own-system',
      'own-fault',
      'own-check',
      'watching',
    ])
      expect(blockCommands(`docs/${guide}.md`), guide).not.to.deep.equal([]);
  });

  it('would be refused if they were wrong', async () => {
    for (const line of ['watch --onse', 'run suites/nowhere', 'report --against', 'init a b', 'images sav x'])
      expect(
        await parseCall(splitWords(line)).then(
          () => 'parsed',
          () => 'refused',
        ),
        line,
      ).to.equal('refused');
  });
});

describe('code in the guides', () => {
  it('of a check of one’s own registers and judges', async () => {
    const text = readFileSync(join(PROJECT, 'docs/own-check.md'), 'utf8');
    const [, code = ''] = /```ts\n([\s\S]*?)```/.exec(text) ?? [];
    const folder = mkdtempSync(join(PROJECT, 'harness', 'cli', 'test', 'guide-'));
    try {
      const file = join(folder, 'check.ts');
      writeFileSync(file, code.replace('import { describeScenario, ', 'import { '));
      await import(file);
      const { checkProblems, registeredChecks } = await import('../../check/index.ts');
      expect(registeredChecks()).to.include('mine.one-leader');
      const spec = { check: 'mine.one-leader', title: 't', kind: 'invariant' as const };
      expect(checkProblems({ ...spec, parameters: { event: 'leader.elected' } })).to.deep.equal([]);
      expect(checkProblems({ ...spec, parameters: { evnet: 'x' } })).not.to.deep.equal([]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
