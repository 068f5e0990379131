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

const PARAGRAPHS = 87;

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
    // As many as `squall published suites/session --source` finds in the two documents, which are not here.
    expect(opens).to.have.length(PARAGRAPHS);
    expect(new Set(opens).size).to.equal(opens.length);
  });
});
