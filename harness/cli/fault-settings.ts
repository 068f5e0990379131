import { SquallError } from '../errors/index.ts';
import { FAULT_REFERENCE, type FaultKind } from '../fault/index.ts';
import { onceEach } from './refuse-repeated.ts';

/** Options of `squall fault` itself; a setting of such a name is given by --set alone. */
const OWN_OPTIONS = [
  'kind',
  'on',
  'from',
  'to',
  'direction',
  'protocol',
  'port',
  'for',
  'set',
  'id',
  'seed',
  'wait',
  'bed',
  'json',
  'help',
  'version',
];

/** Settings of a kind that are options of their own as well: `--redirect bounce` is `--set redirect=bounce`. */
export function settingOptions(kind: FaultKind): readonly string[] {
  return Object.keys(FAULT_REFERENCE[kind].settings).filter((name) => !OWN_OPTIONS.includes(name));
}

/**
 * Settings as a call gives them, not yet checked; --set wins over the option of the same name.
 * @throws SquallError `bad-setting`, `given-twice` (input)
 */
export function givenSettings(
  kind: FaultKind,
  args: Readonly<Record<string, unknown>>,
): Readonly<Record<string, string>> {
  const named = settingOptions(kind).flatMap((name): [string, string][] => {
    const value = args[name];
    return typeof value === 'string' ? [[name, value]] : [];
  });
  const set = (Array.isArray(args['set']) ? args['set'] : []).map((text) => settingOf(String(text)));
  return { ...Object.fromEntries(named), ...onceEach('--set', set) };
}

function settingOf(text: string): [string, string] {
  const at = text.indexOf('=');
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new SquallError(`squall fault: --set ${text}: expected name=value`, {
    code: 'bad-setting',
    blame: 'input',
    hint: 'For example: --set tcp=drop',
  });
}
