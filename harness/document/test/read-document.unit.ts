import { expect } from 'chai';
import fc from 'fast-check';
import { z } from 'zod';
import { SquallError } from '../../errors/index.ts';
import { formatProblem, readDocument, requireNoProblems, suggest, suggestionFor } from '../index.ts';

const SCHEMA = z.strictObject({
  title: z.string(),
  size: z.int().min(1).default(1),
  kind: z.enum(['mesh', 'star']).default('mesh'),
  parts: z.array(z.strictObject({ name: z.string(), weight: z.number().optional() })).default([]),
});

function linesOf(text: string): string[] {
  return readDocument(text, SCHEMA).problems.map((problem) => formatProblem(problem, 'f'));
}

describe('readDocument', () => {
  it('gives the value with its defaults when nothing is wrong', () => {
    const { value, problems } = readDocument('title: a\nparts: [{name: x}]', SCHEMA);
    expect(problems).to.deep.equal([]);
    expect(value).to.deep.equal({ title: 'a', size: 1, kind: 'mesh', parts: [{ name: 'x' }] });
  });

  it('reads JSON as well', () => {
    expect(readDocument('{"title": "a", "size": 3}', SCHEMA).value).to.include({ title: 'a', size: 3 });
  });

  it('follows YAML 1.2, where no and 0777 are not false and 511', () => {
    const { value } = readDocument('title: no\nsize: 0777', SCHEMA);
    expect(value).to.include({ title: 'no', size: 777 });
  });

  it('points at the key when the key is wrong and at the value when that is', () => {
    expect(
      linesOf('title: a\nkynd: mesh\nsize: big\nparts:\n  - name: x\n    wieght: 3\n  - name: 4'),
    ).to.deep.equal([
      'f:2:1 kynd: unknown key; did you mean "kind"?',
      'f:3:7 size: "big" found; expected a number',
      'f:6:5 parts[0].wieght: unknown key; did you mean "weight"?',
      'f:7:11 parts[1].name: 4 found; expected a text',
    ]);
  });

  it('points at the nearest parent of what is missing', () => {
    expect(linesOf('title: a\nparts:\n  - weight: 1')).to.deep.equal([
      'f:3:5 parts[0].name: missing; expected a text',
    ]);
  });

  it('finds its way through an alias', () => {
    expect(linesOf('title: a\nparts:\n  - &x {name: 1}\n  - *x')).to.deep.equal([
      'f:3:15 parts[0].name: 1 found; expected a text',
      'f:3:15 parts[1].name: 1 found; expected a text',
    ]);
  });

  it('salvages what fits, so that further checks can go on', () => {
    const { value, salvaged } = readDocument('size: 0\nkind: ring\nparts: [{weight: x}]\nnope: 1', SCHEMA);
    expect(value).to.equal(undefined);
    expect(salvaged).to.deep.equal({ title: '', size: 1, kind: 'mesh', parts: [{ name: '' }] });
  });

  it('does not let a key called __proto__ reach any prototype', () => {
    const { salvaged } = readDocument('title: a\n__proto__: {polluted: 1}', SCHEMA);
    expect((Object.prototype as { polluted?: unknown }).polluted).to.equal(undefined);
    expect(salvaged).not.to.have.property('polluted');
  });

  it('refuses a text of more than a mebibyte without reading it', () => {
    expect(linesOf(`title: ${'x'.repeat(1024 ** 2)}`)[0]).to.match(
      /^f the text has \d+ bytes; expected at most 1048576$/,
    );
  });

  it('never throws, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab:- \n[]{}&*!|>\'"#?,%@') }), (text) => {
        const { value, problems } = readDocument(text, SCHEMA);
        return value !== undefined || problems.length > 0;
      }),
      { numRuns: 500 },
    );
  });
});

describe('requireNoProblems', () => {
  it('lists all problems in the order of the text, in one error', () => {
    const { problems } = readDocument('size: big\nkynd: x', SCHEMA);
    expect(() => requireNoProblems('scenario', 'f.yaml', problems))
      .to.throw(
        SquallError,
        /^scenario f\.yaml: 3 problems; nothing was started\n {2}f\.yaml:1:1 title: missing.*\n {2}f\.yaml:1:7 size.*\n {2}f\.yaml:2:1 kynd/,
      )
      .that.includes({ code: 'invalid-document', blame: 'input' });
  });

  it('says nothing when there is none', () => {
    expect(() => requireNoProblems('scenario', 'f.yaml', [])).not.to.throw();
  });
});

describe('suggest', () => {
  const names = ['count', 'command', 'memory'];
  for (const [word, meant] of [
    ['cuont', 'count'],
    ['COUNT', 'count'],
    ['comand', 'command'],
    ['weight', undefined],
    ['x', undefined],
  ] as const) {
    it(`takes "${word}" for ${meant ?? 'nothing'}`, () => expect(suggest(word, names)).to.equal(meant));
  }

  it('lists what there is when nothing is near', () => {
    expect(suggestionFor('weight', names)).to.equal('; expected one of count, command, memory');
    expect(suggestionFor('weight', [])).to.equal('; there is none');
  });
});
