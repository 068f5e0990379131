import type { Argv, CommandModule } from 'yargs';
import { EXIT, SquallError } from '../../errors/index.ts';
import { FAULT_KINDS, FAULT_REFERENCE, type FaultKind, type FaultPlan } from '../../fault/index.ts';
import type { FaultRecord } from '../../record/index.ts';
import { connectKeeper, createShutdown } from '../../testnet/index.ts';
import { formatDurationMs, parseDurationMs } from '../../units/index.ts';
import { addBedOption } from '../bed-option.ts';
import { alignColumns } from '../columns.ts';
import { currentCall } from '../current-call.ts';
import { givenSettings, settingOptions } from '../fault-settings.ts';
import { recordText } from '../fault-text.ts';
import { plainWords } from '../parser-facts.ts';
import { didYouMean } from '../suggest.ts';

interface FaultArguments {
  kind: FaultKind;
  on: string | undefined;
  from: string | undefined;
  to: string | undefined;
  direction: 'in' | 'out' | 'both' | undefined;
  protocol: 'udp' | 'tcp' | 'all' | undefined;
  port: number[] | undefined;
  for: string | undefined;
  set: string[] | undefined;
  id: string | undefined;
  seed: string | undefined;
  wait: boolean;
  bed: string | undefined;
  json: boolean;
}

interface Applied {
  readonly plan: FaultPlan;
  readonly appliedNs?: number;
  readonly liftsAtNs?: number;
  readonly record?: FaultRecord;
}

/** `squall fault KIND --on SELECTOR --for D`: disturbs nodes of a testnet that is up. */
export const command: CommandModule<object, FaultArguments> = {
  command: 'fault <kind>',
  describe: 'disturb nodes of a testnet that is up',
  builder: (cli) => {
    const options = addBedOption(cli)
      .positional('kind', { choices: FAULT_KINDS, demandOption: true, describe: 'what to do to them' })
      .option('on', {
        type: 'string',
        describe: "nodes that feel it, e.g. 'member[1..3]', 'pick(3,member)', '*'",
      })
      .option('from', {
        type: 'string',
        describe: 'the same, for a link; --to is its other end',
        conflicts: 'on',
      })
      .option('to', { type: 'string', describe: 'other end of the link; everybody when absent' })
      .option('direction', {
        choices: ['in', 'out', 'both'] as const,
        describe: 'as seen from the nodes in --on or --from (both)',
      })
      .option('protocol', { choices: ['udp', 'tcp', 'all'] as const, describe: 'which packets (all)' })
      .option('port', { type: 'number', array: true, describe: 'either end of the packets has this port' })
      .option('for', { type: 'string', describe: 'how long, e.g. 40s or 1m30s; until lifted when absent' })
      .option('set', { type: 'string', array: true, describe: 'a setting of the kind, as name=value' })
      .option('id', { type: 'string', describe: 'name for `squall lift`; made from the kind when absent' })
      .option('seed', { type: 'string', describe: 'seed of what is drawn: targets, lost packets, jitter' })
      .option('wait', {
        type: 'boolean',
        default: false,
        describe:
          'answer when it has lifted, with what it did; exit 2 when it was not seen to act, or to be gone',
      })
      .option('json', { type: 'boolean', default: false, describe: 'print plan and record as JSON' });
    const [, word] = plainWords(options, currentCall());
    const kind = word === undefined ? undefined : requireKind(word);
    const reference = kind && FAULT_REFERENCE[kind];
    return addSettingOptions(options, kind)
      .example(
        reference?.example.replace('squall', '$0') ?? "$0 fault hold --on 'member[1..3]' --for 10s",
        '',
      )
      .example("$0 fault loss --on '*' --for 1m --protocol udp --set lossRatio=30%", '')
      .epilogue(reference ? kindHelp(kind) : kindsHelp());
  },
  handler: async (args) => {
    const request = requestOf(args);
    using keeper = await connectKeeper(args.bed === undefined ? {} : { bed: args.bed });
    using shutdown = createShutdown();
    try {
      const params = { request, wait: args.wait };
      const applied = (await keeper.request('fault.apply', params, { signal: shutdown.signal })) as Applied;
      console.log(args.json ? JSON.stringify(applied, null, 2) : appliedText(applied));
      if (applied.record && !(applied.record.bit && applied.record.gone))
        process.exitCode = EXIT.inconclusive;
    } catch (error) {
      if (!shutdown.received) throw error;
      process.exitCode = shutdown.exitCode;
    }
  },
};

/** Each setting of the kind as an option of its own: `--redirect bounce` is `--set redirect=bounce`. */
function addSettingOptions<T>(cli: Argv<T>, kind: FaultKind | undefined): Argv<T> {
  if (kind === undefined) return cli;
  for (const name of settingOptions(kind)) {
    cli.option(name, {
      type: 'string',
      hidden: true,
      describe: FAULT_REFERENCE[kind].settings[name]?.description ?? '',
    });
  }
  return cli;
}

/** @throws SquallError `bad-usage` (input) for a word that is no kind, with what was meant */
function requireKind(word: string): FaultKind {
  const kind = FAULT_KINDS.find((each) => each === word);
  if (kind !== undefined) return kind;
  throw new SquallError(`squall fault ${word}: no such kind of fault. ${didYouMean(word, FAULT_KINDS)}`, {
    code: 'bad-usage',
    blame: 'input',
    hint: 'See `squall fault --help`.',
  });
}

/** What the keeper is asked for; its bed resolves selectors and checks settings. */
function requestOf(args: FaultArguments): Readonly<Record<string, unknown>> {
  const { kind, on, from, to, direction, protocol, port, id, seed } = args;
  const forMs = args.for === undefined ? undefined : parseDurationMs(args.for);
  const settings = givenSettings(kind, args as unknown as Readonly<Record<string, unknown>>);
  const given = { on, from, to, direction, protocol, ports: port, forMs, id, seed };
  return {
    kind,
    settings,
    ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)),
  };
}

function appliedText({ plan, liftsAtNs, record }: Applied): string {
  if (record) return recordText(record);
  const left = liftsAtNs === undefined ? `lift it with \`squall lift ${plan.id}\`` : 'it lifts by itself';
  const length = plan.forMs === undefined ? '' : ` for ${formatDurationMs(plan.forMs)}`;
  return `${plan.id}: ${plan.kind} in force on ${plan.targets.join(', ')}${length}; ${left}.`;
}

function kindsHelp(): string {
  const rows = FAULT_KINDS.map((kind) => ['', kind, FAULT_REFERENCE[kind].feels.split(/[:;]/)[0] ?? '']);
  return ['Kinds (`squall fault KIND --help` has the settings of one):', ...alignColumns(rows)].join('\n');
}

function kindHelp(kind: FaultKind): string {
  const { feels, maker, settings, caveats, bite } = FAULT_REFERENCE[kind];
  const rows = Object.entries(settings).map(([name, { unit, default: initial, description }]) => {
    const fallback = initial === undefined ? 'required' : `default ${initial === '' ? 'none' : initial}`;
    return ['', `${name}=`, unit, fallback, description];
  });
  return [
    `${kind}: ${feels}. Made by the ${maker}.`,
    ...(rows.length > 0
      ? ['Settings (--set name=value, or --name value):', ...alignColumns(rows)]
      : ['It has no settings.']),
    `It counts as having acted when ${bite.join(' + ')} is at least 1.`,
    ...caveats,
  ].join('\n');
}
