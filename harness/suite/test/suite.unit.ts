import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { findSuite, loadSuite } from '../index.ts';

const PROJECT = fileURLToPath(new URL('../../../', import.meta.url));
const LIBRARY = pathToFileURL(join(PROJECT, 'harness', 'index.ts')).href;

const YAML = `
name: from-yaml
description: a scenario as data
topology: memberlist-16
phases: [{name: recovery, steps: [{wait: 1s}]}]
checks: [{check: no-event, title: nothing, kind: invariant, parameters: {event: x}}]
`;

const code = (name: string, extra = ''): string => `
import { describeScenario } from '${LIBRARY}';
${extra}
describeScenario({
  name: '${name}',
  description: 'a scenario as code',
  topology: 'memberlist-16',
  parameters: {},
  grids: { default: { description: '', axes: {} } },
  defaultGrid: 'default',
  trials: 1,
  bed: 'reuse',
  phases: [{ name: 'recovery', steps: [{ wait: '1s' }] }],
  measure: [],
  measures: [],
  checks: [{ check: 'no-event', title: 'nothing', kind: 'invariant', parameters: { event: 'x' } }],
});
`;

describe('loading suites', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-suite-'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function suite(name: string, files: Readonly<Record<string, string>>): string {
    const folder = join(dir, 'suites', name);
    mkdirSync(folder, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
    return folder;
  }

  async function failure(word: string): Promise<SquallError> {
    try {
      await loadSuite(word, dir);
    } catch (error) {
      expect(error).to.be.instanceOf(SquallError);
      return error as SquallError;
    }
    throw new Error('it was loaded');
  }

  it('keeps suites apart that are loaded at the same time', async () => {
    const names = ['one', 'other'];
    const folders = names.map((name) => suite(name, { 'suite.ts': code(name) }));
    const loaded = await Promise.all(folders.map((folder) => loadSuite(folder, dir)));
    expect(loaded.map(({ scenarios }) => scenarios.map(({ name }) => name))).to.deep.equal([
      ['one'],
      ['other'],
    ]);
  });

  it('takes scenarios from code and from data of one folder', async () => {
    suite('mixed', { 'suite.ts': code('from-code'), 'one.scenario.yaml': YAML });
    const { name, scenarios } = await loadSuite('suites/mixed', dir);
    expect(name).to.equal('mixed');
    expect(scenarios.map((one) => one.name)).to.deep.equal(['from-code', 'from-yaml']);
    expect(scenarios[0]?.folder).to.equal(join(dir, 'suites', 'mixed'));
  });

  it('finds a suite by folder, by name, and a single file', async () => {
    const folder = suite('named', { 'one.scenario.yaml': YAML });
    for (const word of ['named', 'suites/named', folder, join(folder, 'one.scenario.yaml')]) {
      expect((await loadSuite(word, dir)).scenarios, word).to.have.length(1);
    }
  });

  it('gives the same scenarios when it is loaded again', async () => {
    suite('twice', { 'suite.ts': code('again') });
    await loadSuite('twice', dir);
    expect((await loadSuite('twice', dir)).scenarios).to.have.length(1);
  });

  it('says what there is when a suite is not found', async () => {
    suite('memberlist-small', { 'one.scenario.yaml': YAML });
    const error = await failure('suites/memberlist-smal');
    expect(error.blame).to.equal('input');
    expect(error.message).to.include('did you mean "suites/memberlist-small"');
    expect(findSuite('elsewhere', dir)).to.equal(undefined);
  });

  it('says which suite threw, and why', async () => {
    suite('broken', { 'suite.ts': 'throw new Error("half a suite");' });
    const error = await failure('broken');
    expect(error.code).to.equal('suite-broken');
    expect(error.message).to.include('half a suite').and.include('broken/suite.ts');
  });

  it('refuses a suite without scenarios, and two scenarios of one name', async () => {
    suite('empty', { 'suite.ts': 'export {};' });
    expect((await failure('empty')).code).to.equal('empty-suite');
    suite('clash', {
      'suite.ts': code('same'),
      'same.scenario.yaml': YAML.replace('from-yaml', 'Same'.toLowerCase()),
    });
    expect((await failure('clash')).code).to.equal('scenario-clash');
  });

  it('refuses a check that is not registered, and parameters that it does not take', async () => {
    suite('unchecked', { 'suite.ts': code('a').replace("check: 'no-event'", "check: 'no-evnt'") });
    expect((await failure('unchecked')).message).to.include('no-evnt');
    suite('misparameterised', { 'suite.ts': code('a').replace("{ event: 'x' }", "{ evnt: 'x' }") });
    expect((await failure('misparameterised')).message).to.include('evnt');
  });

  it('loads no engine', () => {
    const script = `
      const { loadSuite } = await import(${JSON.stringify(pathToFileURL(join(PROJECT, 'harness/suite/index.ts')).href)});
      await loadSuite('suites/memberlist', ${JSON.stringify(PROJECT)});
      const loaded = Object.keys((await import('node:module')).createRequire(${JSON.stringify(join(PROJECT, 'x.cjs'))}).cache);
      console.log(loaded.some((file) => /dockerode|testcontainers/.test(file)) ? 'an engine' : 'no engine');
    `;
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', '--input-type=module', '-e', script],
      {
        encoding: 'utf8',
        cwd: PROJECT,
      },
    );
    expect(stderr).to.equal('');
    expect(stdout.trim()).to.equal('no engine');
  });

  it('refuses a scenario described outside of a runner, and says how to run it', () => {
    const folder = suite('alone', { 'suite.ts': code('alone') });
    const { status, stderr } = spawnSync(process.execPath, ['--import', 'tsx', join(folder, 'suite.ts')], {
      encoding: 'utf8',
      cwd: PROJECT,
    });
    expect(status).to.not.equal(0);
    expect(stderr).to.include('squall run SUITE');
  });

  it('becomes tests under mocha: one for each check at each point, none of them run by looking', () => {
    const folder = suite('tests', { 'suite.ts': code('as-tests') });
    const { stdout, status } = spawnSync(
      process.execPath,
      [
        join(PROJECT, 'node_modules/mocha/bin/mocha.js'),
        '--dry-run',
        '--reporter',
        'spec',
        join(folder, 'suite.ts'),
      ],
      { encoding: 'utf8', cwd: PROJECT },
    );
    expect(stdout)
      .to.include('as-tests')
      .and.include('nothing [default]')
      .and.include('no node ended by itself');
    expect(status).to.equal(0);
  });
});
