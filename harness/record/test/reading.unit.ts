import { appendFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import type { SquallError } from '../../errors/index.ts';
import {
  createRun,
  findRunDir,
  type PlotSpec,
  readEvents,
  readRun,
  readSortedEvents,
  readTrial,
  recordSchema,
  swapLatest,
} from '../index.ts';
import { samplePlan, sampleTrial } from './sample-record.ts';

async function refusal(action: Promise<unknown>): Promise<SquallError> {
  try {
    await action;
  } catch (error) {
    return error as SquallError;
  }
  throw new Error('was not refused');
}

describe('reading a record', () => {
  let reports: string;
  let dir: string;
  beforeEach(async () => {
    reports = join(await mkdtemp(join(tmpdir(), 'squall-read-')), 'reports');
    dir = join(reports, 'run-1');
    await createRun(dir, samplePlan());
  });
  afterEach(async () => {
    await rm(join(reports, '..'), { recursive: true, force: true });
  });

  it('refuses a newer record and says which Squall reads it', async () => {
    await writeFile(
      join(dir, 'plan.json'),
      JSON.stringify({ ...samplePlan(), recordVersion: 9, squallVersion: '4.2.0' }),
    );
    const error = await refusal(readRun(dir));
    expect(error).to.include({ code: 'record-too-new', blame: 'input' });
    expect(error.message).to.contain('record version 9').and.to.contain('up to version 1');
    expect(error.hint).to.contain('4.2.0');
  });

  it('reads a record with fields that it does not know', async () => {
    await writeFile(join(dir, 'plan.json'), JSON.stringify({ ...samplePlan(), mood: 'stormy' }));
    expect((await readRun(dir)).plan).to.include({ runId: 'run-1' });
  });

  it('says what is wrong with a damaged record', async () => {
    await writeFile(join(dir, 'plan.json'), JSON.stringify({ ...samplePlan(), seed: 7 }));
    const wrongType = await refusal(readRun(dir));
    expect(wrongType).to.include({ code: 'record-damaged', blame: 'input' });
    expect(wrongType.message).to.contain('seed');
    await writeFile(join(dir, 'plan.json'), '{"recordVersion": 1');
    expect(await refusal(readRun(dir))).to.include({ code: 'record-damaged' });
  });

  it('lists trials in order, and which left no record', async () => {
    const run = await createRun(dir, samplePlan(), { resume: true });
    for (const trial of [10, 2, 1]) {
      const writer = await run.openTrial({ pointId: 'p', trial });
      if (trial !== 2) await writer.finish(sampleTrial({ pointId: 'p', trial }));
    }
    await mkdir(join(dir, 'trials', 'p', 'not-a-number'));
    const { trials } = await readRun(dir);
    expect(trials.map(({ trial, finished }) => `${trial} ${finished}`)).to.deep.equal([
      '1 true',
      '2 false',
      '10 true',
    ]);
    expect(await refusal(readTrial(trials[1]!.dir))).to.include({ code: 'trial-not-found' });
  });

  it('skips the torn last line of a killed run and counts it', async () => {
    const file = join(dir, 'events.jsonl');
    await writeFile(
      file,
      '{"node":"n","event":"a","atNs":2,"fields":{}}\n{"node":"n","event":"b","atNs":1,"fields":{}}\n',
    );
    await appendFile(file, '{"node":"n","eve');
    const damaged = { lines: 0 };
    const events: string[] = [];
    for await (const { event } of readEvents(dir, damaged)) events.push(event);
    expect({ events, damaged: damaged.lines }).to.deep.equal({ events: ['a', 'b'], damaged: 1 });
    expect((await readSortedEvents(dir)).map(({ event }) => event)).to.deep.equal(['b', 'a']);
  });

  it('takes a trial without events for one without events', async () => {
    expect(await readSortedEvents(join(dir, 'nowhere'))).to.deep.equal([]);
  });

  it('finds a run by its path or its id, and names those there are', async () => {
    const root = join(reports, '..');
    expect(await findRunDir('run-1', root)).to.equal(dir);
    expect(await findRunDir('reports/run-1', root)).to.equal(dir);
    const error = await refusal(findRunDir('run-2', root));
    expect(error).to.include({ code: 'run-not-found', blame: 'input' });
    expect(error.hint).to.contain('run-1');
  });

  it('points latest at another run without a moment in which it points nowhere', async () => {
    await createRun(join(reports, 'run-2'), samplePlan({ runId: 'run-2' }));
    await swapLatest(dir);
    await swapLatest(join(reports, 'run-2'));
    expect((await readRun(join(reports, 'latest'))).plan.runId).to.equal('run-2');
  });

  it('does not delete a folder that is called latest', async () => {
    await mkdir(join(reports, 'latest'));
    await writeFile(join(reports, 'latest', 'notes'), 'keep me');
    expect(await refusal(swapLatest(dir))).to.include({ code: 'latest-not-a-link' });
    await rm(join(reports, 'latest'), { recursive: true });
    await symlink('gone', join(reports, 'latest'));
    await swapLatest(dir);
  });

  const scenario = {
    suite: 's',
    description: '',
    kills: [],
    points: [{ point: {}, pointId: 'default', trials: 1, estimatedMs: 0 }],
    checks: [],
    expectations: [],
    published: [],
    measures: [],
    plots: [],
  };

  it('reads back every kind of plot as it was planned', async () => {
    const plots: PlotSpec[] = [
      {
        title: 'a',
        kind: 'line',
        x: 'fleet',
        y: 'bytes',
        series: 'variant',
        xScale: 'log',
        yScale: 'symlog',
        reference: [{ label: 'by the formula', places: [{ x: 1, y: 2 }] }],
      },
      {
        title: 'b',
        kind: 'course',
        y: 'refresh.started',
        where: { course: ['two-hours'] },
        course: { since: 'course.began', as: 'sum', per: 'trial', leaps: 'clock.leapt', unit: '' },
      },
      {
        title: 'c',
        kind: 'graph',
        y: 'redirect.followed',
        facet: 'course',
        graph: {
          since: 'course.began',
          of: 'account',
          from: 'from',
          to: 'nodes',
          group: { event: 'view.changed', name: 'as', value: 'swarm' },
        },
      },
      { title: 'd', kind: 'survival', y: 'recoveryS' },
      { title: 'e', kind: 'timeline', y: 'member.dead' },
    ];
    await createRun(
      join(reports, 'run-4'),
      samplePlan({ runId: 'run-4', scenarios: [{ ...scenario, scenario: 'a', plots }] }),
    );
    const { plan } = await readRun(join(reports, 'run-4'));
    expect(plan.scenarios[0]?.plots).to.deep.equal(plots);
  });

  it('refuses a plan in which two points would share a folder', async () => {
    const plan = samplePlan({
      scenarios: [
        { ...scenario, scenario: 'a' },
        { ...scenario, scenario: 'b' },
      ],
    });
    expect(await refusal(createRun(join(reports, 'run-3'), plan))).to.include({ code: 'point-id-clash' });
  });

  it('has a JSON Schema with the run at its root and the other files beside it', () => {
    const schema = recordSchema() as { properties: object; $defs: Record<string, { required: string[] }> };
    expect(schema.properties).to.include.keys('verdict', 'exitCode', 'points');
    expect(Object.keys(schema.$defs)).to.deep.equal(['plan', 'trial', 'event']);
    expect(schema.$defs['trial']?.required).to.include('measures').and.not.to.include('byName');
  });
});
