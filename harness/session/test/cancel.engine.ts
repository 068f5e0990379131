import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { exitCodeForSignal } from '../../errors/index.ts';
import type { RunRecord } from '../../record/index.ts';
import { LABEL } from '../../testnet/index.ts';

const SQUALL = fileURLToPath(new URL('../../cli/squall.mjs', import.meta.url));

const NODES = 40;

/** What a CI server leaves a job that it cancels, before it kills it (GitHub 7.5 to 10 s, GitLab 10 s). */
const GRACE_MS = 10_000;

const SCENARIO = `
name: long
description: a cut that the end of the job ends
topology: memberlist-128
overrides: {counts: {member: ${NODES}}}
phases:
  - name: warm-up
    steps: [{until: {event: converged, on: member, count: all}, within: 120s}]
  - name: fault
    steps: [{name: cut, fault: {kind: hold, id: cut, on: 'pick(8,member)', for: 10m}}]
checks: [{check: no-event, title: nobody dies, kind: invariant, parameters: {event: member.dead}}]
`;

describe(`a job with ${NODES} nodes that is cancelled in mid-fault`, function () {
  this.timeout(280_000);
  let engine: Engine;
  let folder: string;
  before(async () => {
    engine = await findEngine({ yes: true });
  });
  after(() => engine.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-cancel-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
    it(`ends within its grace after ${signal}, with a readable report marked as an error, and nothing is left`, async () => {
      const file = join(folder, 'long.scenario.yaml');
      writeFileSync(file, SCENARIO);
      const reports = join(folder, 'reports');
      const child = spawn(process.execPath, [SQUALL, 'run', file, '--reports', reports], {
        env: { ...process.env, DOCKER_HOST: engine.info.endpoint },
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      let said = '';
      const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
      await new Promise<void>((resolve, reject) => {
        child.stderr.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          if (said.includes('fault: cut')) resolve();
        });
        child.once('close', () => reject(new Error(`ended too soon: ${said}`)));
      });
      const sentMs = performance.now();
      child.kill(signal);
      expect(await exited, said).to.equal(exitCodeForSignal(signal));
      const endedMs = performance.now() - sentMs;

      const latest = join(reports, 'latest');
      const read = (name: string): string => readFileSync(join(latest, name), 'utf8');
      const record = JSON.parse(read('run.json')) as RunRecord;
      expect(record.partial).to.equal(true);
      expect(record.verdict).to.not.equal('pass');
      expect(read('junit.xml')).to.match(/errors="[1-9]/);
      expect(read('index.html')).to.include('did not reach its plan');
      // What the grace was too short for is the watchdog's.
      while ((await engine.listContainers([`${LABEL.run}=${record.runId}`])).length > 0) await sleep(100);
      const goneMs = performance.now() - sentMs;
      while ((await engine.listNetworks([`${LABEL.run}=${record.runId}`])).length > 0) await sleep(100);
      console.log(`      ${signal}: ended after ${seconds(endedMs)}, nothing left after ${seconds(goneMs)}`);
      expect(endedMs).to.be.below(GRACE_MS);
    });
  }
});

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
