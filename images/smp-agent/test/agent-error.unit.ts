import { expect } from 'chai';
import {
  alertOf,
  blamedHop,
  describeFailure,
  type Failure,
  isHostError,
  isTemporary,
} from '../agent-error.ts';

const answered = (error: string, command: 'PRXY' | 'PFWD' = 'PFWD'): Failure => ({
  kind: 'proxy',
  command,
  proxy: 'P1',
  relay: 'R',
  error,
});

describe('a failed request of the agent', () => {
  for (const [failure, hop, words] of [
    [{ kind: 'broker', server: 'P1', error: 'NETWORK' }, 'client', 'BROKER P1 NETWORK'],
    [{ kind: 'broker', server: 'P1', error: 'TIMEOUT' }, 'client', 'BROKER P1 TIMEOUT'],
    [{ kind: 'smp', server: 'R', error: 'AUTH' }, 'relay', 'SMP R AUTH'],
    [{ kind: 'smp', server: 'P1', error: 'AUTH' }, 'proxy', 'SMP P1 AUTH'],
    [answered('PROXY BROKER TIMEOUT'), 'relay', 'PROXY P1 R PROXY BROKER TIMEOUT'],
    [answered('PROXY BROKER NETWORK', 'PRXY'), 'relay', 'PROXY P1 R PROXY BROKER NETWORK'],
    [answered('PROXY PROTOCOL QUOTA'), 'relay', 'PROXY P1 R PROXY PROTOCOL QUOTA'],
    [answered('PROXY BASIC_AUTH', 'PRXY'), 'proxy', 'PROXY P1 R PROXY BASIC_AUTH'],
    [answered('PROXY NO_SESSION'), 'proxy', 'PROXY P1 R PROXY NO_SESSION'],
    [answered('CRYPTO'), 'proxy', 'PROXY P1 R CRYPTO'],
    [answered('CMD SYNTAX'), 'proxy', 'PROXY P1 R CMD SYNTAX'],
  ] as const) {
    it(`(${words}) is the ${hop}'s, and says so in full`, () => {
      expect([blamedHop(failure, 'R'), describeFailure(failure)]).to.deep.equal([hop, words]);
    });
  }

  it('is a host error, or worth another try, or neither, at whichever hop', () => {
    const kinds = (error: string) =>
      [answered(`PROXY BROKER ${error}`), { kind: 'broker', server: 'P1', error } as const].map((failure) => [
        isHostError(failure),
        isTemporary(failure),
      ]);
    for (const error of ['HOST', 'TRANSPORT VERSION']) {
      expect(kinds(error), error).to.deep.equal([
        [true, false],
        [true, false],
      ]);
    }
    for (const error of ['TIMEOUT', 'NETWORK']) {
      expect(kinds(error), error).to.deep.equal([
        [false, true],
        [false, true],
      ]);
    }
    for (const error of ['TRANSPORT BLOCK', 'UNEXPECTED x', 'RESPONSE y']) {
      expect(kinds(error), error).to.deep.equal([
        [false, false],
        [false, false],
      ]);
    }
  });

  it('is shown to the user as the document’s alerts', () => {
    expect(alertOf(answered('PROXY BROKER TIMEOUT'))).to.equal('Private routing timeout');
    expect(alertOf(answered('PROXY BROKER NETWORK', 'PRXY'))).to.equal('Private routing error');
    expect(alertOf({ kind: 'broker', server: 'P1', error: 'TIMEOUT' })).to.equal('Connection timeout');
    expect(alertOf(answered('PROXY PROTOCOL AUTH'))).to.equal('Error');
  });
});
