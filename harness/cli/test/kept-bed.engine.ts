import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { EXIT, exitCodeForSignal } from '../../errors/index.ts';
import type { FaultStatus } from '../../fault/index.ts';
import { type FaultRecord, type RunRecord, readRun, readTrial } from '../../record/index.ts';
import {
  type BedStatus,
  connectKeeper,
  type KeeperCard,
  LABEL,
  type SweepReport,
} from '../../testnet/index.ts';

const SQUALL = join(dirname(fileURLToPath(import.meta.url)), '..', 'squall.mjs');
const MEMBERS = 3;

const TOPOLOGY = `
name: kept
description: three members, and a node that has programs to run
mesh: true
nodes:
  - role: member
    count: ${MEMBERS}
    image: memberlist-node
    settings: {join: '{addresses:member[1..2]}', expected: '{count:member}'}
  - {role: relay, image: probe-node}
`;

/** The first side fails as it must; the second, on the same bed reset, fails and is kept. What fails, only events show. */
const SCENARIO = `
name: lonely
description: members must not find each other, which they do
topology: ./kept.yaml
parameters:
  variant: {type: choice, description: which library, default: shipped, choices: [shipped, both]}
overrides: {variant: {member: '\${variant}'}}
grids: {default: {description: both, axes: {variant: [shipped, both]}}}
trials: 1
bed: reuse
phases:
  - name: warm-up
    steps: [{until: {event: converged, on: member, count: all}, within: 60s}]
checks:
  - {check: no-event, title: nobody finds all others, kind: invariant, parameters: {event: converged, nodes: [member-1]}}
expect:
  - {where: {variant: shipped}, check: nobody finds all others, outcome: fail, reason: the old one always does}
`;

/** A seed with which the side that is kept comes second. */
const SEED = '7';

describe('the bed of a failure, entered from other terminals after its run has ended', function () {
  this.timeout(300_000);
  let engine: Engine;
  let folder: string;
  let reports: string;
  let bedId = '';
  let record: RunRecord;
  let said = '';

  function squall(argv: readonly string[], input = ''): ReturnType<typeof spawnSync> & { stdout: string } {
    return spawnSync(process.execPath, [SQUALL, ...argv], {
      cwd: folder,
      encoding: 'utf8',
      input,
      env: { ...process.env, DOCKER_HOST: engine.info.endpoint },
    });
  }
  /** Of a command that ends with 0, what it printed. */
  function told(argv: readonly string[]): string {
    const { status, stdout, stderr } = squall([...argv, '--bed', bedId]);
    expect(status, `${argv.join(' ')}: ${stdout}${stderr}`).to.equal(EXIT.pass);
    return stdout;
  }
  /** What is waited for is asked as the commands ask, without their start. */
  async function bed(): Promise<KeeperCard & BedStatus> {
    using keeper = await connectKeeper({ bed: bedId });
    return (await keeper.request('status')) as KeeperCard & BedStatus;
  }
  async function faults(): Promise<readonly FaultStatus[]> {
    using keeper = await connectKeeper({ bed: bedId });
    return ((await keeper.request('fault.list')) as { readonly active: readonly FaultStatus[] }).active;
  }
  /** Looks again until it is so; mocha's own limit ends a wait for what never comes. */
  async function until(what: () => Promise<boolean>): Promise<void> {
    while (!(await what())) await sleep(100);
  }
  /** By the node's own word: it runs as this, and is one of all the others. */
  async function belongs(name: string, variant: string): Promise<boolean> {
    const { state } = (await bed()).nodes.find((node) => node.name === name) ?? {};
    const counts = state?.['counts'] as { readonly alive?: number } | undefined;
    return state?.['variant'] === variant && counts?.alive === MEMBERS;
  }

  before(async () => {
    engine = await findEngine({ yes: true });
    folder = mkdtempSync(join(tmpdir(), 'squall-kept-'));
    reports = join(folder, 'reports');
    writeFileSync(join(folder, 'kept.yaml'), TOPOLOGY);
    writeFileSync(join(folder, 'lonely.scenario.yaml'), SCENARIO);
    const options = ['--keep-on-failure', '--seed', SEED, '--parallel-beds', '1', '--reports', reports];
    const { status, stderr } = squall(['run', 'lonely.scenario.yaml', ...options]);
    said = stderr as string;
    expect(status, said).to.equal(EXIT.fail);
    bedId = /bed (\S+) is kept: enter it with/.exec(said)?.[1] ?? '';
    record = JSON.parse(readFileSync(join(reports, 'latest', 'run.json'), 'utf8')) as RunRecord;
  });
  after(async () => {
    if (bedId !== '') squall(['down', '--bed', bedId]);
    engine.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('was kept at the first trial that failed unexpectedly, on a bed that two trials had used, and its run has ended', async () => {
    expect(said).to.contain(`bed ${bedId} is kept: enter it with \`squall attach ${record.runId}\``);
    expect(record.verdict).to.equal('fail');
    const { trials } = await readRun(join(reports, 'latest'));
    const ran = await Promise.all(trials.map(({ dir }) => readTrial(dir)));
    ran.sort((a, b) => a.startNs - b.startNs);
    expect(
      ran.map(({ point, bed: on, outcome }) => [point['variant'], on.id, on.reused, outcome]),
    ).to.deep.equal([
      ['shipped', bedId, false, 'completed'],
      ['both', bedId, true, 'completed'],
    ]);
    // What the run had besides the bed (the canary, its watchdog) is gone with it.
    const left = await engine.listContainers([`${LABEL.run}=${record.runId}`]);
    expect(left.map(({ labels }) => labels[LABEL.bed])).to.deep.equal(Array(MEMBERS + 2).fill(bedId));
    const { runId, nodes } = await bed();
    expect(runId).to.equal(record.runId);
    expect(nodes.map(({ name, container }) => [name, container])).to.deep.equal([
      ['member-1', 'running'],
      ['member-2', 'running'],
      ['member-3', 'running'],
      ['relay-1', 'running'],
    ]);
    const { groups } = JSON.parse(squall(['sweep', '--dry-run', '--json']).stdout) as SweepReport;
    expect(groups.find((group) => group.bedId === bedId)).to.include({ decision: 'leave', kept: true });
  });

  it('takes commands from a pipe by "attach" with the run’s folder, and runs programs in its nodes', () => {
    const lines = [
      'status',
      'exec relay-1 -- node -p process.env.SQUALL_NODE_NAME',
      'faults',
      'nonsense',
      'exit',
    ];
    const { status, stdout, stderr } = squall(['attach', join(reports, 'latest')], `${lines.join('\n')}\n`);
    expect(status, `${stdout}${stderr}`).to.equal(EXIT.pass);
    expect(stdout).to.match(/member-3 +198\.1[89]\.\S+ +memberlist-node@both +running/);
    expect(stdout.split('\n'), `${stdout}${stderr}`).to.include('relay-1');
    expect(stdout).to.contain('No fault is in force.');
    expect(stderr).to.contain('nonsense: not a command here');
  });

  it('gives back how a program ended, and what it said', () => {
    const script = 'process.stdin.pipe(process.stdout); console.error("complaint"); process.exitCode = 7';
    const argv = ['exec', 'relay-1', '--stdin', '--bed', bedId, '--', 'node', '-e', script];
    const { status, stdout, stderr } = squall(argv, 'given by hand');
    expect([status, stdout]).to.deep.equal([EXIT.fail, 'given by hand\n']);
    expect(stderr).to.contain('complaint').and.to.contain('the program ended with code 7');
  });

  it('lifts a fault that another terminal made, with what it did', async () => {
    told(['fault', 'hold', '--on', 'member[1..2]', '--id', 'cut']);
    const heldBy = (counts: Readonly<Record<string, number>> | undefined): number =>
      (counts?.['heldIn'] ?? 0) + (counts?.['heldOut'] ?? 0);
    await until(async () => heldBy((await faults())[0]?.counts) > 0);
    const { active } = JSON.parse(told(['faults', '--json'])) as { active: FaultStatus[] };
    expect(active.map(({ id, targets }) => [id, targets])).to.deep.equal([['cut', ['member-1', 'member-2']]]);
    expect(heldBy(active[0]?.counts)).to.be.above(0);
    const { lifted } = JSON.parse(told(['lift', 'cut', '--json'])) as { lifted: FaultRecord[] };
    expect(lifted).to.have.length(1);
    expect(lifted[0]).to.include({ id: 'cut', bit: true, gone: true });
    expect(heldBy(lifted[0]?.witness?.counts)).to.be.above(0);
    expect(await faults()).to.deep.equal([]);
  });

  it('follows a log over the death and return of its node, which comes back as the second trial had it', async () => {
    const argv = ['logs', 'member-3', '-f', '-n', '1', '--bed', bedId];
    const child = spawn(process.execPath, [SQUALL, ...argv], { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    const seen: string[] = [];
    const lines = createInterface({ input: child.stdout }).on('line', (line) => void seen.push(line));
    await once(lines, 'line');
    const before = seen.length;
    told(['fault', 'kill', '--on', 'member-3', '--id', 'away']);
    const { container } = (await bed()).nodes.find(({ name }) => name === 'member-3') ?? {};
    expect(container).to.equal('exited');
    told(['lift', 'away']);
    const isBack = (line: string): boolean =>
      line.includes('"event":"ready"') && line.includes('"variant":"both"');
    await until(async () => seen.slice(before).some(isBack));
    child.kill('SIGINT');
    expect(await ended).to.equal(exitCodeForSignal('SIGINT'));
    await until(() => belongs('member-3', 'both'));
  });

  it('starts a node as another variant, which the others hear, and as it was again', async () => {
    told(['fault', 'restart', '--on', 'member-2', '--variant', 'grace', '--id', 'again']);
    await until(() => belongs('member-2', 'grace'));
    expect((await bed()).nodes.find(({ name }) => name === 'member-2')?.variant).to.equal('grace');
    told(['lift', 'again']);
    await until(() => belongs('member-2', 'both'));
  });

  it('is gone after "down" in the prompt, with everything of its run', async () => {
    const { status, stdout, stderr } = squall(['attach', record.runId], 'down\nstatus\n');
    expect(status, `${stdout}${stderr}`).to.equal(EXIT.pass);
    expect(stdout).to.contain(`${bedId}: ${MEMBERS + 1} nodes removed`);
    const labels = [`${LABEL.run}=${record.runId}`];
    expect(await engine.listContainers(labels)).to.deep.equal([]);
    expect(await engine.listNetworks(labels)).to.deep.equal([]);
    expect(squall(['attach', record.runId]).status).to.equal(EXIT.usage);
    bedId = '';
  });
});
