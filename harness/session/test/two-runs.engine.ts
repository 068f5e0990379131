import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { readRun, readTrial, type TrialRecord } from '../../record/index.ts';
import { LABEL, nowNs } from '../../testnet/index.ts';
import { nodePids } from '../../torture/node-processes.ts';
import { runDirs, stageBegin } from '../../torture/stages.ts';

const SQUALL = fileURLToPath(new URL('../../cli/squall.mjs', import.meta.url));

const NODES = 4;

/** The timers of this one may be late: two runs share the host, and it is not what is asked about. */
const scenario = (watch: string): string => `
name: small
description: two of ${NODES} members cut off for a while too short to matter
topology: memberlist-16
overrides: {counts: {member: ${NODES}}}
shortestTimeout: 60s
phases:
  - name: warm-up
    steps: [{until: {event: converged, on: member, count: all}, within: 120s, orElse: void}]
  - name: fault
    steps: [{name: cut, fault: {kind: hold, id: cut, on: 'pick(2,member)', for: 4s, udp: hold, tcp: drop}}]
  - name: recovery
    steps: [{name: watched, wait: ${watch}}]
checks:
  - {check: no-event, title: nobody dies, kind: invariant, parameters: {event: member.dead}}
  - {check: faults-bit, title: the cut bit, kind: guard, parameters: {}}
  - {check: bed-clean, title: the bed was clean, kind: guard, parameters: {}}
  - {check: logs-complete, title: no line was lost, kind: guard, parameters: {}}
`;

/** A run in a process of its own. */
interface Run {
  readonly reports: string;
  readonly child: ChildProcess;
  readonly exited: Promise<number | null>;
  said(): string;
}

describe('two runs at once', function () {
  this.timeout(280_000);
  let engine: Engine;
  let folder: string;
  let runs: Run[];
  before(async () => {
    engine = await findEngine({ yes: true });
  });
  after(() => engine.close());
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-two-'));
    runs = [];
  });
  afterEach(() => {
    for (const { child } of runs) child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  });

  function start(name: string, watch: string): Run {
    const file = join(folder, `${name}.scenario.yaml`);
    const reports = join(folder, name);
    writeFileSync(file, scenario(watch));
    const child = spawn(process.execPath, [SQUALL, 'run', file, '--reports', reports, '--seed', '7'], {
      env: { ...process.env, DOCKER_HOST: engine.info.endpoint },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
    const run = { reports, child, exited, said: () => said };
    runs.push(run);
    return run;
  }

  const hasEnded = ({ child }: Run): boolean => child.exitCode !== null || child.signalCode !== null;
  const runIdOf = ({ reports }: Run): string => basename(runDirs(reports)[0] ?? '');

  /** When the cut of the run was put in force, ns; waits for it. */
  async function cutOf(run: Run): Promise<number> {
    for (;;) {
      const atNs = stageBegin(run.reports, 'fault');
      if (atNs !== undefined && atNs <= nowNs()) return atNs;
      if (hasEnded(run)) throw new Error(`ended before its cut: ${run.said()}`);
      await sleep(50);
    }
  }

  /** What of the engine's is the run's: ids of its containers and networks, and the processes of its nodes. */
  async function belongings(runId: string) {
    const label = [`${LABEL.run}=${runId}`];
    const [containers, networks, pids] = await Promise.all([
      engine.listContainers(label),
      engine.listNetworks(label),
      nodePids(engine, runId),
    ]);
    const ids = [...containers, ...networks].map(({ id }) => id);
    return { ids: ids.sort(), pids: [...pids].sort((a, b) => a - b) };
  }

  async function trialOf(run: Run): Promise<{ readonly verdict?: string; readonly trial: TrialRecord }> {
    const { run: record, trials } = await readRun(join(run.reports, 'latest'));
    const last = trials.at(-1);
    if (!record || !last) throw new Error(`no record: ${run.said()}`);
    return { verdict: record.verdict, trial: await readTrial(last.dir) };
  }

  it('both pass, and the end of one leaves what the other has as it is', async () => {
    const [long, short] = [start('long', '60s'), start('short', '1s')];
    await Promise.all([cutOf(long), cutOf(short)]);
    const [longId, shortId] = [runIdOf(long), runIdOf(short)];
    const before = await belongings(longId);
    const others = await belongings(shortId);
    expect(before.pids, 'nodes of the longer run').to.have.length(NODES);
    expect(others.pids, 'nodes of the shorter run').to.have.length(NODES);
    expect(before.ids.filter((id) => others.ids.includes(id))).to.deep.equal([]);

    expect(await short.exited, short.said()).to.equal(0);
    const shortEndedNs = nowNs();
    expect(hasEnded(long), `the longer run had ended already: ${long.said()}`).to.equal(false);
    expect(await belongings(longId)).to.deep.equal(before);
    expect(await long.exited, long.said()).to.equal(0);

    const [first, second] = [await trialOf(long), await trialOf(short)];
    expect([first.verdict, second.verdict]).to.deep.equal(['pass', 'pass']);
    // Else nothing was shown: the clean-up of one has to fall into the trial of the other.
    expect(first.trial.endNs).to.be.above(shortEndedNs);
    const addresses = [...first.trial.nodes, ...second.trial.nodes].map(({ address }) => address);
    expect(new Set(addresses).size, addresses.join(' ')).to.equal(2 * NODES);
    for (const { trial } of [first, second]) {
      expect(trial.faults.map(({ id, bit, gone }) => ({ id, bit, gone }))).to.deep.equal([
        { id: 'cut', bit: true, gone: true },
      ]);
    }
    // What does not go with the run is its watchdog's; the test's own limit ends this wait.
    for (const runId of [longId, shortId]) while ((await belongings(runId)).ids.length > 0) await sleep(100);
  });
});
