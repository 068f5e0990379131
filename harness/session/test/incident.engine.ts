import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';

const SQUALL = fileURLToPath(new URL('../../cli/squall.mjs', import.meta.url));
const RACK = fileURLToPath(new URL('../../../suites/incidents/rack-uplink.incident.yaml', import.meta.url));

/** About ten minutes on two cores: seven trials of 16 members, each cut off for 40 s. */
describe('a field incident on real containers', function () {
  this.timeout(30 * 60_000);
  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-incident-'));
    // At the smaller point that was measured to leak in every trial: four members of sixteen, whose packets were queued.
    const text = readFileSync(RACK, 'utf8')
      .replace('counts: {member: 24}', 'counts: {member: 16}')
      .replace('pick(8,member)', 'pick(4,member)')
      .replace('choices: [hold, drop]', 'choices: [hold]');
    writeFileSync(join(dir, 'rack-uplink.incident.yaml'), text);
  });
  after(() => rmSync(dir, { recursive: true, force: true }));

  function squall(...args: string[]): {
    readonly status: number | null;
    readonly stdout: string;
    readonly stderr: string;
  } {
    return spawnSync(process.execPath, [SQUALL, ...args], {
      cwd: dir,
      encoding: 'utf8',
      maxBuffer: 64 * 1024 ** 2,
    });
  }

  it('is reproduced; the scenario written fails before the fix and passes after it', () => {
    const repro = squall(
      ...['repro', 'rack-uplink.incident.yaml', '--seed', '7', '--attempts', '2', '--batch', '1'],
      ...['--confirm', '1', '--shrink-trials', '0', '--yes'],
    );
    expect(repro.status, repro.stderr).to.equal(0);
    expect(repro.stdout).to.match(/REPRODUCED by: packets hold/);
    expect(repro.stdout).to.match(/with variant both: shown in 0 of 1/);
    const run = squall('run', 'rack-uplink.scenario.yaml', '--trials', '1', '--seed', '3', '--yes');
    expect(run.status, run.stderr).to.equal(0);
  });

  it('is replayed from a bundle in another folder with the same verdict, and its nodes are on one timeline', () => {
    expect(squall('bundle', 'reports/latest', '--out', 'run.squall.tar.gz').status).to.equal(0);
    const elsewhere = mkdtempSync(join(tmpdir(), 'squall-elsewhere-'));
    try {
      cpSync(join(dir, 'run.squall.tar.gz'), join(elsewhere, 'run.squall.tar.gz'));
      const replay = spawnSync(process.execPath, [SQUALL, 'replay', 'run.squall.tar.gz', '--yes'], {
        cwd: elsewhere,
        encoding: 'utf8',
      });
      expect(replay.status, replay.stderr).to.equal(0);
      expect(replay.stdout).to.include('the same verdict again');
      expect(readdirSync(join(elsewhere, 'reports'))).to.include('latest');
    } finally {
      rmSync(elsewhere, { recursive: true, force: true });
    }
    const timeline = squall('timeline', 'reports/latest', '--grep', 'member.dead', '--no-logs');
    expect(timeline.status, timeline.stderr).to.equal(0);
    expect(timeline.stdout).to.match(/fault cut .* bites/);
    expect(existsSync(join(dir, 'reports', 'latest', 'inputs.json'))).to.equal(true);
  });
});
