import { expect } from 'chai';
import { findRejections, hasAnswered, subResults, uniformError } from '../rejections.ts';
import { requestAccounts } from '../request-accounts.ts';
import { swarmOf } from './network-world.ts';
import { account, node } from './pool-world.ts';
import { rule, type Variant, variant } from './rule-test.ts';

const [A, B, C] = [account(1), account(2), account(3)] as const;
const accountsOf = (
  one: Variant,
  body: unknown,
  accounts: readonly (string | undefined)[],
): readonly string[] => [...findRejections(one.rules, 200, body, accounts).accounts.keys()];
const results = (...list: readonly (readonly [number, unknown?])[]): unknown => ({
  results: list.map(([code, body]) => ({ code, body })),
});

describe('the parts of an answer', () => {
  it('are its own body when it is no batch', () => {
    expect(subResults({ messages: [] })).to.deep.equal([{ body: { messages: [] } }]);
    expect(uniformError({ messages: [] })).to.equal(undefined);
  });

  it('have one error when all have the same', () => {
    expect(uniformError(results([421], [421]))).to.equal(421);
    expect(uniformError(results([421], [200]))).to.equal(undefined);
    expect(uniformError(results([421], [406]))).to.equal(undefined);
    expect(uniformError(results([200]))).to.equal(undefined);
    expect(hasAnswered(results([421], [200]))).to.equal(true);
    expect(hasAnswered(results([421]))).to.equal(false);
  });

  it('are nothing where a stranger wrote nonsense', () => {
    for (const body of [null, 'text', 7, [], { results: 'x' }, { results: [null, 'x', { code: '421' }] }]) {
      expect(uniformError(body)).to.equal(undefined);
      expect([...findRejections(variant('final').rules, 200, body, [A]).accounts]).to.deep.equal([]);
    }
  });
});

describe('a 421', () => {
  rule('readSubResults', 'is read in every part of a batch', (one) => {
    const body = results([200], [421, swarmOf([node(7)])]);
    const { accounts } = findRejections(one.rules, 200, body, [A, B]);
    return accounts.get(B)?.[0]?.ed25519 === node(7).ed25519;
  });

  rule('attributeByPosition', 'belongs to the account at its position, whatever it says', (one) => {
    return !accountsOf(one, results([200], [421, swarmOf([node(7)], C)]), [A, B]).includes(C);
  });

  rule('ignoreDifferingEcho', 'that names another account is ignored', (one) => {
    const found = findRejections(one.rules, 200, results([421, swarmOf([node(7)], C)]), [A]);
    return found.accounts.size === 0 && found.unattributed;
  });

  rule('acceptWithoutEcho', 'that names no account is accepted', (one) => {
    return accountsOf(one, results([421, swarmOf([node(7)])]), [A]).join() === A;
  });

  it('that echoes the right account is accepted, in capitals and without its first byte too', () => {
    for (const echo of [A, A.toUpperCase(), A.slice(2)]) {
      expect(accountsOf(variant('final'), results([421, swarmOf([node(7)], echo)]), [A])).to.deep.equal([A]);
    }
  });

  it('whose echo is no account’s key is accepted as one without', () => {
    for (const echo of ['x', 7, A.slice(1), null, { key: A }]) {
      const body = { ...swarmOf([node(7)]), pubkey: echo };
      expect(accountsOf(variant('final'), results([421, body]), [A]), String(echo)).to.deep.equal([A]);
    }
  });

  it('beyond what was asked belongs to nobody, be it one account or two', () => {
    const one = findRejections(variant('final').rules, 200, results([200], [421]), [A]);
    expect([one.accounts.size, one.unattributed]).to.deep.equal([0, true]);
    const found = findRejections(variant('final').rules, 200, results([200], [200], [421]), [A, B]);
    expect([found.accounts.size, found.unattributed]).to.deep.equal([0, true]);
  });

  it('of a sequence that ended early belongs to the account at its position', () => {
    const cut = findRejections(variant('final').rules, 200, results([200], [421, swarmOf([node(7)])]), [
      A,
      B,
      C,
    ]);
    expect([[...cut.accounts.keys()], cut.unattributed]).to.deep.equal([[B], false]);
    const first = results([421, swarmOf([node(7)])]);
    expect(uniformError(first)).to.equal(421);
    expect(accountsOf(variant('final'), first, [A, B, C])).to.deep.equal([A]);
    expect(hasAnswered(first)).to.equal(false);
  });

  it('of one account counts with the first that names it', () => {
    const body = results([421, swarmOf([node(7)])], [421, swarmOf([node(8)])]);
    const { accounts } = findRejections(variant('final').rules, 200, body, [A, A]);
    expect(accounts.get(A)?.map(({ ed25519 }) => ed25519)).to.deep.equal([node(7).ed25519]);
  });

  it('names only nodes with a readable key', () => {
    const snodes = [{ pubkey_ed25519: 'x' }, { ip: '1.2.3.4' }, null, 7, { pubkey_ed25519: node(7).ed25519 }];
    const { accounts } = findRejections(variant('final').rules, 421, { snodes }, [A]);
    expect(accounts.get(A)).to.deep.equal([{ ed25519: node(7).ed25519, ip: '0.0.0.0', httpsPort: 0 }]);
  });
});

describe('the accounts of a request', () => {
  const unnamed = { requests: [{ params: { pubkey: A } }, { params: {} }, { params: { pubkey: 7 } }] };

  rule('fallbackFillsUnnamed', 'are filled where a sub-request names none', (one) => {
    return requestAccounts(one.rules, unnamed, B).join() === [A, B, B].join();
  });

  rule('fallbackKeepsNamed', 'stay where a sub-request names one', (one) => {
    return requestAccounts(one.rules, unnamed, B)[0] === A;
  });

  it('are one for what is no batch', () => {
    const { rules } = variant('final');
    expect(requestAccounts(rules, { pubkey: A }, undefined)).to.deep.equal([A]);
    expect(requestAccounts(rules, { pubKey: A }, B)).to.deep.equal([A]);
    expect(requestAccounts(rules, {}, B)).to.deep.equal([B]);
    expect(requestAccounts(rules, unnamed, undefined)).to.deep.equal([A, undefined, undefined]);
  });
});
