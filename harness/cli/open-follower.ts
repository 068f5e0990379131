import { judgeStored } from '../check/index.ts';
import { compareScenario } from '../compare/index.ts';
import { findRunDir, type RecordedEvent } from '../record/index.ts';
import { connectKeeper, nowNs, ownerLife, parseOwner, requireBed } from '../testnet/index.ts';
import { BedFollower, RunFollower, type SeenBed, type TrialStory } from '../watch/index.ts';
import { currentRun } from './current-run.ts';

export type Follower = RunFollower | BedFollower;

/** Of the run or the bed that is named, or of what runs here now. */
export async function openFollower(
  args: { readonly run?: string | undefined; readonly bed?: string | undefined },
  onEvent?: (event: RecordedEvent, trial: TrialStory | undefined) => void,
): Promise<Follower> {
  if (args.bed !== undefined) {
    const { bedId } = requireBed(args.bed);
    const ask = async (): Promise<SeenBed> => {
      using keeper = await connectKeeper({ bed: bedId });
      return (await keeper.request('status')) as SeenBed;
    };
    return await BedFollower.open({ ask, nowNs, ...(onEvent && { onEvent }) });
  }
  return await RunFollower.open(
    args.run === undefined ? await currentRun('reports') : await findRunDir(args.run),
    {
      nowNs,
      ownerAlive: (owner) => {
        const parsed = parseOwner(owner);
        const life = parsed ? ownerLife(parsed) : 'unknown';
        return life === 'unknown' ? undefined : life === 'alive';
      },
      judge: (stored) => judgeStored(stored, { checks: 'recorded', compare: compareScenario }),
      ...(onEvent && { onEvent }),
    },
  );
}
