import type { CommandModule } from 'yargs';
import { SquallError } from '../../errors/index.ts';
import type { RecordedEvent } from '../../record/index.ts';
import { createShutdown, nowNs } from '../../testnet/index.ts';
import { plainLine, serveMetrics, serveWatch, type TrialStory, type WatchServer } from '../../watch/index.ts';
import { openFollower } from '../open-follower.ts';
import { frameOf, watchInBackground, watchOnScreen } from '../watch-loop.ts';

interface WatchArguments {
  readonly run?: string | undefined;
  readonly bed?: string | undefined;
  readonly once: boolean;
  readonly json: boolean;
  readonly web: boolean;
  readonly port: number;
  readonly metrics?: number | undefined;
}

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
      .option('web', {
        type: 'boolean',
        default: false,
        describe: 'as a page, on loopback only: the topology drawn, a timeline to go back on',
      })
      .option('port', { type: 'number', default: 0, describe: 'of the page; a free one when left out' })
      .option('metrics', {
        type: 'number',
        requiresArg: true,
        describe: 'answer GET /metrics on this port of loopback, for a Prometheus; 0 takes a free one',
      })
      .example('$0 watch', 'nodes, faults, phases, checks so far and the time left of what runs here')
      .example('$0 watch reports/latest --once', 'how a run stands')
      .example('$0 watch --json | jq -c "select(.event == \\"fault.applied\\")"', 'for a program')
      .example('$0 watch --web', 'the same as a page; works for finished runs too')
      .example('$0 watch --metrics 9464', 'OpenMetrics of a long rehearsal')
      .example('$0 watch --bed memberlist-16', 'a testnet that `squall up` left') as never,
  handler: async (args) => {
    if (args.bed !== undefined && args.run !== undefined) {
      throw new SquallError('squall watch: a run or --bed; expected one of them.', {
        code: 'run-and-bed',
        blame: 'input',
      });
    }
    using shutdown = createShutdown();
    let beganNs: number | undefined;
    const tell = (event: RecordedEvent, trial: TrialStory | undefined): void => {
      beganNs ??= event.atNs;
      if (args.json) {
        process.stdout.write(`${JSON.stringify({ ...(trial && { trial: trial.key }), ...event })}\n`);
        return;
      }
      const line = plainLine(event, trial?.key, beganNs);
      if (line !== undefined) process.stdout.write(`${line}\n`);
    };
    const screen = process.stdout.isTTY === true && !args.json && !args.once && !args.web;
    const quiet = screen || args.once || (args.web && !args.json);
    const follower = await openFollower(args, quiet ? undefined : tell);
    if (args.once) {
      process.stdout.write(`${frameOf(follower, nowNs()).join('\n')}\n`);
      return;
    }
    const servers: AsyncDisposable[] = [];
    try {
      let page: WatchServer | undefined;
      if (args.web) {
        page = await serveWatch(follower, { port: portOf('port', args.port), nowNs, onProblem: say });
        servers.push(page);
        say(`watch: ${page.url}`);
      }
      if (args.metrics !== undefined) {
        const metrics = await serveMetrics(follower, { port: portOf('metrics', args.metrics), nowNs });
        servers.push(metrics);
        say(`metrics: ${metrics.url}`);
      }
      if (screen) await watchOnScreen(follower, shutdown.signal);
      else await watchInBackground(follower, shutdown.signal, page);
    } catch (error) {
      // Whoever ends a view has not failed at anything.
      if (!shutdown.signal.aborted) throw error;
    } finally {
      for (const server of servers) await server[Symbol.asyncDispose]();
    }
    if (!quiet && !args.json) process.stdout.write(`${frameOf(follower, nowNs()).join('\n')}\n`);
  },
};

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

function portOf(option: string, port: number): number {
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port;
  throw new SquallError(`--${option} ${port}: expected a port, 0 to 65535.`, {
    code: 'bad-port',
    blame: 'input',
  });
}
