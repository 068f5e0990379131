import { SquallError } from '../errors/index.ts';

/** What a parser says of its options while it validates a call. */
export interface KnownOptions {
  /** Every option by each of its names. */
  readonly key: Readonly<Record<string, unknown>>;
  /** Those that may be given again. */
  readonly array: readonly string[];
  readonly boolean: readonly string[];
}

/**
 * Refuses what a call says twice and a command reads once: `--seed 1 --seed 2`, which a parser makes a list of, and `--json --no-json`,
 * of which it would take the last. Options that are declared as lists may be given again.
 * @throws SquallError `given-twice` (input), with the option and its values
 */
export function refuseRepeated(
  args: Readonly<Record<string, unknown>>,
  options: KnownOptions,
  argv: readonly string[],
): void {
  for (const name of Object.keys(options.key)) {
    const values = args[name];
    if (options.array.includes(name) || !Array.isArray(values) || values.length < 2) continue;
    throw givenTwice(`--${name}`, values.map(String));
  }
  const end = argv.indexOf('--');
  const words = end < 0 ? argv : argv.slice(0, end);
  for (const name of options.boolean) {
    const said = words.filter((word) => saysFlag(word, name));
    if (new Set(said.map((word) => meansYes(word))).size > 1) throw givenTwice(`--${name}`, said);
  }
}

/**
 * The values of a list such as `--set a=1 --set b=2` by their names, where each name may stand once: the last one would win in silence.
 * @throws SquallError `given-twice` (input), with the values unless they are secret
 */
export function onceEach(
  option: string,
  pairs: readonly (readonly [string, string])[],
  { secret = false }: { readonly secret?: boolean } = {},
): Record<string, string> {
  for (const [name] of pairs) {
    const values = pairs.filter(([other]) => other === name).map(([, value]) => value);
    if (values.length > 1) throw givenTwice(`${option} ${name}`, secret ? [] : values, values.length);
  }
  return Object.fromEntries(pairs);
}

function saysFlag(word: string, name: string): boolean {
  return [`--${name}`, `--no-${name}`, `--${name}=true`, `--${name}=false`].includes(word);
}

function meansYes(word: string): boolean {
  return !word.startsWith('--no-') && !word.endsWith('=false');
}

function givenTwice(option: string, values: readonly string[], times = values.length): SquallError {
  const what = values.length > 0 ? `: ${values.join(' and ')}` : '';
  return new SquallError(`${option} is given ${times} times${what}; expected it once.`, {
    code: 'given-twice',
    blame: 'input',
    hint: 'Leave out all but the one that is meant.',
  });
}
