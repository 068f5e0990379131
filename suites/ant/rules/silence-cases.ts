/** Silence, answers and the table of sources, on real nodes. Times follow from a fetch timeout of 2 s and marks of 4 s. */
import { H1, H2, MOMENT_MS, onStage, REQUESTER, type RuleCase, type Stage, TIMEOUT_MS } from './lab.ts';

const LIFETIME_MS = 2 * TIMEOUT_MS;

/** Fetches of the overflow that are past the share of a source which the table has no room for. */
export const PAST_UNTRACKED = 3;

const isMarked = async (stage: Stage): Promise<boolean> => (await stage.source(H1)).standing === 'marked';
const answers = async (stage: Stage): Promise<boolean> => (await stage.source(H1)).standing === 'answering';
const faults = (stage: Stage, body: Readonly<Record<string, number>>) =>
  stage.lab.ask(REQUESTER, '/faults', body);

export const silenceCases: readonly RuleCase[] = [
  onStage('silenceHandling', async (stage) => {
    await stage.fill(H1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11);
    await stage.lab.wait(TIMEOUT_MS);
    return (await stage.source(H1)).inFlight === 8;
  }),
  onStage('wakeOnSilence', async (stage) => {
    await stage.fill(H1, 0, 1, 2, 3, 4, 5);
    await stage.lab.wait(TIMEOUT_MS);
    return (await stage.source(H1)).inFlight === 4;
  }),
  onStage('laterAnswerSpares', async (stage) => {
    await stage.fill(H1, 0);
    await stage.want([1], H1);
    await stage.lab.wait(TIMEOUT_MS);
    await stage.ended(0);
    return stage.finished().includes('0@holder-1 timeout') && (await answers(stage));
  }),
  onStage('answerClears', async (stage) => {
    await stage.silence(H1, 0);
    const marked = await isMarked(stage);
    await stage.want([1], H1);
    await stage.moment();
    return marked && (await answers(stage));
  }),
  onStage('answerClearsOlderOnly', async (stage) => {
    await faults(stage, { writeMs: 3 * TIMEOUT_MS - 2 * MOMENT_MS });
    await stage.want([1], H1);
    await stage.moment();
    await stage.silence(H1, 0);
    const marked = await isMarked(stage);
    // Then the slow write ends, and tells once more of an answer from before the request that went unanswered.
    await stage.lab.wait(LIFETIME_MS - 3 * MOMENT_MS);
    const stillMarked = await isMarked(stage);
    await stage.ended(1);
    return marked && stage.finished().includes('1@holder-1 ok') && stillMarked;
  }),
  onStage('newerFailureRefreshes', async (stage) => {
    await stage.fill(H1, 0);
    await stage.lab.wait(TIMEOUT_MS - 2 * MOMENT_MS);
    await stage.fill(H1, 1);
    await stage.lab.wait(TIMEOUT_MS + LIFETIME_MS - 2 * MOMENT_MS);
    return await isMarked(stage);
  }),
  onStage('olderFailureIgnored', async (stage) => {
    await stage.fill(H1, 0);
    // The newer request ends long before the older one.
    await stage.fetching({ timeoutMs: MOMENT_MS / 2 });
    await stage.fill(H1, 1);
    const marked = await isMarked(stage);
    await stage.lab.wait(LIFETIME_MS + MOMENT_MS);
    await stage.ended(0);
    return marked && stage.finished().includes('0@holder-1 timeout') && (await answers(stage));
  }),
  onStage('marksExpire', async (stage) => {
    await stage.silence(H1, 0);
    const marked = await isMarked(stage);
    await stage.lab.wait(LIFETIME_MS);
    await stage.fill(H1, 1, 2, 3, 4);
    return marked && (await stage.source(H1)).inFlight === 2;
  }),
  onStage(
    'markLifetimeFloor',
    async (stage) => {
      await stage.treat(H1, [0], 'silence');
      await stage.want([0], H1);
      // Without the floor it would live for two timeouts, 100 ms.
      for (let looks = 0; looks < 20 && !(await isMarked(stage)); looks += 1) await stage.lab.wait(50);
      await stage.lab.wait(MOMENT_MS);
      const marked = await isMarked(stage);
      await stage.ended(0);
      return stage.finished().includes('0@holder-1 timeout') && marked;
    },
    { fetchTimeoutMs: 50 },
  ),
  onStage('countEarlyAnswers', async (stage) => {
    await faults(stage, { writeMs: 3 * TIMEOUT_MS });
    await stage.fill(H1, 0);
    await stage.want([1], H1);
    await stage.lab.wait(TIMEOUT_MS);
    return stage.finished().includes('0@holder-1 timeout') && (await answers(stage));
  }),
  onStage('anyPayloadAnswers', async (stage) => {
    await stage.treat(H1, [0], 'not-found');
    await stage.want([0], H1);
    await stage.ended(0);
    return stage.finished().includes('0@holder-1 failed') && (await answers(stage));
  }),
  onStage('localFailureSpares', async (stage) => {
    await faults(stage, { diskBytes: 1 });
    await stage.want([0], H1);
    await stage.ended(0);
    return stage.finished().includes('0@holder-1 failed') && (await answers(stage));
  }),
  onStage(
    'evictIdleOnly',
    async (stage) => {
      await stage.silence(H1, 0);
      await stage.want([1], H2);
      await stage.moment();
      return await isMarked(stage);
    },
    { healthCapacity: 1 },
  ),
  onStage(
    'overflowCountsSilent',
    async (stage) => {
      await overflow(stage);
      const inFlight = (await stage.source(H2)).inFlight;
      // Within the share are two of them; the node counts the others in its summary.
      const { started_past_untracked: past } = await stage.summary();
      return inFlight === 5 && past === PAST_UNTRACKED;
    },
    // Long enough that none has ended when a busy host comes to look.
    { healthCapacity: 1, fetchTimeoutMs: 5 * TIMEOUT_MS },
  ),
  onStage(
    'overflowExpires',
    async (stage) => {
      await overflow(stage);
      const overflown = (await stage.source(H2)).standing === 'overflow';
      await stage.lab.wait(LIFETIME_MS);
      return overflown && (await stage.source(H2)).standing === 'answering';
    },
    { healthCapacity: 1 },
  ),
];

/** The table has room for H1 alone, which has a fetch in flight when H2 comes. */
async function overflow(stage: Stage): Promise<void> {
  await stage.fill(H1, 0);
  await stage.fill(H2, 1, 2, 3, 4, 5);
}
