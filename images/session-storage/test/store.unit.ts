import { expect } from 'chai';
import { identityOf } from '../../../harness/identity/index.ts';
import { ACCESS, type Authorization, groupAccount, personalAccount } from '../../session-kit/index.ts';
import type { StoredMessage } from '../message.ts';
import { messageHash } from '../message.ts';
import { encodeBatch, inBatches, parseBatch } from '../message-batch.ts';
import { MessageStore } from '../message-store.ts';
import { isAuthorized } from '../verify.ts';

const account = personalAccount(identityOf('7', 'anna'));

function message(text: string, more: Partial<StoredMessage> = {}): StoredMessage {
  const data = Buffer.from(text);
  const hash = messageHash(account, more.namespace ?? 0, data);
  const times = { timestampMs: 1_700_000_000_000, expiryMs: 1_700_000_060_000 };
  return { account: account.id, namespace: 0, hash, ...times, data, ...more };
}

describe('the messages of a node', () => {
  let nowMs: number;
  let store: MessageStore;
  beforeEach(() => {
    nowMs = 1_700_000_000_000;
    store = new MessageStore(() => nowMs, 100);
  });
  const texts = (namespace = 0): string[] =>
    store
      .retrieve(account.id, namespace, {
        lastHash: undefined,
        maxCount: Number.POSITIVE_INFINITY,
        maxSizeBytes: Number.POSITIVE_INFINITY,
      })
      .messages.map(({ data }) => data.toString());

  it('are there once, with the later of two expiries, in the order in which they came first', () => {
    expect(store.put(message('a'))).to.deep.equal({ isNew: true, expiryMs: 1_700_000_060_000 });
    store.put(message('b'));
    expect(store.put(message('a', { expiryMs: 1_700_000_090_000 }))).to.deep.equal({
      isNew: false,
      expiryMs: 1_700_000_090_000,
    });
    expect(store.put(message('a', { expiryMs: 1_700_000_001_000 }))).to.include({
      expiryMs: 1_700_000_090_000,
    });
    expect([texts(), store.count, store.sizeBytes]).to.deep.equal([['a', 'b'], 2, 2]);
  });

  it('are handed over by several and there once, unless copies are kept: then as often as they came', () => {
    for (const text of ['a', 'b', 'a']) store.put(message(text), { keepsCopies: false });
    expect([texts(), store.count]).to.deep.equal([['a', 'b'], 2]);
    for (const text of ['a', 'a']) store.put(message(text), { keepsCopies: true });
    expect([texts(), store.count, store.sizeBytes]).to.deep.equal([['a', 'b', 'a', 'a'], 4, 4]);
    store.delete(account.id, [message('a').hash]);
    expect([texts(), store.count, store.sizeBytes]).to.deep.equal([['b'], 1, 1]);
  });

  it('have no room beyond the limit, which what is deleted or expired gives back', () => {
    store.put(message('x'.repeat(60)));
    expect(store.put(message('y'.repeat(60)))).to.equal(undefined);
    nowMs += 60_001;
    expect([texts(), store.expire(), store.count, store.sizeBytes]).to.deep.equal([[], 1, 0, 0]);
    expect(store.put(message('y'.repeat(60), { expiryMs: nowMs + 1_000 }))).to.include({ isNew: true });
    expect(store.accounts()).to.deep.equal([account.id]);
    store.deleteAll(account.id, 'all');
    expect([store.accounts(), store.sizeBytes]).to.deep.equal([[], 0]);
  });

  it('of a public outbox make room for the newest', () => {
    store.put(message('old', { namespace: -1 }));
    store.put(message('kept', { namespace: 0 }));
    store.put(message('new', { namespace: -1 }));
    expect([texts(-1), texts(0)]).to.deep.equal([['new'], ['kept']]);
  });

  it('change their expiry only in the direction that was asked for', () => {
    const { hash } = message('a');
    store.put(message('a'));
    const set = (expiryMs: number, only: 'shorten' | 'extend' | undefined): number =>
      store.setExpiries(account.id, new Map([[hash, expiryMs]]), only).length;
    expect([set(1_700_000_050_000, 'extend'), set(1_700_000_070_000, 'shorten')]).to.deep.equal([0, 0]);
    expect([
      set(1_700_000_050_000, 'shorten'),
      set(1_700_000_070_000, 'extend'),
      set(1_700_000_040_000, undefined),
    ]).to.deep.equal([1, 1, 1]);
    expect(store.expiries(account.id, [hash, 'other'])).to.deep.equal(new Map([[hash, 1_700_000_040_000]]));
  });

  it('have one name for the same account, namespace and data', () => {
    const data = Buffer.from('a');
    const hash = messageHash(account, 0, data);
    expect(hash).to.have.length(43);
    expect(messageHash(account, 0, data)).to.equal(hash);
    const others = [
      messageHash(account, 1, data),
      messageHash(groupAccount(identityOf('7', 'anna')), 0, data),
      messageHash(account, 0, Buffer.from('b')),
    ];
    expect(new Set([hash, ...others]).size).to.equal(4);
  });

  it('go over the wire in parts and come back as they were', () => {
    const messages = ['a', 'bb', 'ccc'].map((text) => message(text, { namespace: -11 }));
    expect(inBatches(messages, 3).map((batch) => batch.length)).to.deep.equal([2, 1]);
    expect(inBatches(messages, 1).map((batch) => batch.length)).to.deep.equal([1, 1, 1]);
    expect(parseBatch(encodeBatch(messages))).to.deep.equal(messages);
  });
});

describe('who may', () => {
  const owner = identityOf('7', 'group');
  const group = groupAccount(owner);
  const member = identityOf('7', 'member');
  const text = Buffer.from('retrieve1');

  function asMember(flags: number, kind = 3, signer = owner): Authorization {
    const token = Buffer.concat([Buffer.from([kind, flags, 0, 0]), member.ed25519.publicKey]);
    return {
      signature: Buffer.from(member.ed25519.sign(text)),
      ed25519: undefined,
      subaccount: { token, signature: Buffer.from(signer.ed25519.sign(token)) },
    };
  }
  const may = (authorization: Authorization, access: number, isRevoked = () => false): boolean =>
    isAuthorized({ account: group, authorization, text, access, isRevoked });

  it('is the owner, and a subaccount with all the bits that are needed', () => {
    const signature = Buffer.from(owner.ed25519.sign(text));
    expect(may({ signature, ed25519: undefined, subaccount: undefined }, ACCESS.delete)).to.equal(true);
    expect(may(asMember(ACCESS.read | ACCESS.write), ACCESS.read)).to.equal(true);
    expect(may(asMember(ACCESS.read), ACCESS.read | ACCESS.write)).to.equal(false);
  });

  it('is no subaccount of another kind of account, of another owner, or one that was revoked', () => {
    expect(may(asMember(ACCESS.read, 5), ACCESS.read)).to.equal(false);
    expect(may(asMember(ACCESS.read | ACCESS.anyPrefix, 5), ACCESS.read)).to.equal(true);
    expect(may(asMember(ACCESS.read, 3, member), ACCESS.read)).to.equal(false);
    expect(may(asMember(ACCESS.read), ACCESS.read, () => true)).to.equal(false);
  });
});
