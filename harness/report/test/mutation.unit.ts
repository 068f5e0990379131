import { expect } from 'chai';
import published from 'mutation-testing-report-schema/mutation-testing-report-schema.json' with {
  type: 'json',
};
import { z } from 'zod';
import { check, point, run } from '../../gate/test/sample-result.ts';
import { judgeMutants, type MutantTrials, notCovered } from '../../mutation/index.ts';
import { type MutantSource, renderMutationElements, renderMutationHtml } from '../index.ts';

const base = { image: 'fake-node', fix: 'grace', suite: 'fake', scenario: 'outage' };
const trials = (mutant: string, changes: Partial<MutantTrials> = {}): MutantTrials => ({
  ...base,
  mutant,
  rule: '<script>alert(1)</script>',
  control: point('c', [check('nobody dies', 'pass')]),
  mutated: point('m', [check('nobody dies', 'fail')]),
  ...changes,
});
const report = judgeMutants([trials('killed'), trials('lost', { mutated: undefined })], {
  uncovered: [notCovered({ ...base, mutant: 'bare', rule: 'gone' })],
  others: [trials('killed', { scenario: 'crash', mutated: point('m', [check('nobody dies', 'pass')]) })],
});
const sources: MutantSource[] = [
  {
    image: 'fake-node',
    file: 'images/fake-node/image.json',
    source: '{\n  "mutants": {}\n}\n',
    mutants: ['killed', 'lost', 'bare', 'of-another-suite'].map((mutant, index) => ({
      mutant,
      location: { start: { line: index + 1, column: 5 }, end: { line: index + 1, column: 20 } },
      replacement: '{"grace":false}',
    })),
  },
];

/** The published schema's required keys and enumerations, in our own words. */
const position = z.object({ line: z.int().min(1), column: z.int().min(1) });
const ELEMENTS = z.object({
  schemaVersion: z.string().regex(/^[12](\.(([1-9]\d*)|0)){0,2}$/),
  thresholds: z.object({ high: z.int().min(0).max(100), low: z.int().min(0).max(100) }),
  files: z.record(
    z.string(),
    z.object({
      language: z.string(),
      source: z.string(),
      mutants: z.array(
        z.object({
          id: z.string(),
          mutatorName: z.string(),
          location: z.object({ start: position, end: position }),
          status: z.enum([
            'Killed',
            'Survived',
            'NoCoverage',
            'CompileError',
            'RuntimeError',
            'Timeout',
            'Ignored',
            'Pending',
          ]),
          statusReason: z.string(),
          coveredBy: z.array(z.string()),
          killedBy: z.array(z.string()),
        }),
      ),
    }),
  ),
  testFiles: z.record(
    z.string(),
    z.object({ tests: z.array(z.object({ id: z.string(), name: z.string() })) }),
  ),
});

describe('the mutation report for viewers', () => {
  const text = renderMutationElements(report, sources, run([]));
  const document = ELEMENTS.parse(JSON.parse(text));
  const schema = z.fromJSONSchema(published as Parameters<typeof z.fromJSONSchema>[0]);
  const mutants = document.files['images/fake-node/image.json']?.mutants ?? [];

  it('is taken by the published schema, which refuses a spoiled one', () => {
    expect(schema.safeParse(JSON.parse(text)).error).to.equal(undefined);
    expect(schema.safeParse(JSON.parse(text.replaceAll('"Killed"', '"Slain"'))).success).to.equal(false);
  });

  it('has each mutant of the run where its image defines it, with its fate', () => {
    expect(mutants.map(({ id, status }) => [id, status])).to.deep.equal([
      ['fake-node/killed', 'Killed'],
      ['fake-node/lost', 'RuntimeError'],
      ['fake-node/bare', 'NoCoverage'],
    ]);
    expect(mutants[0]?.location.start).to.deep.equal({ line: 1, column: 5 });
  });

  it('names scenarios as tests: which covered a mutant, and which killed it', () => {
    expect(mutants[0]).to.deep.include({
      coveredBy: ['fake/outage', 'fake/crash'],
      killedBy: ['fake/outage'],
    });
    const tests = document.testFiles['suites/fake']?.tests.map(({ id }) => id);
    expect(tests).to.have.members(['fake/outage', 'fake/crash']);
  });

  it('has thresholds that a viewer takes, also below its own', () => {
    const low = judgeMutants([trials('killed')], { threshold: 0.3 });
    expect(
      ELEMENTS.parse(JSON.parse(renderMutationElements(low, sources, run([])))).thresholds,
    ).to.deep.equal({
      high: 30,
      low: 30,
    });
  });
});

describe('the matrix of mutants', () => {
  const page = renderMutationHtml(report, run([]));

  it('has a row a mutant and a column a scenario, and says who is designated', () => {
    expect(page.match(/<th scope="row">/g)).to.have.length(3);
    expect(page)
      .to.include('<th scope="col">fake/crash</th>')
      .and.include('<th scope="col">fake/outage</th>');
    expect(page).to.include('designated; 2 trials').and.include('decides nothing; 2 trials');
    expect(page).to.include('∅ not covered').and.include('not run');
  });

  it('leads from a cell to the trials behind it', () => {
    const played = run([
      point('c', [check('nobody dies', 'pass')]),
      point('m', [check('nobody dies', 'fail')], { scenario: 'outage-killed' }),
    ]);
    expect(renderMutationHtml(report, played)).to.match(
      /href="index\.html#point-2"><span class="mark pass">✓/,
    );
  });

  it('is text whatever a rule says', () => {
    expect(page).to.include('&lt;script&gt;').and.not.include('<script');
  });
});
