/** Parked keys, the sources of a key, and what ends before its time, on real nodes. */
import { H1, H2, H3, MOMENT_MS, onStage, REQUESTER, type RuleCase, type Stage, TIMEOUT_MS } from './lab.ts';

/** No round comes in between. */
const NO_ROUNDS = { verificationPollMs: 3_600_000 };
/** Three sources a key. */
const NARROW = { closeGroupSize: 1, paidListGroupSize: 1, hintsPerKey: 1 };

/** H2 is full with keys 0 and 1; key 4 has failed at H1 and is parked under H2. */
async function parkedRetry(stage: Stage): Promise<void> {
  await stage.fill(H2, 0, 1);
  await stage.treat(H1, [4], 'not-found');
  await stage.want([4], H1, H2);
  await stage.moment();
}

export const keyCases: readonly RuleCase[] = [
  onStage('parkKeepsTried', async (stage) => {
    await parkedRetry(stage);
    await stage.cancel(0);
    await stage.moment();
    await stage.ended(4);
    const ends = stage.finished().filter((end) => end.startsWith('4@'));
    return ends.join() === '4@holder-1 failed,4@holder-2 ok';
  }),
  onStage(
    'parkKeepsReservation',
    async (stage) => {
      await stage.treat(H2, [4], 'silence');
      await parkedRetry(stage);
      await stage.cancel(0);
      await stage.moment();
      // It is under way at H2 now, and others fill what room there is before it fails there too.
      await stage.lab.ask(REQUESTER, '/hints', { keys: stage.lab.keys.slice(10), by: H1 });
      await stage.lab.wait(TIMEOUT_MS);
      return stage.told('key.lost').length === 0 && (await stage.key(4)).pending;
    },
    { ...NO_ROUNDS, pendingCapacity: 3 },
  ),
  onStage(
    'parkedCountInBound',
    async (stage) => {
      await stage.fill(H1, 0, 1);
      for (const rank of [2, 3]) await stage.want([rank], H1);
      return (await stage.want([4], H1)) === 1;
    },
    { ...NO_ROUNDS, queueCapacity: 2 },
  ),
  onStage(
    'returnWithoutSource',
    async (stage) => {
      await stage.treat(H1, [0], 'not-found');
      await stage.want([0], H1);
      await stage.ended(0);
      return stage.finished().includes('0@holder-1 failed') && (await stage.key(0)).pending;
    },
    NO_ROUNDS,
  ),
  onStage(
    'returnWhenFull',
    async (stage) => {
      await stage.treat(H1, [4], 'silence');
      await stage.fetching({ timeoutMs: 4 * MOMENT_MS });
      await stage.want([4], H1, H2);
      await stage.moment();
      // When it fails, H2 has no share to give for longer, and two others wait for one already.
      await stage.fetching({ timeoutMs: 4 * TIMEOUT_MS });
      await stage.fill(H2, 0, 1);
      for (const rank of [5, 6]) await stage.want([rank], H2);
      await stage.lab.wait(3 * MOMENT_MS);
      await stage.ended(4);
      return stage.finished().includes('4@holder-1 timeout') && (await stage.key(4)).pending;
    },
    { ...NO_ROUNDS, queueCapacity: 2 },
  ),
  onStage(
    'triedCountInCap',
    async (stage) => {
      await stage.treat(H1, [4], 'not-found');
      await stage.treat(H2, [4], 'silence');
      await stage.want([4], H1, H2, H3);
      await stage.moment();
      await stage.want([4], 'nobody');
      return (await stage.key(4)).sources.length === 3;
    },
    NARROW,
  ),
  onStage(
    'capFitsRound',
    async (stage) => {
      await stage.treat(H1, [4], 'silence');
      await stage.want([4], H1, H2, H3);
      return (await stage.key(4)).sources.length === 3;
    },
    NARROW,
  ),
  onStage('boundRetryMerge', async (stage) => {
    await stage.fill(H1, 0);
    for (let by = 1; by <= 12; by += 1)
      await stage.lab.ask(REQUESTER, '/hints', { keys: stage.lab.keys.slice(0, 1), by: `peer-${by}` });
    return (await stage.key(0)).hints === 8;
  }),
  onStage(
    'departureReleases',
    async (stage) => {
      await stage.fill(H1, 0, 1, 2, 3);
      await stage.lab.ask(REQUESTER, '/depart', { peer: H1 });
      const { inFlight, parked } = await stage.source(H1);
      const back = await Promise.all([0, 1, 2, 3].map((rank) => stage.key(rank)));
      return inFlight === 0 && parked === 0 && back.every(({ pending }) => pending);
    },
    NO_ROUNDS,
  ),
  onStage('cancelReleases', async (stage) => {
    await stage.fill(H1, 0, 1, 2, 3);
    await stage.cancel(0, 2, 3);
    const { inFlight, parked } = await stage.source(H1);
    return inFlight === 1 && parked === 0;
  }),
  onStage('failureReleases', async (stage) => {
    await stage.treat(H1, [0], 'not-found');
    await stage.want([0], H1);
    await stage.ended(0);
    return stage.finished().includes('0@holder-1 failed') && (await stage.source(H1)).inFlight === 0;
  }),
  onStage('releaseGateOnStop', async (stage) => {
    await stage.lab.ask(H1, '/gate', { open: false });
    await stage.want([0], H1);
    await stage.moment();
    // The last word of an orderly end; a node that cannot end is cut off before it.
    await stage.lab.restart(H1);
    return stage.told('node.ended', H1).length === 1;
  }),
];
