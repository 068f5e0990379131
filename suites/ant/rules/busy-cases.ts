/** Busy holders, on real nodes. */
import { H1, H2, H3, onStage, type RuleCase, type Stage } from './lab.ts';

const cooldowns = (stage: Stage): readonly number[] =>
  stage.told('source.busy').map(({ cooldownLeftMs }) => Math.round(Number(cooldownLeftMs)));

/** A holder answers busy for one key. */
async function makeBusy(stage: Stage, holder: string, rank: number, waitMs: number): Promise<void> {
  await stage.treat(holder, [rank], 'busy', waitMs);
  await stage.want([rank], holder);
  await stage.moment();
}

export const busyCases: readonly RuleCase[] = [
  onStage('busyGrows', async (stage) => {
    await stage.treat(H1, [0, 1, 2, 3, 4], 'busy', 1_000);
    await stage.fetching({ concurrency: 1, timeoutMs: 200 });
    await stage.want([0, 1, 2, 3, 4], H1);
    await stage.lab.wait(2_000);
    return cooldowns(stage).join() === '1000,2000,4000,8000,8000';
  }),
  onStage(
    'busyCapped',
    async (stage) => {
      await makeBusy(stage, H1, 0, 900);
      return cooldowns(stage).join() === '500';
    },
    { busyMaximumMs: 500 },
  ),
  onStage('busyNeverShortened', async (stage) => {
    await makeBusy(stage, H1, 0, 10_000);
    await makeBusy(stage, H1, 1, 10);
    return cooldowns(stage).length === 2 && (await stage.source(H1)).cooling;
  }),
  onStage('busyReportsRemaining', async (stage) => {
    await makeBusy(stage, H1, 0, 10_000);
    await makeBusy(stage, H1, 1, 10);
    const [, second] = cooldowns(stage);
    return second !== undefined && second > 1_000 && second < 10_000;
  }),
  onStage('busyLastForNew', async (stage) => {
    await makeBusy(stage, H1, 0, 10_000);
    await stage.want([1], H1, H2);
    await stage.ended(1);
    return stage.finished().includes('1@holder-2 ok');
  }),
  onStage('busyLastForRetries', async (stage) => {
    await makeBusy(stage, H2, 0, 10_000);
    await stage.treat(H1, [1], 'not-found');
    await stage.want([1], H1, H2, H3);
    await stage.ended(1);
    return stage.finished().includes('1@holder-3 ok');
  }),
  onStage('busyWaitCutShort', async (stage) => {
    await stage.fetching({ timeoutMs: 200 });
    await makeBusy(stage, H1, 0, 10_000);
    await stage.ended(0);
    return stage.finished().includes('0@holder-1 busy');
  }),
  onStage(
    'busyEvicts',
    async (stage) => {
      await makeBusy(stage, H1, 0, 5_000);
      await makeBusy(stage, H2, 1, 10_000);
      return (await stage.source(H2)).cooling && !(await stage.source(H1)).cooling;
    },
    { busyCapacity: 1 },
  ),
];
