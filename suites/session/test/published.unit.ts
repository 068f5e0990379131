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
const OPENS_SHA256 = '7193dc09d2fad3da726ee8383f3c44af7f09b05249c38e9c1a20926902e342ff';
const AFTER_A_CHANGE =
  'entries were added, changed or taken out: hold both documents against the list, then set the new hash';

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

  it('are listed for all 93 paragraphs, of which none was lost since the documents were last held against them', () => {
    const opens = readPublished('suites/session').paragraphs.map((one) => one.opens);
    expect(opens).to.have.length(93);
    const hash = createHash('sha256').update(opens.join('\n')).digest('hex');
    expect(hash, AFTER_A_CHANGE).to.equal(OPENS_SHA256);
  });
});
