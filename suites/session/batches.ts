/** Row 5: batches, whose 421s are inside. */
import { type Course, courseRow } from './course.ts';
import type { Account, Answer, Desk } from './desk.ts';

const TWO = { accounts: 2 } as const;

/** The client's first two accounts. */
async function pair(desk: Desk): Promise<readonly [Account, Account]> {
  const [first, second] = await desk.accounts();
  if (!second) throw new Error('client-1: has one account; expected two');
  return [first, second];
}

/** Whether that account, and no other, has an override. */
async function noteOverrideOf(desk: Desk, account: Account): Promise<void> {
  const { pool } = await desk.client();
  desk.note('rightAccount', Number(Object.keys(pool.overrides).join() === account.label));
}

/** What the answer has of its parts: all of a batch, and of a sequence those up to the first failure. */
function noteParts(desk: Desk, { body }: Answer): void {
  const { results } = (body ?? {}) as { readonly results?: readonly unknown[] };
  desk.note('results', results?.length ?? 0);
}

const courses: Readonly<Record<string, Course>> = {
  'one-account': {
    says: 'a batch for one account that moved: the redirect is inside',
    run: async (desk) => {
      const [account] = await desk.accounts();
      await desk.moveAccount(account);
      await desk.sendBatch([account, account]);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: 1,
        reason: 'Redirects are taken from the parts.',
        brokenBy: ['original', 'refresh-only'],
      },
      {
        measure: 'refreshes',
        op: '=',
        value: 0,
        reason: 'Each fallback would be the herd that the redirect is to prevent.',
      },
      {
        measure: 'retries',
        op: '=',
        value: 1,
        reason: 'A single rejected account retries the whole batch once.',
      },
      { measure: 'answered', op: '=', value: 1, reason: 'It goes to the swarm that was named.' },
    ],
    kills: { 'top-level-only': 'the redirect is not seen, and the list is fetched' },
  },
  mixed: {
    says: 'answered for the first account, rejected for the second',
    client: TWO,
    run: async (desk) => {
      const [first, second] = await pair(desk);
      await desk.storm({ redirect: 'honest', account: second.id });
      await desk.sendBatch([first, second]);
      await noteOverrideOf(desk, second);
      await desk.noteState();
    },
    bounds: [
      { measure: 'followed', op: '=', value: 1, reason: 'The redirect of the second is recorded.' },
      { measure: 'rightAccount', op: '=', value: 1, reason: 'It is the second’s.', brokenBy: ['original'] },
      {
        measure: 'retries',
        op: '=',
        value: 0,
        reason: 'Sent whole again it would repeat the store that was made.',
      },
      { measure: 'answered', op: '=', value: 1, reason: 'The caller gets the results.' },
    ],
    kills: {
      'uniform-only': 'a batch that is not rejected in every part is not looked at',
      'retry-answered': 'the store of the first account is made twice',
    },
  },
  several: {
    says: 'rejected for two accounts: recorded, not retried',
    client: TWO,
    run: async (desk) => {
      const [first, second] = await pair(desk);
      await desk.storm({ redirect: 'honest' });
      await desk.sendBatch([first, second]);
      await desk.noteState();
    },
    bounds: [
      { measure: 'followed', op: '=', value: 2, reason: 'Each account has its redirect.' },
      {
        measure: 'overridden',
        op: '=',
        value: 2,
        reason: 'The next request for each goes to the right place.',
      },
      { measure: 'retries', op: '=', value: 0, reason: 'A retry goes to one swarm.' },
    ],
    kills: { 'retry-several': 'the batch goes as a whole to the swarm of its first account' },
  },
  'several-without-redirect': {
    says: 'rejected for two accounts by somebody who names nobody, while the pool is young',
    client: TWO,
    young: true,
    run: async (desk) => {
      const [first, second] = await pair(desk);
      await desk.storm({ redirect: 'none' });
      await desk.sendBatch([first, second]);
      await desk.noteState();
    },
    bounds: [{ measure: 'asked', op: '=', value: 1, reason: 'At most one refresh is asked for a response.' }],
    kills: { 'refresh-per-account': 'each account asks for one' },
  },
  'names-no-account': {
    says: 'a part that names no account is rejected, in a batch that is for one',
    run: async (desk) => {
      const [account] = await desk.accounts();
      await desk.storm({ redirect: 'other-swarm', at: ['batch'], unnamed: true });
      const requests = [{ method: 'info', params: {} }];
      desk.noteAnswers([await desk.send({ method: 'batch', account: account.id, params: { requests } })]);
      await noteOverrideOf(desk, account);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'rightAccount',
        op: '=',
        value: 1,
        reason: 'The account that the caller named stands for parts that name none.',
        brokenBy: ['original'],
      },
      { measure: 'followed', op: '>=', value: 1, reason: 'The redirect is not lost.' },
    ],
    kills: { 'fallback-empty': 'the 421 is about nobody, and its redirect is lost' },
  },
  'wrong-echo': {
    says: 'the 421 names an account that nobody asked about',
    run: async (desk) => {
      const [account] = await desk.accounts();
      await desk.storm({ redirect: 'other-swarm', echo: 'other' });
      await desk.sendBatch([account]);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: 0,
        reason: 'Whoever answers could otherwise redirect any account.',
      },
      { measure: 'overridden', op: '=', value: 0, reason: 'Nobody is redirected.' },
      {
        measure: 'refreshes',
        op: '=',
        value: 0,
        reason: 'An ignored 421 refreshes nothing either (decided).',
      },
      { measure: 'stormAnswers', op: '=', value: 1, reason: 'It was met, once.' },
    ],
    kills: {
      'trust-echo': 'the account that is named is redirected',
      'echo-unread': 'the account at the position is redirected although another was named',
    },
  },
  'no-echo': {
    says: 'a 421 of a server before 2.12, which names no account',
    run: async (desk) => {
      const [account] = await desk.accounts();
      await desk.storm({ redirect: 'other-swarm', echo: 'none' });
      await desk.sendBatch([account]);
      await desk.noteState();
    },
    bounds: [
      { measure: 'followed', op: '=', value: 2, reason: 'It is taken for the account at its position.' },
    ],
    kills: { 'echo-required': 'the redirect is lost' },
  },
  'budget-spent': {
    says: 'the retry is rejected as well, with a redirect',
    run: async (desk) => {
      await desk.storm({ redirect: 'bounce' });
      await desk.sends(1);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: 2,
        reason: 'The redirect is recorded before the budget is looked at.',
        brokenBy: ['original'],
      },
      {
        measure: 'retries',
        op: '=',
        value: 1,
        reason: 'A request is sent again at most once.',
        keptBy: ['original'],
      },
    ],
    kills: {
      'spent-discards': 'the second redirect is lost',
      'retry-without-end': 'the request is sent on and on',
    },
  },
  'budget-spent-batch': {
    says: 'a batch whose retry is rejected as well, with a redirect',
    run: async (desk) => {
      const [account] = await desk.accounts();
      await desk.storm({ redirect: 'bounce' });
      await desk.sendBatch([account, account]);
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: 2,
        reason: 'The redirect inside is recorded before the budget is looked at.',
        brokenBy: ['original', 'spent-discards'],
      },
      {
        measure: 'retries',
        op: '=',
        value: 1,
        reason: 'A batch is sent again at most once.',
        brokenBy: ['retry-without-end'],
        keptBy: ['original'],
      },
      { measure: 'unanswered', op: '=', value: 1, reason: 'It fails, and says so.' },
      { measure: 'overridden', op: '=', value: 1, reason: 'The next request goes where the last one said.' },
    ],
  },
  'named-by-its-part': {
    says: 'the caller says the first account, and the one part names the second',
    client: TWO,
    run: async (desk) => {
      const [first, second] = await pair(desk);
      await desk.storm({ redirect: 'honest' });
      await desk.sendBatch([second], first);
      await noteOverrideOf(desk, second);
      await desk.noteState();
    },
    bounds: [
      { measure: 'rightAccount', op: '=', value: 1, reason: 'The fallback fills only parts that name none.' },
      { measure: 'followed', op: '>=', value: 1, reason: 'There is a redirect.' },
    ],
    kills: { 'fallback-overwrites': 'the first account is redirected to the swarm of the second' },
  },
  'sequence-cut-short': {
    says: 'a sequence of three for two accounts: answered, rejected, and the third is not reached',
    client: TWO,
    run: async (desk) => {
      const [first, second] = await pair(desk);
      await desk.storm({ redirect: 'honest', account: second.id });
      noteParts(desk, await desk.sendBatch([first, second, first], first, 'sequence'));
      await noteOverrideOf(desk, second);
      await desk.noteState();
    },
    bounds: [
      { measure: 'results', op: '=', value: 2, reason: 'A sequence ends with the first part that fails.' },
      {
        measure: 'followed',
        op: '=',
        value: 1,
        reason: 'The redirect of the last part that there is is recorded.',
        brokenBy: ['original'],
      },
      {
        measure: 'rightAccount',
        op: '=',
        value: 1,
        reason: 'Parts that were not reached move no other out of its position.',
        brokenBy: ['original'],
      },
      {
        measure: 'retries',
        op: '=',
        value: 0,
        reason: 'Sent whole again it would repeat the store that was made.',
      },
      { measure: 'answered', op: '=', value: 1, reason: 'The caller gets the results that there are.' },
    ],
  },
  'sequence-rejected-first': {
    says: 'a sequence for one account that moved: the rejection is all that it answers',
    run: async (desk) => {
      const [account] = await desk.accounts();
      await desk.moveAccount(account);
      noteParts(desk, await desk.sendBatch([account, account, account], account, 'sequence'));
      await desk.noteState();
    },
    bounds: [
      {
        measure: 'followed',
        op: '=',
        value: 1,
        reason: 'One part of three is enough to say where the account is.',
        brokenBy: ['original', 'refresh-only'],
      },
      { measure: 'retries', op: '=', value: 1, reason: 'Nothing of it was done, so that all of it is sent.' },
      { measure: 'results', op: '=', value: 3, reason: 'The second time each part is answered.' },
      { measure: 'refreshes', op: '=', value: 0, reason: 'The redirect is enough.' },
      { measure: 'answered', op: '=', value: 1, reason: 'It goes to the swarm that was named.' },
    ],
  },
};

export const batches = courseRow({
  name: 'batches',
  description:
    'Batches with 421s inside: one account, several, mixed, with another account’s echo, without one, with the retries spent; sequences that end early.',
  courses,
});
