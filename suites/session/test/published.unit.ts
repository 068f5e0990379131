import { createHash } from 'node:crypto';
import { expect } from 'chai';
import rules from '../../../images/session-client/rules.json' with { type: 'json' };
import { describePublished, readPublished } from '../../test/describe-published.ts';

/** What the documents did to their own code, and figures of settings: nothing here is measured beside them. */
const NOT_OURS = [
  'cases-proposal',
  'cases-second',
  'cases-final',
  'strike-test-before',
  'echo-version',
  'min-cache-size',
];

/** The documents are not kept here: this stands for `squall published suites/session --source FILE` having passed. */
const HELD_SHA256 = '0f8d5a123a0441cda193e5569d65f2bf1d68e2ab1c6a8c423fb8a1a70dd00f9f';
const AFTER_A_CHANGE =
  'values, quotes or entries were added, changed or taken out: hold both documents against the list, then set the new hash';

describePublished('suites/session', NOT_OURS);

describe('rules of the client', () => {
  it('each stand beside the words that state them, or beside where else they are from', () => {
    const listed = readPublished('suites/session').rules.map(({ rule }) => rule);
    expect(listed).to.have.members(rules.map(({ rule }) => rule));
    expect(new Set(listed).size).to.equal(listed.length);
  });

  it('are each in a paragraph of the documents, of which none is without a rule or the reason why it has none', () => {
    const { rules: listed, paragraphs } = readPublished('suites/session');
    const reached = new Set(paragraphs.flatMap((one) => ('rules' in one ? one.rules : [])));
    const quoted = listed.filter((one) => 'quote' in one).map(({ rule }) => rule);
    expect([...reached]).to.have.members(quoted);
    const opens = paragraphs.map((one) => one.opens);
    expect(new Set(opens).size).to.equal(opens.length);
  });

  it('stand in 93 entries that reach all 109 paragraphs, none changed since the documents were last held against them', () => {
    const { values, rules: listed, paragraphs } = readPublished('suites/session');
    expect(paragraphs).to.have.length(93);
    const held = JSON.stringify([
      values.map(({ id, value, unit, quote }) => [id, value, unit, quote]),
      listed.map((one) => [one.rule, 'quote' in one ? one.quote : one.elsewhere]),
      paragraphs,
    ]);
    const hash = createHash('sha256').update(held).digest('hex');
    expect(hash, AFTER_A_CHANGE).to.equal(HELD_SHA256);
  });
});
