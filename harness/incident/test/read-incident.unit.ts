import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { requireScenario } from '../../scenario/index.ts';
import { caseOf, drawCases, incidentSchema, pausesText, scenarioOf } from '../index.ts';
import { incidentOf, RACK, withTimeline } from './incident-text.ts';

function problemsOf(text: string, imports: Readonly<Record<string, string>> = {}): string {
  try {
    incidentOf(text, imports);
  } catch (error) {
    if (error instanceof SquallError && error.code === 'invalid-document') return error.message;
    throw error;
  }
  return '';
}

describe('an incident file', () => {
  it('becomes a scenario: warm-up, the timeline with its idle time shortened, and what is watched', () => {
    const incident = incidentOf(RACK);
    const [told] = drawCases(incident, 4, '7');
    const spec = scenarioOf(incident, told!, { name: 'rack-uplink-1' });
    expect(spec.phases.map(({ name }) => name)).to.deep.equal(['warm-up', 'fault', 'recovery']);
    const [cut, pause, restart] = spec.phases[1]!.steps as unknown as Record<string, never>[];
    expect(cut).to.have.nested.property('fault.for', '40s');
    expect(cut).to.have.nested.property('fault.on', `pick(${told!.values['cut']},member)`);
    // 40 s of outage and the longest pause that is kept.
    expect(pause).to.deep.equal({ wait: '70s' });
    expect(restart).to.have.nested.property('fault.kind', 'restart');
    expect(pausesText(told!.pauses, incident.idleMs)).to.include('instead of 1 h 37 min');
    const scenario = requireScenario(spec, { suite: 'rack', folder: '.' });
    expect(scenario.expect).to.deep.include({
      where: { variant: 'shipped' },
      check: 'no false death',
      outcome: 'fail',
      reason: 'The incident shows here.',
    });
  });

  it('draws times within their error, the first as written, and covers every range', () => {
    const incident = incidentOf(RACK);
    const cases = drawCases(incident, 8, '7');
    expect(cases.map(({ values }) => values['cut']).sort()).to.deep.equal([1, 2, 3, 4, 5, 6, 7, 8]);
    const lengths = cases.map(({ happenings }) => (happenings[0]!.action as { forMs: number }).forMs);
    expect(lengths[0]).to.equal(40_000);
    expect(Math.max(...lengths) - Math.min(...lengths)).to.be.within(500, 8_000);
    expect(drawCases(incident, 8, '7')).to.deep.equal(cases);
    expect(drawCases(incident, 8, '8')).to.not.deep.equal(cases);
  });

  it('keeps pauses where it says so, and the order and length of everything', () => {
    const told = (more: string, second: string) =>
      caseOf(
        incidentOf(withTimeline(`  - {at: +10m, outage: 'member[1]', for: 20s}\n  - ${second}`, more)),
        {},
        () => 0,
      );
    const at = (one: ReturnType<typeof told>) => one.happenings.map(({ atMs }) => atMs);
    expect(at(told('', "{at: +2h, restart: 'member[1]'}"))).to.deep.equal([2_000, 52_000]);
    expect(at(told('', "{at: +2h, keep: true, restart: 'member[1]'}"))).to.deep.equal([2_000, 6_602_000]);
    expect(at(told('idle: keep', "{at: +2h, restart: 'member[1]'}"))).to.deep.equal([600_000, 7_200_000]);
    expect(at(told('idle: 5s', "{at: +10m5s, restart: 'member[1]'}"))).to.deep.equal([2_000, 7_000]);
  });

  it('holds nodes back until they join, and counts a lifted fault as in force until then', () => {
    const timeline = [
      '  - {at: +1s, fault: {kind: loss, id: bad-link, on: member, lossRatio: 0.3}}',
      "  - {at: +10m, join: 'member[9..16]'}",
      '  - {at: +20m, lift: bad-link}',
    ].join('\n');
    const incident = incidentOf(withTimeline(timeline));
    const one = caseOf(incident, {}, () => 0);
    expect(one.pauses.pauses).to.equal(0);
    const { steps } = scenarioOf(incident, one, { name: 'joins' }).phases[0]!;
    expect(steps[0]).to.deep.include({
      fault: { kind: 'stop', id: 'e2', on: 'member[9..16]' },
      background: true,
    });
    expect(
      steps.filter((step) => 'lift' in step).map((step) => (step as { lift: string }).lift),
    ).to.deep.equal(['e2', 'bad-link']);
  });

  it('takes further entries from CSV and JSON lines, each with the zone and the error of its source', () => {
    const csv =
      'time;what;on;end;lossRatio\n2026-03-14 09:00:00;loss;member;2026-03-14 09:01:00;"0.3"\n2026-03-14 09:02:00;restart;member[2];;\n';
    const lines = '{"at":"2026-03-14T08:30:00Z","outage":"member[1]","for":"10s"}\n\n';
    const text = withTimeline(
      '  []',
      'import: [{file: a.csv, zone: Europe/Berlin, error: 3s}, {file: b.jsonl}]',
    );
    const { entries } = incidentOf(text.replace('timeline:\n  []', ''), { 'a.csv': csv, 'b.jsonl': lines });
    expect(entries.map(({ origin, errorMs }) => [origin, errorMs])).to.deep.equal([
      ['a.csv:2', 3_000],
      ['a.csv:3', 3_000],
      ['b.jsonl:1', 0],
    ]);
    const one = caseOf(
      incidentOf(text.replace('timeline:\n  []', ''), { 'a.csv': csv, 'b.jsonl': lines }),
      {},
      () => 0,
    );
    expect(one.happenings.map(({ action }) => action)).to.deep.equal(
      [
        { verb: 'fault', fault: { kind: 'loss', on: 'member', lossRatio: '0.3' }, forMs: 60_000 },
        { verb: 'fault', fault: { kind: 'restart', on: 'member[2]' } },
        { verb: 'fault', fault: { kind: 'drop', on: 'member[1]' }, forMs: 10_000 },
      ].sort((a, b) => Number(b.fault.kind === 'loss') - Number(a.fault.kind === 'loss')),
    );
  });

  it('tells all that is wrong at once, each with line and column', () => {
    const text = withTimeline(
      [
        "  - {at: '2026-03-29 02:30:00', outage: 'member[1]', for: 10s}",
        "  - {at: +1m, outage: 'member[1]', restart: 'member[2]'}",
        '  - {at: +2m}',
        "  - {at: +3m, outage: 'member[${cutt}]', for: 1s}",
        "  - {at: +4m, until: +3m, outage: 'member[1]'}",
      ].join('\n'),
      'times: {zone: Europe/Berlin}\nunknown: {cut: {type: integer, from: 3, to: 1}, idle: {type: choice}}',
    );
    const said = problemsOf(text);
    expect(said).to.include('${cutt} is not known; did you mean "cut"?');
    expect(said).to.include('"from" is above "to"');
    expect(said).to.include('a choice needs its "choices"');
    const timed = problemsOf(text.replace(/\nunknown:.*/, '').replace('${cutt}', '3'));
    expect(timed).to.match(/rack\.incident\.yaml:7:10 timeline\[0\]\.at: .*put forward/);
    expect(timed).to.include('one thing an entry; found outage and restart');
    expect(timed).to.match(/:9:5 timeline\[2\]: nothing happens/);
    expect(timed).to.include('it was over before it began');
  });

  for (const [what, text, problem] of [
    ['an unknown key', RACK.replace('watch: 8s', 'wach: 8s'), /wach: unknown key; did you mean "watch"/],
    ['a zone that is none', RACK.replace('Europe/Berlin', 'Berlin'), /"Berlin" is no zone/],
    ['a symptom that is missing', RACK.replace(/symptoms:\n.*\n/, 'symptoms: []\n'), /no symptom/],
    [
      'an unknown that stands nowhere',
      RACK.replace('pick(${cut},member)', 'member'),
      /\$\{cut\} stands nowhere/,
    ],
    [
      'a fix that stands nowhere',
      RACK.replace("variant: '${variant}'", 'counts: {}'),
      /fix\.variant: \$\{variant\} stands nowhere/,
    ],
    [
      'a fix that changes nothing',
      RACK.replace('after: both', 'after: shipped'),
      /fix\.variant: is the same before and after/,
    ],
    [
      'a fix of two kinds',
      RACK.replace('after: both', 'after: 4'),
      /fix\.variant: string before and number after; expected the same kind/,
    ],
    [
      'a relative time beside instants',
      RACK.replace("'2026-03-14 04:00:00'", '+2h'),
      /counts from times\.start, which is missing/,
    ],
    ['an import that is not there', `${RACK}import: [{file: gone.csv}]\n`, /gone\.csv cannot be read/],
    ['a file that is no YAML', 'name: [', /:1:/],
  ] as const) {
    it(`refuses ${what}`, () => expect(problemsOf(text)).to.match(problem));
  }

  it('tells what is wrong with an imported row by its file and line', () => {
    const text = `${RACK}import: [{file: a.csv}, {file: b.jsonl}]\n`;
    const said = problemsOf(text, {
      'a.csv': 'at,kind,on\n2026-03-14 02:00:00,outrage,member\n2026-03-14 02:00,outage\n',
      'b.jsonl': '{"at": "+1m", "outage": "member"\n',
    });
    expect(said).to.match(/a\.csv:3: 2 fields found; expected 3/);
    expect(said).to.match(/b\.jsonl:1: no JSON/);
    const kinds = problemsOf(text, {
      'a.csv': 'at,kind,on\n2026-03-14 02:00:00,outrage,member\n',
      'b.jsonl': '',
    });
    expect(kinds).to.match(/a\.csv:2: kind "outrage" is not known/);
  });

  it('has a JSON Schema that names its keys', () => {
    expect(incidentSchema()).to.have.nested.property('properties.symptoms');
    expect(incidentSchema()).to.have.nested.property('properties.timeline.items.properties.until');
  });
});
