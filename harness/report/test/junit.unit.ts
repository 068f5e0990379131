import { expect } from 'chai';
import { SaxesParser } from 'saxes';
import type { CheckResult, PointResult, RunRecord } from '../../record/index.ts';
import { samplePlan } from '../../record/test/sample-record.ts';
import { renderJUnit } from '../index.ts';

interface Element {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  text: string;
}

/** Parses strictly; any violation of XML 1.0 throws. */
function parse(xml: string): Element[] {
  const elements: Element[] = [];
  const open: Element[] = [];
  const parser = new SaxesParser();
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name, attributes: attributes as Record<string, string>, text: '' };
    elements.push(element);
    open.push(element);
  });
  parser.on('text', (text) => {
    const element = open.at(-1);
    if (element) element.text += text;
  });
  parser.on('closetag', () => open.pop());
  parser.write(xml).close();
  return elements;
}

function check(changes: Partial<CheckResult>): CheckResult {
  return {
    title: 'no false death',
    check: 'measure-bound',
    kind: 'invariant',
    verdict: 'pass',
    rawVerdict: 'pass',
    sentence: 'It held.',
    findings: [],
    ...changes,
  };
}

function point(checks: readonly CheckResult[], changes: Partial<PointResult> = {}): PointResult {
  return {
    suite: 'memberlist',
    scenario: 'outage',
    point: {},
    pointId: 'variant=both',
    trials: { planned: 3, completed: 3, void: 0, error: 0, aborted: 0, counted: 3 },
    measures: {},
    checks,
    published: [],
    verdict: 'pass',
    ...changes,
  };
}

function run(points: readonly PointResult[], changes: Partial<RunRecord> = {}): RunRecord {
  const plan = samplePlan();
  return {
    recordVersion: 1,
    squallVersion: '0.0.0',
    runId: 'run-1',
    startedAt: plan.startedAt,
    endedAt: plan.startedAt,
    verdict: 'pass',
    exitCode: 0,
    partial: false,
    seed: '7',
    repeat: 'npx squall run x',
    host: plan.host,
    points,
    errors: [],
    counts: { pass: 0, fail: 0, inconclusive: 0, voidTrials: 0 },
    ...changes,
  };
}

const render = (record: RunRecord): Element[] => parse(renderJUnit({ run: record, trials: [] }));
const named = (elements: readonly Element[], name: string): Element[] =>
  elements.filter((one) => one.name === name);

describe('JUnit', () => {
  it('has one case a check and point, and counts that add up', () => {
    const elements = render(
      run([
        point([check({}), check({ title: 'other', verdict: 'fail', rawVerdict: 'fail' })]),
        point([check({ verdict: 'inconclusive', rawVerdict: 'inconclusive' })], {
          pointId: 'variant=shipped',
        }),
      ]),
    );
    expect(named(elements, 'testcase').map((one) => one.attributes['name'])).to.deep.equal([
      'no false death [variant=both]',
      'other [variant=both]',
      'no false death [variant=shipped]',
    ]);
    for (const name of ['testsuites', 'testsuite']) {
      expect(named(elements, name)[0]?.attributes).to.include({
        tests: '3',
        failures: '1',
        errors: '1',
        skipped: '0',
      });
    }
  });

  it('tells the failure of the system from an answer that is missing and from a fault of the harness', () => {
    const elements = render(
      run([point([check({ verdict: 'fail' }), check({ title: 'b', verdict: 'inconclusive' })])], {
        errors: ['the engine went away'],
      }),
    );
    expect(named(elements, 'failure')[0]?.attributes).to.include({ type: 'measure-bound' });
    expect(named(elements, 'error').map((one) => one.attributes['type'])).to.deep.equal([
      'inconclusive',
      'harness',
    ]);
  });

  it('is never a pass about nothing', () => {
    for (const record of [run([]), run([point([])])]) {
      expect(named(render(record), 'testsuites')[0]?.attributes['errors']).to.equal('1');
    }
  });

  it('says so when all checks pass and planned trials are missing', () => {
    const short = point([check({})], {
      verdict: 'inconclusive',
      trials: { planned: 3, completed: 1, void: 2, error: 0, aborted: 0, counted: 1 },
    });
    const [error] = named(render(run([short])), 'error');
    expect(error?.attributes['message']).to.equal('Only 1 of 3 planned trials count.');
  });

  it('stays XML 1.0 whatever a container says, and keeps it as text', () => {
    const hostile = `]]></failure><script>alert(1)</script>\u0000\u0007\u001b[31m\ud800\uffff\u202e"'&<`;
    const elements = render(
      run(
        [
          point([
            check({
              title: hostile,
              verdict: 'fail',
              sentence: hostile,
              reason: hostile,
              findings: [{ subject: hostile, observed: hostile, expected: hostile }],
            }),
          ]),
        ],
        { notes: [hostile], errors: [hostile], repeat: hostile, seed: hostile },
      ),
    );
    expect(named(elements, 'script')).to.deep.equal([]);
    expect(named(elements, 'failure')[0]?.text).to.contain('<script>alert(1)</script>');
    expect(named(elements, 'testcase')[0]?.attributes['name']).to.contain('␀').and.to.contain('␛[31m');
  });

  it('bounds details of megabytes', () => {
    const finding = { subject: 'log', observed: 'x'.repeat(100_000), expected: 'short' };
    const xml = renderJUnit({
      run: run([point([check({ verdict: 'fail', findings: Array.from({ length: 50 }, () => finding) })])], {
        notes: ['&'.repeat(1_000_000)],
      }),
      trials: [],
    });
    expect(xml.length).to.be.below(200_000);
    expect(named(parse(xml), 'failure')[0]?.text).to.contain('run.json has all of it');
  });
});
