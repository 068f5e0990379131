/** Where a key starts, on real nodes. */
import { H1, H2, onStage, type RuleCase } from './lab.ts';

const sameOrder = (one: readonly string[], other: readonly string[]): boolean => one.join() === other.join();

export const startCases: readonly RuleCase[] = [
  onStage('shareLimit', async (stage) => {
    await stage.fill(H1, 0, 1, 2, 3, 4, 5);
    return (await stage.source(H1)).inFlight === 2;
  }),
  onStage('nearestFirst', async (stage) => {
    await stage.fetching({ concurrency: 1 });
    await stage.fill(H1, 9);
    for (const rank of [5, 2, 7]) await stage.want([rank], H2);
    await stage.cancel(9);
    for (const rank of [2, 5, 7]) await stage.ended(rank);
    return sameOrder(stage.finished().slice(1), ['2@holder-2 ok', '5@holder-2 ok', '7@holder-2 ok']);
  }),
  onStage('answeringFirst', async (stage) => {
    await stage.silence(H1, 9);
    await stage.want([0], H1, H2);
    await stage.ended(0);
    return stage.finished().includes('0@holder-2 ok');
  }),
  onStage('preferenceOrder', async (stage) => {
    await stage.want([0], H1, H2);
    await stage.ended(0);
    return stage.finished().includes('0@holder-1 ok');
  }),
  onStage('parkUnderEach', async (stage) => {
    await stage.fill(H1, 0, 1);
    await stage.fill(H2, 2, 3);
    await stage.want([4], H1, H2);
    await stage.cancel(2);
    // By its store and not by its word, which may come so late that the other holder was free as well.
    await stage.moment();
    return (await stage.key(4)).stored;
  }),
  onStage('wakeByDistance', async (stage) => {
    await stage.treat(H1, [0, 1, 5, 9], 'silence');
    await stage.want([0, 1, 9], H1);
    await stage.moment();
    // With no slot free the nearer key stays in the heap, and is not parked beside the other.
    await stage.fetching({ concurrency: 2 });
    await stage.want([5], H1);
    await stage.cancel(0);
    await stage.moment();
    return (await stage.source(H1)).parked === 1;
  }),
  onStage('moveOnByShare', async (stage) => {
    await stage.fill(H2, 0, 1);
    await stage.treat(H1, [4], 'not-found');
    await stage.treat(H2, [4], 'silence');
    await stage.want([4], H1, H2);
    await stage.moment();
    const { inFlight, parked } = await stage.source(H2);
    return inFlight === 2 && parked === 1;
  }),
];
