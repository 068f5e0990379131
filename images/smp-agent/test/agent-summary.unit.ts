import { expect } from 'chai';
import { agentSummary } from '../agent-summary.ts';

describe('the agent in one line', () => {
  it('counts connections, and names what is stuck and by which proxy', () => {
    expect(agentSummary([{ status: 'established' }], [], {})).to.equal('1 connection, 1 established');
    expect(
      agentSummary([{ status: 'answering' }, { status: 'established' }], ['relay-1', 'relay-2'], {
        'relay-1': { proxy: 'proxy-1' },
      }),
    ).to.equal('2 connections, 1 established; STUCK relay-1 via proxy-1, relay-2');
  });
});
