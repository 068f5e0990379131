import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { requireScenario } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { parameterOptions } from '../parameter-options.ts';
import { type SelectionArguments, select } from '../selection.ts';
import { suiteWords } from '../suite-arguments.ts';
import { squallHere } from './in-process.ts';

const outage = requireScenario(scenarioSpec(), { suite: 'fake' });
const crash = requireScenario(
  scenarioSpec({
    name: 'crash',
    parameters: {
      crashes: { type: 'integer', description: '', default: 1 },
      variant: { type: 'choice', description: '', default: 'shipped', choices: ['shipped', 'both'] },
    },
    grids: {
      default: { description: '', axes: {} },
      core: { description: '', axes: { variant: ['both'] } },
    },
    phases: [{ name: 'recovery', steps: [{ wait: '1s' }] }],
  }),
  { suite: 'fake' },
);
const rare = requireScenario(scenarioSpec({ name: 'rare', onlyWhenNamed: true }), { suite: 'fake' });
const SUITES = [{ name: 'fake', folder: '/nowhere', scenarios: [outage, crash, rare] }];

function selected(args: Partial<SelectionArguments> & Readonly<Record<string, unknown>> = {}) {
  const { selections, notes } = select(SUITES, { warp: ['1'], ...args });
  return { names: selections.map(({ scenario }) => scenario.name), selections, notes };
}

describe('what a call of run or plan selects', () => {
  it('is every scenario but those that run only when named', () => {
    expect(selected().names).to.deep.equal(['outage', 'crash']);
    expect(selected().notes.join()).to.include('rare is left out');
  });

  it('is the scenario or the grid that is named', () => {
    expect(selected({ scenario: ['rare'] }).names).to.deep.equal(['rare']);
    expect(selected({ scenario: ['rare,outage'] }).names).to.deep.equal(['outage', 'rare']);
    expect(selected({ scenario: ['crash', 'rare'] }).names).to.deep.equal(['crash', 'rare']);
    expect(selected({ grid: 'core' }).names).to.deep.equal(['crash']);
  });

  it('is only the scenarios that have the parameters that are given', () => {
    const { names, selections, notes } = selected({ cutoff: '8', outage: '24s,40s' });
    expect(names).to.deep.equal(['outage']);
    expect(selections[0]?.lists).to.deep.equal({ cutoff: [8], outage: [24_000, 40_000] });
    expect(notes.join('\n')).to.include('crash is left out: it has no --cutoff');
  });

  it('is the same by --set as by the options', () => {
    const bySet = selected({ set: ['cutoff=8', 'outage=24s,40s'] });
    expect(bySet.selections[0]?.lists).to.deep.equal(
      selected({ cutoff: '8', outage: '24s,40s' }).selections[0]?.lists,
    );
  });

  for (const [args, problem] of [
    [{ scenario: ['outge'] }, /Did you mean outage/],
    [{ scenario: ['outage,'] }, /--scenario outage,: a name is empty/],
    [{ scenario: ['rare', 'outge'] }, /Did you mean outage/],
    [{ grid: 'cor' }, /Did you mean core/],
    [{ cutoff: 'many' }, /parameter cutoff/],
    [{ variant: 'shiped' }, /one of shipped, both/],
    [{ outage: '40' }, /a duration such as/],
    [{ set: ['cutof=8'] }, /Did you mean cutoff/],
    [{ set: ['cutoff'] }, /NAME=VALUE/],
    [{ grep: '(' }, /no regular expression/],
    [{ trials: 0 }, /whole number from 1/],
    [{ 'parallel-beds': 0.5 }, /whole number from 1/],
    [{ warp: ['fast'] }, /--warp fast: expected a factor from 1/],
    [{ warp: ['1,'] }, /a factor from 1/],
    [{ warp: ['0.5'] }, /a factor from 1/],
    [{ crashes: '1', cutoff: '1' }, /nothing selected/],
  ] as const) {
    it(`refuses ${JSON.stringify(args)}`, () => {
      expect(() => selected(args as never)).to.throw(SquallError, problem);
    });
  }

  describe('with a warp', () => {
    const warped = requireScenario(
      scenarioSpec({ name: 'warped', warp: { ceiling: 4, control: 'warped at warp 1' } }),
      { suite: 'fake' },
    );
    const paced = (args: Partial<SelectionArguments>) => {
      const suites = [{ name: 'fake', folder: '/nowhere', scenarios: [warped, crash] }];
      const { selections, notes } = select(suites, { warp: ['1'], ...args });
      return { warps: Object.fromEntries(selections.map((one) => [one.scenario.name, one.warps])), notes };
    };

    it('runs what allows none at real speed beside what does, and says so by name', () => {
      const { warps, notes } = paced({ warp: ['4'] });
      expect(warps).to.deep.equal({ warped: [4], crash: [1] });
      expect(notes).to.deep.equal(['crash runs at warp 1: it allows no warp']);
    });

    it('gives each scenario several warps, each once', () => {
      expect(paced({ warp: ['4,1,4'] }).warps).to.deep.equal({ warped: [1, 4], crash: [1] });
      expect(paced({ warp: ['1', '4'] }).warps).to.deep.equal({ warped: [1, 4], crash: [1] });
    });

    it('says nothing at real speed', () => {
      expect(paced({})).to.deep.equal({ warps: { warped: [1], crash: [1] }, notes: [] });
    });

    it('leaves it to planning to refuse a scenario that is named or alone', () => {
      expect(paced({ warp: ['4'], scenario: ['crash'] }).warps).to.deep.equal({ crash: [4] });
      expect(paced({ warp: ['4'], grid: 'core' }).warps).to.deep.equal({ crash: [4] });
    });
  });

  describe('with a side that not every scenario has', () => {
    const sided = (name: string, choices: readonly string[], listed: readonly string[]) =>
      requireScenario(
        scenarioSpec({
          name,
          parameters: {
            ...scenarioSpec().parameters,
            variant: { type: 'choice', description: '', default: choices[0] ?? '', choices },
          },
          grids: {
            default: { description: '', axes: listed.length > 0 ? { variant: listed } : {} },
          },
        }),
        { suite: 'fake' },
      );
    const all = ['old', 'new', 'broken'];
    const suites = [
      {
        name: 'fake',
        folder: '/nowhere',
        scenarios: [
          sided('both', all, ['old', 'new']),
          sided('newer', all, ['new']),
          sided('silent', all, []),
          sided('other', ['shipped', 'stuck'], ['shipped']),
        ],
      },
    ];
    const asked = (variant: string, more: Partial<SelectionArguments> = {}) => {
      const { selections, notes } = select(suites, { warp: ['1'], variant, ...more });
      return {
        sides: Object.fromEntries(
          selections.map(({ scenario, lists }) => [scenario.name, lists?.['variant']]),
        ),
        notes,
      };
    };

    it('leaves out what knows no such side, and grids that list others', () => {
      const { sides, notes } = asked('old');
      expect(sides).to.deep.equal({ both: ['old'], silent: ['old'] });
      expect(notes).to.deep.equal([
        'other is left out: it knows no --variant old',
        'newer is left out: its grid "default" has no --variant old; --scenario newer runs it all the same',
      ]);
    });

    it('asks of each scenario the sides that it has', () => {
      expect(asked('old,new,stuck').sides).to.deep.equal({
        both: ['old', 'new'],
        newer: ['new'],
        silent: ['old', 'new'],
        other: ['stuck'],
      });
    });

    it('asks a side that no grid lists of all that know it, as with a mutant by hand', () => {
      expect(asked('broken').sides).to.deep.equal({
        both: ['broken'],
        newer: ['broken'],
        silent: ['broken'],
      });
    });

    it('runs a scenario that is named with any side that it knows', () => {
      expect(asked('old', { scenario: ['newer'] }).sides).to.deep.equal({ newer: ['old'] });
    });

    it('refuses a side that none of them has, and one that the named scenario has not', () => {
      expect(() => asked('older')).to.throw(SquallError, /"older" does not fit; expected one of old, new/);
      expect(() => asked('old', { scenario: ['other'] })).to.throw(SquallError, /one of shipped, stuck/);
    });
  });

  it('refuses a parameter that means different things in two scenarios', () => {
    const other = requireScenario(
      scenarioSpec({
        name: 'other',
        parameters: {
          ...scenarioSpec().parameters,
          cutoff: { type: 'duration', description: '', default: '1s' },
        },
        grids: { default: { description: '', axes: {} } },
      }),
      { suite: 'fake' },
    );
    expect(() => parameterOptions([outage, other])).to.throw(
      SquallError,
      /cutoff: duration in scenario other, integer/,
    );
  });
});

describe('suites in a call', () => {
  it('are found before options are known, and values of options are not taken for them', () => {
    expect(suiteWords(['run', 'memberlist', 'other', '--grid', 'memberlist', '--cutoff', '8'])).to.deep.equal(
      ['memberlist', 'other'],
    );
    expect(suiteWords(['run', '--cutoff', '8', 'memberlist'])).to.deep.equal(['memberlist']);
    expect(suiteWords(['plan', '--json', 'memberlist'])).to.deep.equal(['memberlist']);
  });
});

describe('squall plan and its kin', () => {
  it('prints trials, beds, time, memory and disk, and starts nothing', async () => {
    const { stdout, error } = await squallHere('plan', 'memberlist', '--scenario', 'outage', '--seed', '7');
    expect(error).to.equal(undefined);
    for (const word of ['Trials', 'Beds', 'Duration', 'Memory', 'Disk', 'Seed      7']) {
      expect(stdout).to.include(word);
    }
  });

  it('prints the plan as JSON, with the points that parameters chose', async () => {
    const { stdout } = await squallHere(
      ...['plan', 'memberlist', '--cutoff', '8', '--outage', '40s', '--variant', 'shipped,both'],
      ...['--trials', '3', '--seed', '7', '--json'],
    );
    const plan = JSON.parse(stdout) as {
      scenarios: { points: { pointId: string; trials: number }[] }[];
      costs: { trials: number };
    };
    expect(plan.scenarios.flatMap((one) => one.points.map((point) => point.pointId))).to.deep.equal([
      'cutoff=8,outage=40s,variant=shipped',
      'cutoff=8,outage=40s,variant=both',
    ]);
    expect(plan.costs.trials).to.equal(6);
  });

  it('plans every point of the onset at two warps, and names what has none', async () => {
    const { stdout, stderr } = await squallHere(
      ...['plan', 'memberlist', '--grid', 'onset', '--warp', '1,4', '--json'],
    );
    const plan = JSON.parse(stdout) as { scenarios: { points: { pointId: string; warp: number }[] }[] };
    const points = plan.scenarios.flatMap((one) => one.points);
    expect(points.filter(({ warp }) => warp === 1)).to.have.length(12);
    expect(points.filter(({ warp }) => warp === 4)).to.have.length(12);
    expect(stderr).to.not.include('runs at warp 1');
    const core = await squallHere('plan', 'memberlist', '--grid', 'core', '--warp', '4');
    expect(core.stdout).to.match(/memberlist\/outage: .*, at warp 4\n/);
    for (const name of ['loss', 'zero-outage'])
      expect(core.stderr).to.include(`${name} runs at warp 1: it allows no warp`);
  });

  it('lists the parameters of the suite in its help', async () => {
    const { stdout } = await squallHere('run', 'memberlist', '--help');
    expect(stdout).to.include('--cutoff').and.include('nodes cut off at once').and.include('--outage');
  });

  for (const [args, problem] of [
    [['plan', 'suites/memberlst'], 'did you mean "suites/memberlist"'],
    [['plan', 'memberlist', '--cutof', '8'], 'Did you mean --cutoff?'],
    [['plan', 'memberlist', '--warp', '64'], 'warp 64 refused'],
    [['plan', 'memberlist', '--scenario', 'loss', '--warp', '4'], 'scenario loss: warp 4 refused'],
    [['plan', 'memberlist', '--scenario', 'loss', '--warp', '1,4'], 'scenario loss: warp 4 refused'],
    [['run', 'memberlist', '--pcap-limit', '1MiB'], 'means nothing without --pcap'],
    [['run', 'memberlist', '--pcap', '--pcap-limit', '1KiB'], 'expected a size of at least'],
    [['plan', 'memberlist', '--pcap', '--pcap-limit', 'much'], 'expected a size such as 8MiB'],
    [['run'], 'Not enough'],
    [['mutate', 'smp', '--warp', '1,4'], 'expected one factor'],
    [['mutate', 'smp', '--warp', '0.5'], 'expected a factor from 1'],
    [['mutate', 'memberlist', '--mutant', 'no-grase'], 'no scenario of these suites claims it'],
    [['mutate', '--mutant', 'both-without-grase'], 'Did you mean both-without-grace?'],
    [['mutate', '--mutant', 'proxy-failed-minus-on'], 'Did you mean proxy-failed-minus-one?'],
  ] as const) {
    it(`refuses \`squall ${args.join(' ')}\` and says what is wrong`, async () => {
      const { error } = await squallHere(...args);
      expect(error?.blame).to.equal('input');
      expect(error?.message).to.include(problem);
    });
  }
});
