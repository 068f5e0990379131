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

/** Rows of the README, and what of the list stands in each. */
const ROWS = {
  'an account moves, honest redirect': [],
  'until the pool is two hours old': ['stuck-for'],
  'two hours of rejections that name nobody': ['handful', 'backoff'],
  'the same with a rejection each minute': [],
  'redirects before one asks for a refresh': ['redirects-before-refresh'],
  'redirects in a row before the proposal refuses one': ['old-limit'],
  'path builder without a path': ['mock-refreshes', 'fixed-refreshes'],
  'suspended in a refresh': ['suspended-retries', 'suspended-chains'],
  'strikes after 48 h': [],
  'a group moves, every client reads it': ['record-bytes'],
  'first hop over three launches and eighteen resumes in nine days': ['edge-duration'],
  'an edge node struck out before a launch': [],
  rotation: ['rule rotation-reads-strikes'],
  'strikes over a restart': [],
  'closed, or suspended, while nobody answers': [],
  'a node that is still dead when its 48 h are over': [],
  'a bounce over nodes 200 ms away': [],
};

describePublished('suites/session', {
  heldSha256: '0f8d5a123a0441cda193e5569d65f2bf1d68e2ab1c6a8c423fb8a1a70dd00f9f',
  rows: ROWS,
  notOurs: NOT_OURS,
});

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

  it('stand in 93 entries that reach all 109 paragraphs', () => {
    expect(readPublished('suites/session').paragraphs).to.have.length(93);
  });
});
