/**
 * Runs every test of the project in one go, names again at the end what failed, and ends with `N passed, N failed` alone
 * on a line.
 *
 *   npx tsx harness/testing/run.ts [unit] [go] [engine]      all three when none is named
 *
 * unit: mocha, no engine. go: `go test` of each image written in Go. engine: mocha on real containers, one file at a time,
 * because their timing would disturb each other.
 */
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

interface Counts {
  passed: number;
  failed: number;
  /** What failed, a line each: `title: first line of its error`. */
  failures: string[];
}

const projectDir = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

function filesBelow(dir: string, suffix: string): string[] {
  if (!existsSync(dir)) return [];
  return readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(suffix) && !name.includes('node_modules'))
    .map((name) => relative(projectDir, join(dir, name)))
    .sort();
}

/** Runs a command to its end; resolves with its exit code, 1 when it could not start. */
function run(
  command: string,
  args: readonly string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; onLine?: (line: string) => void },
): Promise<number> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', options.onLine ? 'pipe' : 'inherit', 'inherit'],
    });
    if (child.stdout && options.onLine) createInterface({ input: child.stdout }).on('line', options.onLine);
    child.once('error', (error) => {
      console.error(`${command}: did not start: ${error.message}`);
      resolve(1);
    });
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** Mocha in a process of its own. A process that ends without its counts, or against them, is one failure. */
async function runMocha(
  files: readonly string[],
  label: string,
  timeoutMs: number,
  jobs = 1,
): Promise<Counts> {
  if (files.length === 0) return { passed: 0, failed: 0, failures: [] };
  const dir = mkdtempSync(join(tmpdir(), 'squall-tests-'));
  const countsFile = join(dir, 'counts.json');
  const args = [
    'node_modules/mocha/bin/mocha.js',
    '--reporter',
    'harness/testing/reporter.mjs',
    '--timeout',
    String(timeoutMs),
    ...(jobs > 1 ? ['--parallel', '--jobs', String(jobs)] : []),
    ...files,
  ];
  const code = await run(process.execPath, args, {
    cwd: projectDir,
    env: { SQUALL_TEST_COUNTS: countsFile },
  });
  const counts: Counts = existsSync(countsFile)
    ? (JSON.parse(readFileSync(countsFile, 'utf8')) as Counts)
    : { passed: 0, failed: 0, failures: [] };
  rmSync(dir, { recursive: true });
  const nothingRan = counts.passed + counts.failed === 0;
  if (nothingRan || (code !== 0 && counts.failed === 0)) {
    counts.failed += 1;
    counts.failures.push(
      `mocha ended with ${code} after ${counts.passed} tests passed; counted as a failure`,
    );
    console.error(`${label}: ${counts.failures.at(-1)}`);
  }
  return counts;
}

async function runGo(folder: string): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0, failures: [] };
  const outputs = new Map<string, string[]>();
  const code = await run('go', ['test', '-json', '-count=1', './...'], {
    cwd: join(projectDir, folder),
    onLine: (line) => {
      if (!line.startsWith('{')) {
        console.log(line);
        return;
      }
      const event = JSON.parse(line) as {
        Action: string;
        Package?: string;
        Test?: string;
        Output?: string;
        Elapsed?: number;
      };
      const key = `${event.Package} ${event.Test ?? ''}`;
      if (event.Action === 'output' || event.Action === 'build-output') {
        const kept = outputs.get(key) ?? [];
        if (kept.length < 400) kept.push(event.Output ?? '');
        outputs.set(key, kept);
        return;
      }
      if (!event.Test) {
        if (event.Action === 'fail' || event.Action === 'build-fail')
          process.stdout.write((outputs.get(key) ?? []).join(''));
        return;
      }
      if (event.Action === 'pass') {
        counts.passed += 1;
        if (!event.Test.includes('/')) console.log(`    ✔ ${event.Test} (${event.Elapsed} s)`);
      } else if (event.Action === 'fail' || event.Action === 'skip') {
        counts.failed += 1;
        counts.failures.push(`${event.Test} (${event.Action})`);
        console.log(`    ✘ ${event.Test} (${event.Action})`);
        process.stdout.write((outputs.get(key) ?? []).join(''));
      }
    },
  });
  if (code !== 0 && counts.failed === 0) {
    counts.failed += 1;
    counts.failures.push(`go test ended with ${code}; counted as a failure`);
    console.error(`${folder}: ${counts.failures.at(-1)}`);
  }
  return counts;
}

const wanted = process.argv.slice(2);
const unknown = wanted.filter((group) => !['unit', 'go', 'engine'].includes(group));
if (unknown.length > 0) {
  console.error(`tests: unknown group ${unknown.join(', ')}; expected unit, go or engine`);
  process.exit(3);
}
const has = (group: string) => wanted.length === 0 || wanted.includes(group);
const roots = ['harness', 'suites', 'images'].map((name) => join(projectDir, name));
const testFiles = (suffix: string) => roots.flatMap((root) => filesBelow(root, suffix));
const total: Counts = { passed: 0, failed: 0, failures: [] };

async function group(label: string, work: () => Promise<Counts>): Promise<void> {
  const startedMs = Date.now();
  console.log(`\n== ${label}`);
  const counts = await work();
  total.passed += counts.passed;
  total.failed += counts.failed;
  total.failures.push(...counts.failures.map((failure) => `${label}: ${failure}`));
  console.log(
    `== ${label}: ${counts.passed} passed, ${counts.failed} failed, ${Math.round((Date.now() - startedMs) / 1000)} s`,
  );
}

if (has('unit'))
  await group('unit tests', () =>
    runMocha(testFiles('.unit.ts'), 'unit tests', 20_000, availableParallelism()),
  );
if (has('go')) {
  for (const file of filesBelow(join(projectDir, 'images'), 'go.mod')) {
    const folder = dirname(file);
    await group(folder, () => runGo(folder));
  }
}
if (has('engine')) {
  for (const file of testFiles('.engine.ts')) await group(file, () => runMocha([file], file, 300_000));
}
if (total.failures.length > 0) {
  console.log('\nFailed:');
  for (const failure of total.failures) console.log(`  ${failure}`);
}
console.log(`\n${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
