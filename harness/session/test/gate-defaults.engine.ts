import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PARTS = ['harness', 'images', 'suites', 'topologies', 'package.json', 'tsconfig.json'];

/** One mutant of each system, and the check of the quick gate that must name what it breaks. */
const DEFAULTS = [
  {
    system: 'memberlist',
    image: 'memberlist-node',
    variant: 'both',
    mutant: 'both-without-health',
    named: 'no verdict before the scaled timeout',
  },
  {
    system: 'smp',
    image: 'smp-agent',
    variant: 'repick',
    mutant: 'repick-without-forget-on-streak',
    named: 'the agent connects',
  },
  {
    system: 'session',
    image: 'session-client',
    variant: 'final',
    mutant: 'no-redirects',
    named: 'honest: Redirects followed = 1',
  },
  {
    system: 'ant',
    image: 'fetch-node',
    variant: 'share',
    mutant: 'share-unlimited',
    named: 'never more than two fetches are in flight to the holder',
  },
] as const;

interface ImageFile {
  readonly variants: Record<string, { settings: Record<string, unknown> }>;
  readonly mutants: Record<string, { readonly settings: Record<string, unknown> }>;
}

interface GateFile {
  readonly lines: readonly { readonly check: string; readonly verdict: string }[];
}

/** About six minutes on two cores: the quick gate's part of each system, in a copy of the project whose default is wrong. */
describe('the quick gate of a project whose default is a mutant', function () {
  this.timeout(30 * 60_000);
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-defaults-'));
    for (const part of PARTS) cpSync(join(ROOT, part), join(dir, part), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'));
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  for (const { system, image, variant, mutant, named } of DEFAULTS) {
    it(`${system} with ${mutant}: fails, and names "${named}"`, () => {
      const path = join(dir, 'images', image, 'image.json');
      const original = readFileSync(path, 'utf8');
      const file = JSON.parse(original) as ImageFile;
      const shipped = file.variants[variant];
      if (!shipped) throw new Error(`${image}: has no variant ${variant}`);
      shipped.settings = { ...shipped.settings, ...file.mutants[mutant]?.settings };
      try {
        writeFileSync(path, JSON.stringify(file, undefined, 2));
        const gate = spawnSync(
          process.execPath,
          [
            'harness/cli/squall.mjs',
            'gate',
            '--quick',
            '--tag',
            system,
            '--seed',
            '7',
            '--parallel-beds',
            '2',
            '--yes',
          ],
          { cwd: dir, encoding: 'utf8', maxBuffer: 64 * 1024 ** 2 },
        );
        expect(gate.status, gate.stderr.slice(-4_000)).to.equal(1);
        const { lines } = JSON.parse(
          readFileSync(join(dir, 'reports', 'latest', 'gate.json'), 'utf8'),
        ) as GateFile;
        const failed = lines.filter(({ verdict }) => verdict === 'fail').map(({ check }) => check);
        expect(failed).to.include(named);
      } finally {
        writeFileSync(path, original);
      }
    });
  }
});
