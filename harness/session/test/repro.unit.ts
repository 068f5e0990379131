import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { type Incident, readIncident } from '../../incident/index.ts';
import { readRun } from '../../record/index.ts';
import { type FakeBehaviour, FakeStage, SPOILED } from '../../scenario/test/fake-stage.ts';
import { loadSuite } from '../../suite/index.ts';
import { executeRepro, executeRun, incidentTrials, type ReproRequest } from '../index.ts';

const INCIDENT = `
name: rack-lost
description: a rack went away
topology: memberlist-16
overrides: {variant: '\${variant}'}
timeline:
  - {at: +0s, fault: {kind: hold, on: 'pick(\${cut},member)'}, for: 40s}
  - {at: +5m, restart: 'member[16]'}
watch: 4s
symptoms:
  - {title: nobody is called dead, check: no-event, parameters: {event: member.dead, where: {state: dead}}}
unknown: {cut: {type: integer, from: 1, to: 6}}
fix: {variant: {before: shipped, after: both}}
`;

/** Three members and more that were held let one die at the release, as shipped. */
const LEAKY: FakeBehaviour = {
  onFault: (bed, what, plan) => {
    const variant = bed.topology.nodes[0]?.environment['SQUALL_VARIANT'];
    if (what === 'lifted' && plan.kind === 'hold' && plan.targets.length >= 3 && variant === 'shipped') {
      bed.say('member-1', 'member.dead', { member: 'member-2', state: 'dead' });
    }
  },
};

describe('an incident from end to end, on beds that are played', function () {
  // Each makes several runs; a busy machine takes its time.
  this.timeout(60_000);
  let dir: string;
  let incident: Incident;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-repro-'));
    writeFileSync(join(dir, 'rack.incident.yaml'), INCIDENT);
    incident = readIncident(join(dir, 'rack.incident.yaml'));
  });
  afterEach(() => rmSync(dir, { recursive: true, force: true }));

  function request(stage: FakeStage, changes: Partial<ReproRequest> = {}): ReproRequest {
    return {
      incident,
      command: ['repro', 'rack.incident.yaml'],
      seed: '7',
      attempts: 6,
      batch: 6,
      confirm: 2,
      oracle: { need: 1, of: 1 },
      // One without e1, which shows nothing, and one without e2, asked of the fix as well.
      shrinkTrials: 3,
      parallelBeds: 2,
      reportsDir: join(dir, 'reports'),
      stage,
      signal: new AbortController().signal,
      ...changes,
    };
  }

  it('is reproduced, shrunk, and written as a scenario that fails before the fix and passes after it', async () => {
    const { result, paths, exitCode, text } = await executeRepro(request(new FakeStage(LEAKY)));
    expect(exitCode).to.equal(0);
    expect(result.attempts.filter(({ outcome }) => outcome === 'shown')).to.have.length(4);
    expect(result.kept?.happenings.map(({ id }) => id)).to.deep.equal(['e1']);
    expect(result.keptFrequency).to.include({ shown: 2, counted: 2 });
    expect(result.withFix).to.include({ shown: 0, counted: 2 });
    expect(text).to.include('REPRODUCED by: cut').and.include('with variant both: shown in 0 of 2');
    const [summary, file] = paths;
    expect(JSON.parse(readFileSync(summary!, 'utf8'))).to.have.property('seed', '7');

    const { scenarios } = await loadSuite(file!);
    const run = (stage: FakeStage) =>
      executeRun({
        selections: [{ scenario: scenarios[0]!, trials: 1 }],
        command: ['run', file!],
        seed: '3',
        withoutReports: true,
        parallelBeds: 1,
        reportsDir: join(dir, 'reports'),
        stage,
        signal: new AbortController().signal,
      });
    const asShipped = await run(new FakeStage(LEAKY));
    expect(asShipped.exitCode, 'fails before, as expected, and passes after').to.equal(0);
    const nobodyLeaks = await run(new FakeStage());
    expect(nobodyLeaks.exitCode, 'a surprise pass of the old one').to.equal(1);
  });

  it('is not reproduced where nothing shows, with exit 1 and no scenario', async () => {
    const { exitCode, text, paths } = await executeRepro(request(new FakeStage()));
    expect(exitCode).to.equal(1);
    expect(text).to.include('NOT REPRODUCED').and.include('39.3 %');
    expect(paths).to.have.length(1);
    expect(existsSync(join(dir, 'rack-lost.scenario.yaml'))).to.equal(false);
  });

  it('proves nothing on a host that spoils every trial', async () => {
    const stage = new FakeStage(LEAKY);
    stage.hosts.push(...Array(1_000).fill(SPOILED));
    const error = await executeRepro(request(stage, { attempts: 1 })).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(SquallError).and.include({ code: 'no-attempt', blame: 'void' });
  });

  it('is a broken harness when beds do not start', async () => {
    const stage = new FakeStage({ startError: () => new Error('no room') });
    const error = await executeRepro(request(stage, { attempts: 1 })).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(SquallError).and.include({ code: 'trials-broken', blame: 'harness' });
  });

  it('writes over no file that is not its own', async () => {
    writeFileSync(join(dir, 'rack-lost.scenario.yaml'), 'name: mine\n');
    const stage = new FakeStage(LEAKY);
    const error = await executeRepro(request(stage)).catch((caught: unknown) => caught);
    expect(error).to.be.instanceOf(SquallError).and.include({ code: 'scenario-in-the-way', blame: 'input' });
    expect(stage.built).to.deep.equal([]);
  });

  it('tries side by side, ends a point once it is clear, and refuses what cannot be planned', async () => {
    const { scenarioOf, drawCases, checkOf } = await import('../../incident/index.ts');
    const {
      incident: _incident,
      seed: _seed,
      signal,
      ...rest
    } = request(new FakeStage(LEAKY), {
      parallelBeds: 1,
    });
    const port = incidentTrials({ ...rest, home: { suite: 'rack', folder: dir } });
    const [one] = drawCases(incident, 6, '7').filter(({ values }) => Number(values['cut']) >= 3);
    const checks = {
      symptoms: [checkOf({ title: 'nobody dies', check: 'no-event', parameters: { event: 'member.dead' } })],
      held: [],
    };
    const spec = scenarioOf(incident, one!, { name: 'one' });
    const few = scenarioOf(incident, { ...one!, counts: { member: 2 } }, { name: 'too-few' });
    const point = { variant: 'shipped' };
    const [tried, refused] = await port.tryAll(
      [
        { spec, point, trials: 5, enough: (shown) => shown >= 2 },
        { spec: few, point, trials: 5 },
      ],
      { checks, seed: '7', signal },
    );
    expect(tried).to.include({ shown: 2, counted: 2, voids: 0 });
    expect((await readRun(tried!.dir!)).trials).to.have.length(2);
    expect(refused?.refused).to.match(/member/);
    expect(port.rolesOf(few, point)).to.deep.equal({ member: 2 });
  });
});
