import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { FAULT_REFERENCE, type FaultKind, type FaultStatus } from '../../fault/index.ts';
import type { FaultRecord } from '../../record/index.ts';
import { type BedStatus, connectKeeper, LABEL } from '../../testnet/index.ts';
import { guideCommands, MEMBERLIST_GUIDES, PROJECT, runBy } from './guide-commands.ts';

const CLI = join(dirname(fileURLToPath(import.meta.url)), '..');
const MEMBERS = 16;

/** A fault of a guide that lasts longer than this is lifted, as its reader would. */
const PATIENCE_MS = 12_000;

type Counts = Readonly<Record<string, number>>;

interface Faults {
  readonly active: readonly FaultStatus[];
  readonly finished: readonly FaultRecord[];
}

describe('commands of the guides on a bed that is up', function () {
  this.timeout(600_000);
  // A name of its own, so that a bed of somebody else is neither taken for it nor in its way.
  const name = `guide-${process.pid}`;
  let engine: Engine;
  before(async () => {
    engine = await findEngine({ yes: true });
  });
  after(() => engine.close());

  function squall(argv: readonly string[]): string {
    const words =
      argv[0] === 'up' ? [...argv, '--name', name] : argv.includes('--bed') ? argv : [...argv, '--bed', name];
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(CLI, 'squall.mjs'), ...words], {
      cwd: PROJECT,
      encoding: 'utf8',
      env: { ...process.env, DOCKER_HOST: engine.info.endpoint },
    });
    expect(status, `${argv.join(' ')}: ${stdout}${stderr}`).to.equal(0);
    return stdout;
  }
  /** Looks again until it is so; mocha's own limit ends a wait for what never comes. */
  async function until(what: () => Promise<boolean>): Promise<void> {
    while (!(await what())) await sleep(100);
  }

  /** What the fault in force has done so far, by the counts that its kind names. */
  function bite({ active }: Faults): number {
    expect(active).to.have.length(1);
    const [{ kind, counts }] = active as [FaultStatus];
    return FAULT_REFERENCE[kind as FaultKind].bite.reduce((sum, count) => sum + (counts[count] ?? 0), 0);
  }

  for (const guide of MEMBERLIST_GUIDES) {
    it(`of ${guide} do what they say, one after another: the fault acts and goes, all are alive again, nothing is left`, async () => {
      const block = guideCommands([guide]).filter((command) => runBy(command) === 'bed');
      const [up, ...commands] = block.map(({ argv }) => argv) as [string[], ...string[][]];
      expect(commands.map(([verb]) => verb)).to.include.members(['fault', 'faults', 'status', 'down']);
      squall(up);
      // What is looked at beside the guide is asked for as the commands do, without their start.
      using keeper = await connectKeeper({ bed: name });
      const faults = async () => (await keeper.request('fault.list')) as Faults;
      const areOver = async () => (await faults()).active.length === 0;
      const allAlive = async () => {
        const { nodes } = (await keeper.request('status')) as BedStatus;
        expect(nodes).to.have.length(MEMBERS);
        return nodes.every(({ state }) => (state?.['counts'] as Counts | undefined)?.['alive'] === MEMBERS);
      };
      let isUp = true;
      try {
        await until(allAlive);
        for (const argv of commands) {
          if (argv[0] === 'down') await until(allAlive);
          const said = squall(argv);
          if (argv[0] === 'fault') await until(async () => bite(await faults()) > 0);
          if (argv[0] === 'faults' && argv.includes('--json')) {
            expect(bite(JSON.parse(said) as Faults), 'packets, in what the guide prints').to.be.above(0);
          }
          if (argv[0] === 'status') {
            expect(squall(['watch', '--once']))
              .to.contain(`${MEMBERS} member`)
              .and.contain('a bed that is up');
            const [left] = (await faults()).active;
            if ((left?.leftMs ?? 0) > PATIENCE_MS) squall(['lift', '--all']);
            await until(areOver);
            const { finished } = await faults();
            expect(finished).to.have.length(1);
            expect(finished[0]).to.include({ bit: true, gone: true });
          }
          if (argv[0] === 'down') isUp = false;
        }
        expect(isUp, 'the guide takes its bed down').to.equal(false);
        const mine = [`${LABEL.run}=${keeper.bed.runId}`];
        expect(await engine.listContainers(mine)).to.deep.equal([]);
        expect(await engine.listNetworks(mine)).to.deep.equal([]);
      } finally {
        if (isUp) squall(['down']);
      }
    });
  }
});
