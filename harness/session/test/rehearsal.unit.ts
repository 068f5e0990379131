import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { registerMeasure } from '../../record/index.ts';
import { requireScenario } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { type FakeBehaviour, FakeStage, SPOILED } from '../../scenario/test/fake-stage.ts';
import { type ResolvedTopology, readRehearsal } from '../../topology/index.ts';
import {
  executeRehearsal,
  planRehearsal,
  REHEARSAL_FILE,
  type RehearsalRequest,
  repeatRehearsal,
} from '../index.ts';

registerMeasure('rehearsal-test.wave', (_trial, events) => {
  const drained = events.find(({ event }) => event === 'bootstrap.drained');
  return {
    drainS: drained ? Number(drained.fields['tookMs']) / 1_000 : null,
    watchedS: 240,
    keysLost: events.filter(({ event }) => event === 'key.lost').length,
    drops: events.filter(({ event }) => event === 'admission.dropped').length,
  };
});

const TOPOLOGY = `
nodes:
  - {role: incumbent, count: 2, image: 'test/node:old', resources: {memory: 64MiB}}
  - {role: joiner, count: 1, image: 'test/node:old', resources: {memory: 64MiB}}
rehearsal:
  suite: nowhere
  candidate: [joiner]
  baseline: [incumbent]
  waves: 3
  mostWaves: 6
  looks: 2
  primary: {measure: drainS, better: lower, margin: 5, reason: a tenth of what a wave takes}
  secondary: [{measure: drops, better: lower, margin: 0}]
  noLoss: [keysLost]
  abort: {diskFree: 1GiB}
`;

const SCENARIO = requireScenario(
  {
    ...scenarioSpec({ name: 'wave', topology: 'given', bed: 'reuse' }),
    parameters: {},
    grids: { default: { description: 'one', axes: {} } },
    phases: [{ name: 'settle', steps: [{ wait: '1s' }] }],
    measure: ['rehearsal-test.wave'],
    measures: [
      { name: 'drainS', title: 'drain time', unit: 's' },
      { name: 'watchedS', title: 'watched for', unit: 's' },
      { name: 'keysLost', title: 'keys lost', unit: '' },
      { name: 'drops', title: 'drops', unit: '' },
    ],
    checks: [
      {
        check: 'no-event',
        title: 'no key is lost',
        kind: 'invariant',
        parameters: { event: 'key.lost' },
      },
    ],
  },
  { suite: 'fake' },
);

function joinersVersion({ nodes }: ResolvedTopology): string {
  const image = nodes.find(({ role }) => role === 'joiner')?.image;
  return image?.kind === 'reference' ? image.reference.replace('test/node:', '') : '';
}

/** Waves whose joiner drains after so long, by its version; never, when that is infinite. */
function stage(drainS: Readonly<Record<string, number>>, more: FakeBehaviour = {}): FakeStage {
  const waves: Record<string, number> = {};
  return new FakeStage({
    startMs: 10,
    removeMs: 10,
    ...more,
    onStart: (bed, topology) => {
      more.onStart?.(bed, topology);
      const variant = joinersVersion(topology);
      waves[variant] = (waves[variant] ?? 0) + 1;
      const spread = ((waves[variant] ?? 0) % 3) * 0.5;
      const tookMs = ((drainS[variant] ?? 20) + spread) * 1_000;
      if (Number.isFinite(tookMs)) bed.say('joiner-1', 'bootstrap.drained', { tookMs });
    },
  });
}

describe('a rehearsal from end to end', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-rehearsal-'));
    writeFileSync(join(folder, 't.yaml'), TOPOLOGY);
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function request(changes: Partial<RehearsalRequest> = {}): RehearsalRequest {
    const topology = join(folder, 't.yaml');
    return {
      topology,
      spec: readRehearsal(topology),
      scenario: SCENARIO,
      baseline: 'test/node:old',
      candidates: ['test/node:new'],
      command: ['rehearse', 't.yaml'],
      seed: '7',
      reportsDir: join(folder, 'reports'),
      nowMs: () => 0,
      room: () => ({ diskFreeBytes: 8 * 1024 ** 3, memoryFreeBytes: 8 * 1024 ** 3 }),
      signal: new AbortController().signal,
      ...changes,
    };
  }

  it('plays the sides in turns on fresh beds, ends when it is clear, and says what to do first', async () => {
    const played = stage({ old: 60, new: 20 });
    const { text, exitCode, outcome, result, dir } = await executeRehearsal(request({ stage: played }));
    expect(exitCode).to.equal(0);
    expect(outcome.trials.map(({ point }) => point['side'])).to.deep.equal(
      [0, 1, 2].flatMap((slot) =>
        slot % 2 === 0 ? ['test/node:old', 'test/node:new'] : ['test/node:new', 'test/node:old'],
      ),
    );
    expect(new Set(outcome.trials.map(({ bed }) => bed.id)).size).to.equal(6);
    expect(text.split('\n')[0]).to.match(/^Ship test\/node:new: better than test\/node:old/);
    expect(text).to.include('drain time *').and.include('Largest wave: 3 nodes (2 incumbent, 1 joiner)');
    expect(result.why).to.equal('the answer is clear after 3 waves a side');
    const html = readFileSync(join(dir, 'index.html'), 'utf8');
    expect(html).to.include('Ship test/node:new');
    expect(html).to.include('Largest wave: 3 nodes (2 incumbent, 1 joiner)');
    expect(html).to.match(
      /<th scope="row">test\/node:new<\/th><td class="text">joiner<\/td><td class="text">fake<\/td>/,
    );
    const written: unknown = JSON.parse(readFileSync(join(dir, REHEARSAL_FILE), 'utf8'));
    expect(written).to.have.nested.property('images[0].imageId', 'fake');
  });

  it('says no worse of the baseline against itself', async () => {
    const same = request({ stage: stage({ old: 40 }), candidates: ['test/node:old'] });
    const { exitCode, result } = await executeRehearsal(same);
    expect(exitCode).to.equal(0);
    expect(result.comparisons[0]?.outcome).to.equal('no worse');
    expect(result.sentence).to.match(/^Ship test\/node:old \(2\): no worse/);
  });

  it('fails a candidate that is slower by more than the margin', async () => {
    const { exitCode, result } = await executeRehearsal(request({ stage: stage({ old: 20, new: 60 }) }));
    expect(exitCode).to.equal(1);
    expect(result.sentence).to.match(/^Do not ship/);
  });

  describe('of which a side never drains while it is watched', () => {
    beforeEach(() => {
      const watched = TOPOLOGY.replace(
        'better: lower, margin: 5',
        'better: lower, margin: 5, openAs: watchedS',
      );
      writeFileSync(join(folder, 't.yaml'), watched);
    });
    const never = Number.POSITIVE_INFINITY;

    it('fails the candidate when the baseline does', async () => {
      const { exitCode, result } = await executeRehearsal(request({ stage: stage({ old: 20, new: never }) }));
      expect(exitCode).to.equal(1);
      expect(result.sentence).to.match(/^Do not ship test\/node:new: worse .*at least 240 s against 2/);
    });

    it('ships the candidate when only the baseline does not', async () => {
      const { exitCode, result, text } = await executeRehearsal(
        request({ stage: stage({ old: never, new: 20 }) }),
      );
      expect(exitCode).to.equal(0);
      expect(result.sentence).to.match(/^Ship test\/node:new: better/);
      expect(text).to.include('≥ 240 s');
    });

    it('holds when neither does', async () => {
      const { exitCode, result } = await executeRehearsal(
        request({ stage: stage({ old: never, new: never }) }),
      );
      expect(exitCode).to.equal(2);
      expect(result.sentence).to.match(/^Hold/);
    });
  });

  describe('with what a release has some of itself', () => {
    const played = async (dropsOf: Readonly<Record<string, readonly number[]>>) => {
      const guarded = TOPOLOGY.replace('  secondary: [', '  noMore: [').replace('margin: 0}]', 'margin: 2}]');
      writeFileSync(join(folder, 't.yaml'), guarded);
      const waves: Record<string, number> = {};
      const dropping: FakeBehaviour = {
        onStart: (bed, topology) => {
          const variant = joinersVersion(topology);
          const own = dropsOf[variant] ?? [];
          const wave = waves[variant] ?? 0;
          waves[variant] = wave + 1;
          for (let drop = 0; drop < (own[wave % own.length] ?? 0); drop += 1)
            bed.say('incumbent-1', 'admission.dropped', {});
        },
      };
      return await executeRehearsal(request({ stage: stage({ old: 60, new: 20 }, dropping) }));
    };

    it('ships a candidate that has as much of it', async () => {
      const { exitCode, result, text } = await played({ old: [9, 10, 11], new: [10, 11, 9] });
      expect(exitCode).to.equal(0);
      expect(result.sentence).to.match(/^Ship test\/node:new: better/);
      expect(text).to.include('drops *');
    });

    it('refuses one that has more, and says of what', async () => {
      const { exitCode, result, dir } = await played({ old: [9, 10, 11], new: [30, 31, 29] });
      expect(exitCode).to.equal(1);
      expect(result.sentence).to.match(/^Do not ship test\/node:new: it has more .*\(drops 30 against 10,/);
      expect(result.why).to.equal('the answer is clear after 3 waves a side');
      expect(readFileSync(join(dir, 'index.html'), 'utf8')).to.include('drops *');
    });
  });

  it('fails at the first lost key, however much faster the candidate is, and plays no further wave', async () => {
    const losing = stage(
      { old: 60, new: 20 },
      {
        onStart: (bed, topology) => {
          if (joinersVersion(topology) === 'new') bed.say('joiner-1', 'key.lost', {});
        },
      },
    );
    const { exitCode, result, outcome } = await executeRehearsal(request({ stage: losing }));
    expect(exitCode).to.equal(1);
    expect(outcome.trials).to.have.length(2);
    expect(result.sentence).to.match(/^Do not ship test\/node:new: keysLost/);
  });

  it('fails when the baseline loses something that no check of its scenario asks for', async () => {
    const losing = stage(
      { old: 60, new: 20 },
      {
        onStart: (bed, topology) => {
          if (joinersVersion(topology) === 'old') bed.say('joiner-1', 'key.lost', {});
        },
      },
    );
    const scenario = { ...SCENARIO, checks: [] };
    const { exitCode, result, outcome, run } = await executeRehearsal(request({ stage: losing, scenario }));
    expect(exitCode).to.equal(1);
    expect(outcome.trials).to.have.length(1);
    expect(result.sentence).to.match(/^Hold test\/node:new: what must never happen happened in some wave/);
    expect(
      run.points.flatMap(({ checks }) => checks).find(({ verdict }) => verdict === 'fail')?.title,
    ).to.equal('nothing is lost: keys lost');
  });

  it('says of each of several candidates what its own waves and the baseline’s lost', async () => {
    const losing = stage(
      { old: 60, new: 20, other: 20 },
      {
        onStart: (bed, topology) => {
          if (joinersVersion(topology) === 'other') bed.say('joiner-1', 'key.lost', {});
        },
      },
    );
    const both = request({ stage: losing, candidates: ['test/node:new', 'test/node:other'] });
    const { exitCode, result } = await executeRehearsal(both);
    expect(exitCode).to.equal(1);
    expect(result.sentence).to.match(/^Hold test\/node:new: (fewer waves|whether it is worse)/);
    expect(result.sentence).to.match(/Do not ship test\/node:other: keysLost at \S+ was 1,/);
  });

  it('forecasts the memory of as many beds as there are at a time', async () => {
    const memory = async (parallelBeds: number) =>
      (await planRehearsal(request({ parallelBeds }))).forecast.memoryBytes;
    expect(await memory(4)).to.be.at.least(4 * 96 * 1024 ** 2);
    expect(await memory(4)).to.be.at.least(2 * (await memory(1)));
  });

  it('is unclear when the budget ends before the first look', async () => {
    let calls = 0;
    const slow = request({
      stage: stage({ old: 60, new: 20 }),
      budgetMs: 70,
      nowMs: () => {
        calls += 1;
        return calls * 40;
      },
    });
    const { exitCode, result } = await executeRehearsal(slow);
    expect(exitCode).to.equal(2);
    expect(result.why).to.include('the budget is spent');
    expect(result.sentence).to.match(/^Hold/);
  });

  it('says after every wave how long it may still take, with and without a budget', async () => {
    const told = async (budgetMs?: number): Promise<readonly string[]> => {
      const notes: string[] = [];
      let nowMs = 0;
      await executeRehearsal(
        request({
          stage: stage({ old: 60, new: 20 }),
          nowMs: () => {
            nowMs += 1_000;
            return nowMs;
          },
          observer: { noted: (text) => notes.push(text) },
          seed: String(budgetMs ?? 0),
          withoutReports: true,
          ...(budgetMs !== undefined && { budgetMs }),
        }),
      );
      return notes.filter((note) => note.includes('waves a side are whole'));
    };
    const open = await told();
    expect(open).to.have.length(5);
    expect(open[0]).to.equal('0 of at most 6 waves a side are whole');
    expect(open[1]).to.match(
      /^1 of at most 6 waves a side are whole; about \d+ s to the look at 3, \d+ s to the last$/,
    );
    expect((await told(3_600_000))[1]).to.match(/ to the last; \d+ min.* of the budget left$/);
  });

  it('ends when room runs out, by what is free when the wave has ended', async () => {
    let asked = 0;
    const { result, outcome } = await executeRehearsal(
      request({
        stage: stage({ old: 60, new: 20 }),
        withoutReports: true,
        room: () => {
          asked += 1;
          return { diskFreeBytes: (asked === 1 ? 8 : 0.5) * 1024 ** 3, memoryFreeBytes: 8 * 1024 ** 3 };
        },
      }),
    );
    expect(outcome.trials).to.have.length(1);
    expect(result.why).to.include('only 512 MiB of disk are free');
  });

  it('goes on after an interruption, and the waves that were played count', async () => {
    const stop = new AbortController();
    let started = 0;
    const first = stage(
      { old: 60, new: 20 },
      {
        onStart: () => {
          started += 1;
          if (started === 4) stop.abort(new Error('interrupted'));
        },
      },
    );
    const cut = await executeRehearsal(request({ stage: first, signal: stop.signal }));
    const { outcome, dir, exitCode } = await executeRehearsal(
      request({ stage: stage({ old: 60, new: 20 }), resume: true }),
    );
    expect(dir).to.equal(cut.dir);
    expect(exitCode).to.equal(0);
    expect(outcome.trials.length).to.be.lessThan(6);
    const again = await executeRehearsal(request({ stage: stage({}), resume: true }));
    expect(again.outcome.trials).to.have.length(0);
    expect(again.result.images.map(({ side }) => side)).to.include.members([
      'test/node:old',
      'test/node:new',
    ]);
    expect(again.exitCode).to.equal(0);
  });

  it('compares several candidates at once', async () => {
    const played = stage({ old: 60, new: 20, other: 61 });
    const { result, exitCode } = await executeRehearsal(
      request({ stage: played, candidates: ['test/node:new', 'test/node:other'] }),
    );
    expect(result.comparisons.map(({ outcome }) => outcome)).to.deep.equal(['better', 'no worse']);
    expect(exitCode).to.equal(0);
  });

  it('tells how often the baseline is called worse than itself, with what so few times leave open', async () => {
    const { text, counts, exitCode, rehearsals } = await repeatRehearsal(
      { ...request({ stage: stage({ old: 40 }), candidates: ['test/node:old'] }), seed: '7' },
      2,
    );
    expect(exitCode).to.equal(0);
    expect(new Set(rehearsals.map(({ run }) => run.seed)).size).to.equal(2);
    expect(counts[0]?.outcomes).to.deep.equal({ better: 0, 'no worse': 2, worse: 0, unclear: 0 });
    expect(text).to.include('2 times: 2 no worse').and.include('called worse in 0 % (0 to 84.2 %)');
  });

  it('forecasts, and refuses what there is no room for before anything starts', async () => {
    const { forecast } = await planRehearsal(request());
    expect(forecast).to.include({ sides: 2, conditions: 1, waves: 3, mostWaves: 6, nodes: 3 });
    const played = stage({});
    const cramped = request({
      stage: played,
      room: () => ({ diskFreeBytes: 1024 ** 3, memoryFreeBytes: 8 * 1024 ** 3 }),
    });
    const error = await executeRehearsal(cramped).catch((caught: unknown) => caught);
    expect(error).to.have.property('code', 'no-room');
    expect(played.built).to.deep.equal([]);
  });

  describe('with a rolling upgrade and its rollback', () => {
    const baseline = 'fetch-node@before';
    const candidate = 'fetch-node@share+busy';
    beforeEach(() => {
      // Roles of fetch nodes; the holders are the baseline's.
      const topology = TOPOLOGY.replaceAll('incumbent', 'holder').replaceAll(
        "'test/node:old'",
        'fetch-node@before',
      );
      writeFileSync(join(folder, 't.yaml'), topology);
    });

    it('begins every node of the baseline anew as the side’s version, and then as the baseline’s, before it counts', async () => {
      const played = stage({});
      const { result, outcome } = await executeRehearsal(
        request({ stage: played, baseline, candidates: [candidate], rolling: true }),
      );
      expect(outcome.trials.length).to.be.greaterThan(0);
      for (const trial of outcome.trials) {
        expect(trial.phases.map(({ name }) => name).slice(-3)).to.deep.equal([
          'upgrade',
          'rollback',
          'settle',
        ]);
        expect(trial.measures).to.include.keys('upgradeS', 'rollbackS');
        const bed = played.built.find(({ id }) => id === trial.bed.id);
        const side = String(trial.point['side']).split('@')[1];
        expect(
          bed?.relaunched.map(({ node, env }) => [node, env['SQUALL_VARIANT'], env['SQUALL_BUSY']]),
          side,
        ).to.deep.equal([
          ...['holder-1', 'holder-2'].map((node) => [node, side, side === 'share+busy' ? 'true' : 'false']),
          ...['holder-1', 'holder-2'].map((node) => [node, 'before', 'false']),
        ]);
      }
      const measures = result.comparisons[0]?.metrics.map(({ measure }) => measure);
      expect(measures).to.include.members(['upgradeS', 'rollbackS']);
    });

    for (const [image, why] of [
      ['ant-node:0.23.1', /--rolling: ant-node:0\.23\.1 is no fetch-node; expected variants or versions/],
      ['memberlist-node@both', /is no fetch-node/],
      ['test/node:new', /test\/node:new is no image of ours/],
    ] as const) {
      it(`refuses ${image} as a candidate`, async () => {
        const error = await planRehearsal(request({ baseline, candidates: [image], rolling: true })).catch(
          (caught: unknown) => caught,
        );
        expect(error).to.have.property('code', 'bad-rolling');
        expect(String(error)).to.match(why);
      });
    }
  });

  describe('with a rolling upgrade of the real node, whose image says which files it keeps', () => {
    const [old, next] = ['ant-node:0.22.0', 'ant-node:0.23.1'];
    const topology = (more = '') =>
      TOPOLOGY.replace('role: incumbent, count: 2,', `role: holder, count: 2,${more}`)
        .replace('[incumbent]', '[holder]')
        .replaceAll("'test/node:old'", "'ant-node:0.22.0'")
        .replace('  noLoss', '  rolling: {event: node.running, timeout: 20s}\n  noLoss');
    const rolled = (behaviour: FakeBehaviour) => {
      const played = stage({}, behaviour);
      const asked = request({ stage: played, baseline: old, candidates: [next], rolling: true });
      return { played, asked };
    };

    it('puts the other version in the place of each node once the one before serves, and then the baseline’s again', async () => {
      writeFileSync(join(folder, 't.yaml'), topology());
      const { played, asked } = rolled({ onReplace: (bed, node) => bed.say(node, 'node.running', {}) });
      const { outcome, result } = await executeRehearsal(asked);
      expect(outcome.trials.length).to.be.greaterThan(0);
      for (const {
        bed: { id },
        point,
        measures,
      } of outcome.trials) {
        const bed = played.built.find((one) => one.id === id);
        expect(bed?.relaunched).to.deep.equal([]);
        expect(bed?.replaced.map(({ node, image }) => `${node} ${image}`)).to.deep.equal([
          `holder-1 ${String(point['side'])}`,
          `holder-2 ${String(point['side'])}`,
          `holder-1 ${old}`,
          `holder-2 ${old}`,
        ]);
        expect(measures['upgradeS']).to.be.a('number');
      }
      expect(result.comparisons[0]?.metrics.map(({ measure }) => measure)).to.include('rollbackS');
    });

    it('goes no further when one does not serve as what it became', async () => {
      writeFileSync(join(folder, 't.yaml'), topology().replace('20s', '50ms'));
      const { played, asked } = rolled({});
      const { outcome, exitCode } = await executeRehearsal(asked);
      expect(exitCode).not.to.equal(0);
      // What is held was not counted, and neither phase came to its end.
      for (const { measures } of outcome.trials)
        expect([measures['upgradeS'], measures['rollbackS']]).to.deep.equal([null, null]);
      expect(played.built.map(({ replaced }) => replaced.length)).to.satisfy((all: number[]) =>
        all.every((one) => one === 1),
      );
    });

    it('refuses nodes whose disk goes with their container, before anything starts', async () => {
      writeFileSync(
        join(folder, 't.yaml'),
        topology(' resources: {tmpfs: 64MiB},').replace(
          "image: 'ant-node:0.22.0', resources: {memory: 64MiB}}",
          "image: 'ant-node:0.22.0'}",
        ),
      );
      const error = await planRehearsal(rolled({}).asked).catch((caught: unknown) => caught);
      expect(error).to.have.property('code', 'bad-rolling');
      expect(String(error)).to.match(/holder-1 has its files on a disk that goes with its container/);
    });
  });

  describe('whose wave may be smaller', () => {
    const scenario = requireScenario(
      {
        ...SCENARIO,
        parameters: {
          incumbents: { type: 'integer', description: 'that have the set', default: 12, minimum: 1 },
        },
        overrides: ({ incumbents }) => ({ counts: { incumbent: Number(incumbents) } }),
      },
      { suite: 'fake' },
    );
    beforeEach(() => {
      const topology = TOPOLOGY.replace('  waves: 3\n', '  waves: 3\n  shrinkTo: {incumbents: 2}\n');
      writeFileSync(join(folder, 't.yaml'), topology);
    });
    const nodesOf = ({ topology }: { readonly topology: ResolvedTopology }): number => topology.nodes.length;

    it('plays the largest that there is room for, and names it', async () => {
      // 13 nodes may take 64 MiB each, and half of that is what they are thought to need.
      const room = () => ({ diskFreeBytes: 8 * 1024 ** 3, memoryFreeBytes: 256 * 1024 ** 2 });
      const { forecast, plan } = await planRehearsal(request({ scenario, room }));
      expect(forecast.memoryBytes).to.be.at.most(256 * 1024 ** 2);
      expect(forecast.smaller?.askedNodes).to.equal(13);
      expect(plan.points.map(nodesOf)).to.deep.equal([forecast.nodes, forecast.nodes]);
      expect(forecast.nodes).to.be.within(4, 8);
      const { result, text } = await executeRehearsal(
        request({ scenario, room, stage: stage({ old: 60, new: 20 }), withoutReports: true }),
      );
      expect(result.largestWave.nodes).to.equal(forecast.nodes);
      expect(text).to.match(
        /Largest wave: \d nodes \(\d incumbent, 1 joiner\), fewer than the 13 asked for: about .* of memory were needed, and 256 MiB are free\./,
      );
    });

    it('plays a smaller one when the host spoils each of the first three', async () => {
      const sizes: number[] = [];
      const played = stage(
        { old: 60, new: 20 },
        {
          onStart: (_bed, topology) => {
            sizes.push(topology.nodes.length);
            // Of waves of more than ten nodes the guard has nothing good to say.
            played.hosts.length = 0;
            if (topology.nodes.length > 10) played.hosts.push(...Array(200).fill(SPOILED));
          },
        },
      );
      const { result, text, exitCode } = await executeRehearsal(
        request({ scenario, stage: played, withoutReports: true }),
      );
      expect(sizes.filter((nodes) => nodes > 10)).to.deep.equal([13, 13, 13, 12, 12, 12, 11, 11, 11]);
      expect(result.largestWave.nodes).to.equal(10);
      expect(exitCode).to.equal(0);
      expect(text).to.match(
        /10 nodes .* fewer than the 13 asked for: the host spoiled each of 3 waves \(.+\)/,
      );
    });

    it('is as large as the call says, or is refused', async () => {
      const cramped = request({
        scenario,
        lists: { incumbents: [12] },
        room: () => ({ diskFreeBytes: 8 * 1024 ** 3, memoryFreeBytes: 64 * 1024 ** 2 }),
        stage: stage({}),
      });
      const error = await executeRehearsal(cramped).catch((caught: unknown) => caught);
      expect(error).to.have.property('code', 'no-room');
    });
  });

  it('refuses an image whose program is not there before it forecasts anything', async () => {
    const error = await planRehearsal(request({ candidates: ['ant-node:./nope'] })).catch(
      (caught: unknown) => caught,
    );
    expect(error).to.have.property('code', 'bad-version');
    expect(String(error)).to.include(
      'scenario wave, role joiner: image ant-node:./nope: there is nothing of',
    );
  });

  it('refuses a topology without a rehearsal, and roles that it does not have', () => {
    const file = join(folder, 'other.yaml');
    writeFileSync(file, TOPOLOGY.slice(0, TOPOLOGY.indexOf('rehearsal:')));
    expect(() => readRehearsal(file)).to.throw(/has no `rehearsal`/);
    writeFileSync(file, TOPOLOGY.replace('candidate: [joiner]', 'candidate: [joinr]'));
    expect(() => readRehearsal(file)).to.throw(/no role "joinr"; did you mean "joiner"/);
    writeFileSync(
      file,
      TOPOLOGY.replace('better: lower, margin: 5', 'better: higher, margin: 5, openAs: watchedS'),
    );
    expect(() => readRehearsal(file)).to.throw(/only where lower is better/);
  });
});
