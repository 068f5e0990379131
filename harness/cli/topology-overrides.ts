import { SquallError } from '../errors/index.ts';
import type { TopologyOverrides } from '../topology/index.ts';
import { onceEach } from './refuse-repeated.ts';

interface OverrideArguments {
  readonly count: readonly string[];
  readonly variant: readonly string[];
  readonly set: readonly string[];
  readonly warp: number | undefined;
  /** What nodes of ours draw from. */
  readonly seed?: string | undefined;
}

/** `--count role=8 --variant both --set member.suspicionMult=4` as the topology room takes them. @throws SquallError `bad-override`, `given-twice` (input) */
export function topologyOverrides(args: OverrideArguments): TopologyOverrides {
  const counts: Record<string, number> = {};
  for (const [key, value] of Object.entries(pairs('--count', args.count, 'member=8'))) {
    if (!/^\d+$/.test(value)) throw bad('--count', `${key}=${value}`, 'member=8');
    counts[key] = Number(value);
  }
  const settings: Record<string, Record<string, string>> = {};
  for (const [key, value] of Object.entries(pairs('--set', args.set, 'member.suspicionMult=4'))) {
    const dot = key.indexOf('.');
    if (dot < 1) throw bad('--set', `${key}=${value}`, 'member.suspicionMult=4');
    const role = key.slice(0, dot);
    settings[role] = { ...settings[role], [key.slice(dot + 1)]: value };
  }
  const everywhere = args.variant.filter((text) => !text.includes('='));
  const byRole = args.variant.filter((text) => text.includes('='));
  if (everywhere.length > 1 || (everywhere.length === 1 && byRole.length > 0)) {
    throw bad('--variant', args.variant.join(' '), 'both, or member=both for one role');
  }
  const variant =
    everywhere[0] ?? (byRole.length > 0 ? pairs('--variant', byRole, 'member=both') : undefined);
  return {
    ...(args.count.length > 0 ? { counts } : {}),
    ...(args.set.length > 0 ? { settings } : {}),
    ...(variant === undefined ? {} : { variant }),
    ...(args.warp === undefined ? {} : { warp: args.warp }),
    ...(args.seed === undefined ? {} : { seed: args.seed }),
  };
}

function pairs(option: string, texts: readonly string[], example: string): Record<string, string> {
  return onceEach(
    option,
    texts.map((text): [string, string] => {
      const at = text.indexOf('=');
      if (at < 1) throw bad(option, text, example);
      return [text.slice(0, at), text.slice(at + 1)];
    }),
  );
}

function bad(option: string, text: string, example: string): SquallError {
  return new SquallError(`${option} ${text}: not understood; expected, for example, ${example}`, {
    code: 'bad-override',
    blame: 'input',
  });
}
