import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import type { RunRecord } from '../../record/index.ts';
import {
  type CheckLine,
  checkLines,
  chooseWithinBudget,
  exitOfUnstable,
  formatHistory,
  gateAnnotations,
  gateSchema,
  outcomesOf,
  parseGate,
  parseHistory,
  parseShard,
  renderGateMarkdown,
  renderGateText,
  stabilityOf,
  unitsOfShard,
  withStability,
} from '../index.ts';
import { check, line, point, result, run } from './sample-result.ts';

const unit = (id: string, sizeMs: number, must = false) => ({ id, sizeMs, must });
/** A bed costs ten whatever runs on it, as beds that are shared do. */
const together = (units: readonly { readonly sizeMs: number }[]): number =>
  10 + units.reduce((sum, { sizeMs }) => sum + sizeMs, 0);

describe('a gate file', () => {
  it('is read with its defaults', () => {
    const config = parseGate('quick: [{suite: suites/a, grid: gate}]', 'gate.yaml');
    expect(config.name).to.equal('release');
    expect(config.quick).to.deep.equal([{ suite: 'suites/a', grid: 'gate', must: false, tags: [] }]);
  });

  for (const [text, problem] of [
    ['budget: 20\nquick: [{suite: a}]', /gate\.yaml:1:9 budget: .*duration/],
    ['quick:\n  - {suit: a}', /gate\.yaml:2:\d+ quick\[0\]\.suit.*"suite"/],
    ['quick:\n  - {suite: a, mutants: all, grid: g}', /2:\d+ quick\[0\]\.grid: mutants run at the points/],
    ['quick: []', /quick/],
  ] as const) {
    it(`is refused with the place of what is wrong: ${JSON.stringify(text)}`, () => {
      expect(() => parseGate(text, 'gate.yaml')).to.throw(SquallError, problem);
    });
  }

  it('has a schema for editors that says the same as the code', () => {
    const file = new URL('../../../docs/gate.schema.json', import.meta.url);
    expect(JSON.parse(readFileSync(file, 'utf8'))).to.deep.equal(gateSchema());
  });
});

describe('the budget of a gate', () => {
  const units = [unit('a', 30), unit('b', 100), unit('c', 20), unit('d', 5, true)];

  it('takes what must run, then what stands first and fits, and says what it leaves out', () => {
    const { chosen, leftOut, plannedMs } = chooseWithinBudget(units, 65, together);
    expect(chosen.map(({ id }) => id)).to.deep.equal(['a', 'c', 'd']);
    expect(leftOut.map(({ unit: { id }, addsMs }) => [id, addsMs])).to.deep.equal([['b', 100]]);
    expect(plannedMs).to.equal(65);
  });

  it('takes all without one', () => {
    expect(chooseWithinBudget(units, undefined, together).chosen).to.deep.equal(units);
  });

  it('is refused when what must run does not fit, or nothing does', () => {
    expect(() => chooseWithinBudget(units, 14, together)).to.throw(SquallError, /too small: what must run/);
    expect(() => chooseWithinBudget([unit('b', 100)], 50, together)).to.throw(SquallError, /nothing fits/);
  });
});

describe('shards of a gate', () => {
  const units = Array.from({ length: 17 }, (_, index) => unit(`u${index}`, ((index * 7) % 11) + 1));

  for (const total of [1, 2, 3, 5, 17]) {
    it(`are together the whole and share nothing, ${total} of them`, () => {
      const shards = Array.from({ length: total }, (_, index) =>
        unitsOfShard(units, { index: index + 1, total }, ({ sizeMs }) => sizeMs),
      );
      const ids = shards.flat().map(({ id }) => id);
      expect(ids).to.have.length(units.length);
      expect(new Set(ids)).to.deep.equal(new Set(units.map(({ id }) => id)));
      const loads = shards.map((shard) => shard.reduce((sum, { sizeMs }) => sum + sizeMs, 0));
      expect(Math.max(...loads) - Math.min(...loads)).to.be.at.most(11);
    });
  }

  it('are read as part of a whole', () => {
    expect(parseShard('2/3')).to.deep.equal({ index: 2, total: 3 });
    for (const wrong of ['0/3', '4/3', '1', '1/0', '-1/2', '1/2/3']) {
      expect(() => parseShard(wrong), wrong).to.throw(SquallError, /such as 1\/3/);
    }
  });
});

describe('what a gate says', () => {
  const record = run([
    point('a', [check('nobody dies', 'pass'), check('the cut bit', 'pass', { kind: 'guard' })]),
    point('b', [check('nobody dies', 'fail'), check('the cut bit', 'pass', { kind: 'guard' })]),
    point('c', [check('nobody dies', 'inconclusive'), check('it recovers', 'pass')]),
  ]);

  it('is one line a check, by the point that decides, guards last', () => {
    const lines = checkLines(record);
    expect(lines.map((one) => [one.check, one.verdict, one.extent, one.pointId])).to.deep.equal([
      ['nobody dies', 'fail', '3 points, 6 trials', 'b'],
      ['it recovers', 'pass', '1 point, 2 trials', 'c'],
      ['the cut bit', 'pass', '2 points, 4 trials', 'a'],
    ]);
  });

  it('names a point that passed in too few trials, one that nothing judges, and what broke', () => {
    const short = point('a', [check('nobody dies', 'pass')], { verdict: 'inconclusive' });
    const lines = checkLines(run([short, point('b', [])], { errors: ['the disk is full'] }));
    const open = lines.filter((one) => one.verdict === 'inconclusive').map((one) => one.check);
    expect(open).to.deep.equal(['something is judged', 'all planned trials count', 'nothing of ours broke']);
  });

  it('ends with the verdict in one line, and with the command that repeats it', () => {
    const left = { id: 'fake/long', addsMs: 600_000 };
    const text = renderGateText(
      result({ lines: [line('fail')], exitCode: 1, verdict: 'fail', leftOut: [left], budgetMs: 1_200_000 }),
    );
    expect(text).to.include('✗ fake/outage: nobody dies (1 point, 2 trials) at cutoff=8: It is a fail.');
    expect(text).to.include('– left out, the budget has no room for it (about 10 min 00 s): fake/long');
    expect(text).to.match(
      /FAIL {2}gate release --quick: 0 checks pass, 1 fail, 0 inconclusive; .* of 20 min 00 s; 1 part left out/,
    );
    expect(text.trimEnd().split('\n').at(-1)).to.equal('repeat: squall gate --quick --seed 7');
  });

  it('names what was left out by its scenario, however many parts that are', () => {
    const leftOut = [
      { id: 'fake/long', addsMs: 60_000 },
      { id: 'fake/moves course=a × 2', addsMs: 3_000 },
      { id: 'fake/moves mutant b × 2', addsMs: 4_000 },
    ];
    const text = renderGateText(result({ leftOut, budgetMs: 1_200_000 }));
    expect(text).to.include('(about 1 min 00 s): fake/long\n');
    expect(text).to.include('2 parts of fake/moves (about 7 s): course=a × 2; mutant b × 2\n');
    expect(text).to.include('3 parts left out by the budget');
    const markdown = renderGateMarkdown(result({ leftOut }));
    expect(markdown.match(/^- left out/gm)).to.have.length(2);
    expect(gateAnnotations(result({ leftOut }))[0]).to.match(/: fake\/long; 2 parts of fake\/moves$/);
  });

  it('calls a fault of ours broken, and no verdict on the system', () => {
    expect(renderGateText(result({ exitCode: 4, verdict: 'inconclusive' }))).to.include(
      '\nBROKEN  gate release',
    );
  });
});

describe('a gate in a CI job', () => {
  const hostile = line('fail', {
    check: 'a | b: c, d',
    sentence: '100 % of\n::error::forged <script>alert(1)</script> | `x` [y](z) @someone',
  });

  it('is annotated with what fails and what is open, one command a line', () => {
    const commands = gateAnnotations(result({ lines: [line('pass'), hostile, line('inconclusive')] }));
    expect(commands.map((one) => one.split(' ')[0])).to.deep.equal(['::error', '::warning']);
    for (const one of commands) expect(one).to.not.include('\n');
    expect(commands[0]).to.include('title=fake/outage%3A a | b%3A c%2C d::At cutoff=8: 100 %25 of');
  });

  it('is annotated at most ten times a level, the last saying how many more', () => {
    const commands = gateAnnotations(result({ lines: Array.from({ length: 25 }, () => line('fail')) }));
    expect(commands).to.have.length(10);
    expect(commands[9]).to.include('16 more in the report');
  });

  it('says in a notice what was left out', () => {
    const commands = gateAnnotations(result({ leftOut: [{ id: 'fake/long', addsMs: 1 }] }));
    expect(commands).to.deep.equal(['::notice title=Left out::The budget had no room for: fake/long']);
  });

  it('has a summary in which nothing that a node wrote is markup', () => {
    const markdown = renderGateMarkdown(result({ lines: [hostile, line('pass')] }));
    expect(markdown).to.not.include('<script').and.not.include('@someone').and.not.include('[y](z)');
    const row = markdown.split('\n').find((one) => one.includes('forged')) ?? '';
    expect(row.replaceAll('\\|', '').match(/\|/g), 'the cells of one row').to.have.length(6);
    expect(markdown)
      .to.match(/^## ✅ PASS/)
      .and.include('<details><summary>passes: 1 check');
  });

  it('has a summary that fits', () => {
    const many = Array.from({ length: 5_000 }, () => line('fail', { sentence: 'x'.repeat(400) }));
    const markdown = renderGateMarkdown(result({ lines: many }));
    expect(Buffer.byteLength(markdown)).to.be.lessThan(1024 ** 2);
    expect(markdown).to.include('… cut; the report has all of it.');
  });
});

describe('the history of a gate', () => {
  const runs = [
    {
      runId: 'a',
      at: '2026-11-30',
      commit: 'c',
      outcomes: new Map([
        ['x', 'pass'],
        ['y', 'fail'],
      ] as const),
    },
    {
      runId: 'b',
      at: '2026-11-30',
      outcomes: new Map([
        ['y', 'pass'],
        ['z', 'open'],
      ] as const),
    },
  ];

  it('is a small file that reads back', () => {
    const text = formatHistory(runs);
    expect(parseHistory(text)).to.deep.equal(runs);
    const many = Array.from({ length: 500 }, (_, index) => ({ ...runs[0]!, runId: `r${index}` }));
    expect(parseHistory(formatHistory(many)).map(({ runId }) => runId))
      .to.include('r499')
      .and.not.include('r0');
    expect(formatHistory(many).length).to.be.lessThan(20_000);
  });

  it('has no runs when it is missing or damaged', () => {
    for (const text of [undefined, '{', '[]', '{"version":2,"checks":[],"runs":[]}']) {
      expect(parseHistory(text)).to.deep.equal([]);
    }
  });

  it('learns nothing from what is waived or inconclusive', () => {
    const waived = { owner: 'x', until: '2027-01-01', reason: 'y' };
    const outcomes = outcomesOf(
      run([
        point('a', [check('one', 'pass', { waived }), check('two', 'inconclusive'), check('three', 'fail')]),
      ]),
      [],
    );
    expect([...outcomes.values()]).to.deep.equal(['open', 'open', 'fail']);
    expect([...stabilityOf([outcomes]).values()].map(({ runs: known }) => known)).to.deep.equal([1]);
  });

  it('leaves a flip of an estimate, and of a check that must fail, open', () => {
    for (const changes of [{ kind: 'estimate' }, { expected: 'fail' }] as const) {
      const now = run([point('a', [check('it', 'pass', changes)])]);
      const before = outcomesOf(run([point('a', [check('it', 'fail', changes)])]), []);
      const [only] = withStability(checkLines(now), [now], stabilityOf([before, outcomesOf(now, [])]), false);
      expect(only).to.deep.include({ verdict: 'inconclusive', unstable: true });
      expect(exitOfUnstable([only!])).to.equal(2);
    }
  });

  it('sees a flip over a soak whose last run was cancelled before it judged anything', () => {
    const [passed, failed] = (['pass', 'fail'] as const).map((verdict) =>
      run([point('a', [check('it', verdict)])]),
    ) as [RunRecord, RunRecord];
    const cancelled = run([]);
    const soak = [failed, passed, cancelled];
    const outcomes = soak.map((one) => outcomesOf(one, []));
    const lines = checkLines(passed);
    const [seen] = withStability(lines, soak, stabilityOf(outcomes), true);
    expect(seen).to.deep.include({ verdict: 'fail', unstable: true, pointId: 'a' });
    expect(seen?.stability).to.include({ passed: 1, runs: 2 });
    const [unseen] = withStability(lines, [cancelled], stabilityOf(outcomes), true);
    expect(unseen, 'that run alone knows no point of it').to.not.have.property('unstable');
  });

  for (const kind of ['mutant', 'comparison'] as const) {
    it(`never lets a ${kind} that failed on the same commit be retried into a pass`, () => {
      const now = run([point('a', [check('it', 'pass')])]);
      const [failed, passed] = (['fail', 'pass'] as const).map((verdict) =>
        line(verdict, { kind, check: `${kind} of a fix` }),
      ) as [CheckLine, CheckLine];
      const history = [failed, passed].map((one) => outcomesOf(now, [one]));
      const kept = parseHistory(
        formatHistory(
          history.map((outcomes, index) => ({ runId: `${index}`, at: '', commit: 'c', outcomes })),
        ),
      );
      const stability = stabilityOf(kept.map(({ outcomes }) => outcomes));
      const [only] = withStability([passed], [now], stability, false);
      expect(only).to.deep.include({ verdict: 'inconclusive', unstable: true });
      expect(only?.stability).to.include({ passed: 1, runs: 2 });
      const [worse] = withStability([failed], [now], stability, false);
      expect(worse).to.deep.include({ verdict: 'fail', unstable: true });
      const [alone] = withStability([passed], [now], stabilityOf([history[1] ?? new Map()]), true);
      expect(alone).to.deep.include({ verdict: 'pass' }).and.not.to.have.property('unstable');
      expect(alone?.stability).to.include({ passed: 1, runs: 1 });
    });
  }
});
