/** Examples of the fault reference, and the topology of the project that has the nodes they name. */
import { guideCommands, runBy } from './guide-commands.ts';

const TOPOLOGIES: readonly (readonly [RegExp, string])[] = [
  [/^(member|\*|pick\(3,member)/, 'memberlist-16'],
  [/^(relay|proxy)/, 'smp-two-proxies'],
  [/^(storage|client)/, 'session-15-stand-in'],
];

/** Kinds whose example needs nodes that no topology of the project has, with what is said then. */
export const REFUSED: Readonly<Record<string, RegExp>> = {
  'clock-offset': /libfaketime|FAKETIME_TIMESTAMP_FILE/,
  // On a bed that is up the path is looked at first.
  'disk-full': /tmpfs|path \/data: it does not exist/,
};

export interface FaultExample {
  readonly kind: string;
  readonly argv: readonly string[];
  readonly topology: string;
}

export function faultExamples(): readonly FaultExample[] {
  const found = guideCommands(['docs/faults.md']).filter((command) => runBy(command) === 'reference');
  return found.map(({ argv }) => {
    const target = optionOf(argv, '--on') ?? optionOf(argv, '--from') ?? '';
    const topology = TOPOLOGIES.find(([nodes]) => nodes.test(target))?.[1];
    if (topology === undefined)
      throw new Error(`${argv.join(' ')}: no topology of the project has ${target}`);
    return { kind: argv[1] ?? '', argv, topology };
  });
}

/** The same as the step of a scenario. */
export function faultStep({ kind, argv }: FaultExample): Readonly<Record<string, unknown>> {
  const step: Record<string, unknown> = { kind };
  for (let at = 2; at < argv.length; at += 2) {
    const [option = '', value = ''] = argv.slice(at, at + 2);
    const name = option.replace(/^--/, '');
    if (name === 'set') step[value.slice(0, value.indexOf('='))] = value.slice(value.indexOf('=') + 1);
    else if (name === 'port') step['ports'] = [Number(value)];
    else step[name] = value;
  }
  return step;
}

function optionOf(argv: readonly string[], option: string): string | undefined {
  const at = argv.indexOf(option);
  return at < 0 ? undefined : argv[at + 1];
}
