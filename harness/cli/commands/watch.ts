import { setTimeout as sleep } from 'node:timers/promises';
import type { CommandModule } from 'yargs';
import { judgeStored } from '../../check/index.ts';
import { compareScenario } from '../../compare/index.ts';
import { SquallError } from '../../errors/index.ts';
import { findRunDir, type RecordedEvent } from '../../record/index.ts';
import {
  connectKeeper,
  createShutdown,
  nowNs,
  ownerLife,
  parseOwner,
  requireBed,
} from '../../testnet/index.ts';
import {
  BedFollower,
  LiveScreen,
  POLL_MS,
  plainLine,
  RunFollower,
  renderFrame,
  type SeenBed,
  type TrialStory,
} from '../../watch/index.ts';
import { currentRun } from '../current-run.ts';

interface WatchArguments {
  readonly run?: string | undefined;
  readonly bed?: string | undefined;
  readonly once: boolean;
  readonly json: boolean;
}

type Follower = RunFollower | BedFollower;
type Listener = (event: RecordedEvent, trial: TrialStory | undefined) => void;

/** `squall watch [RUN]`: how a run goes, from its record; of a bed that is up, from its keeper. */
export const command: CommandModule<object, WatchArguments> = {
  command: 'watch [run]',
  describe: 'a live view of a run, or of a testnet that is up',
  builder: (cli) =>
    cli
      .positional('run', {
        type: 'string',
        describe: 'folder or id of the run; what runs now, or else the newest, when left out',
      })
      .option('bed', { type: 'string', describe: 'a testnet that is up, by its name, instead of a run' })
      .option('once', { type: 'boolean', default: false, describe: 'print how it stands, and end' })
      .option('json', {
        type: 'boolean',
        default: false,
        describe: 'every event of the run and of its trials as a JSON line, as it comes',
      })
      .example('$0 watch', 'nodes, faults, phases, checks so far and the time left of what runs here')
      .example('$0 watch reports/latest --once', 'how a run stands')
      .example('$0 watch --json | jq -c "select(.event == \\"fault.applied\\")"', 'for a program')
      .example('$0 watch --bed memberlist-16', 'a testnet that `squall up` left') as never,
  handler: async (args) => {
    if (args.bed !== undefined && args.run !== undefined) {
      throw new SquallError('squall watch: a run or --bed; expected one of them.', {
        code: 'run-and-bed',
        blame: 'input',
      });
    }
    using shutdown = createShutdown();
    const began = nowNs();
    let beganNs: number | undefined;
    const tell: Listener = (event, trial) => {
      beganNs ??= event.atNs;
      if (args.json) {
        process.stdout.write(`${JSON.stringify({ ...(trial && { trial: trial.key }), ...event })}\n`);
        return;
      }
      const line = plainLine(event, trial?.key, beganNs);
      if (line !== undefined) process.stdout.write(`${line}\n`);
    };
    const screen = process.stdout.isTTY === true && !args.json && !args.once;
    const follower = await openFollower(args, screen || args.once ? undefined : tell);
    if (args.once) {
      process.stdout.write(`${frameOf(follower, nowNs()).join('\n')}\n`);
      return;
    }
    try {
      await (screen ? onScreen(follower, shutdown.signal) : inLines(follower, shutdown.signal));
    } catch (error) {
      if (!shutdown.signal.aborted) throw error;
    }
    // Whoever ends a view has not failed at anything.
    if (!screen && !args.json && nowNs() > began)
      process.stdout.write(`${frameOf(follower, nowNs()).join('\n')}\n`);
  },
};

async function openFollower(args: WatchArguments, onEvent: Listener | undefined): Promise<Follower> {
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

function frameOf(follower: Follower, atNs: number): string[] {
  const { columns = 120, rows = 40, isTTY } = process.stdout;
  return renderFrame(
    follower.view(),
    follower.running.map((story) => story.view(atNs)),
    { columns, rows, color: isTTY === true && !process.env['NO_COLOR'] },
  );
}

/** Until the run ends or the viewer has seen enough. */
async function onScreen(follower: Follower, signal: AbortSignal): Promise<void> {
  const quit = new AbortController();
  const stop = AbortSignal.any([signal, quit.signal]);
  const onKey = (key: Buffer): void => {
    if (['q', '\u0003', '\u001b'].includes(key.toString())) quit.abort();
  };
  const { stdin } = process;
  if (stdin.isTTY) stdin.setRawMode(true).on('data', onKey).resume();
  try {
    using screen = new LiveScreen(process.stdout);
    while (!stop.aborted) {
      await follower.poll();
      screen.draw(frameOf(follower, nowNs()));
      if (follower.view().life === 'ended') break;
      await sleep(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  } finally {
    if (stdin.isTTY) stdin.setRawMode(false).off('data', onKey).pause();
  }
  process.stdout.write(`${frameOf(follower, nowNs()).join('\n')}\n`);
}

async function inLines(follower: Follower, signal: AbortSignal): Promise<void> {
  for (;;) {
    if (follower.view().life !== 'running') return;
    await sleep(POLL_MS, undefined, { signal });
    await follower.poll();
  }
}
