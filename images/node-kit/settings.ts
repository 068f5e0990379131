import { COMMON_SETTINGS } from './common-settings.ts';
import type { ImageFacts, SettingFacts } from './image-facts.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Value = string | number | boolean;

const TRUE = ['true', '1', 'yes', 'on'];
const FALSE = ['false', '0', 'no', 'off'];

/** A node's settings, by the names of its image.json. Asking for one that is not there, or as another type, throws. */
export class Settings {
  readonly #values: ReadonlyMap<string, Value>;

  constructor(values: ReadonlyMap<string, Value>) {
    this.#values = values;
  }

  number(name: string): number {
    return this.#get(name, 'number');
  }

  text(name: string): string {
    return this.#get(name, 'string');
  }

  yes(name: string): boolean {
    return this.#get(name, 'boolean');
  }

  /** The items of a comma list, without empty ones. */
  list(name: string): readonly string[] {
    return this.text(name)
      .split(',')
      .map((item) => item.trim())
      .filter((item) => item !== '');
  }

  all(): Readonly<Record<string, Value>> {
    return Object.fromEntries(this.#values);
  }

  #get(name: string, type: 'number'): number;
  #get(name: string, type: 'string'): string;
  #get(name: string, type: 'boolean'): boolean;
  #get(name: string, type: string): Value {
    const value = this.#values.get(name);
    if (typeof value !== type) {
      throw new TypeError(`setting ${name}: ${typeof value} found; expected a ${type} in image.json`);
    }
    return value as Value;
  }
}

/**
 * Settings of an environment: what it sets wins over the variant's, and that over the defaults.
 * @returns the settings and a sentence for everything that is wrong with them
 */
export function readSettings(
  image: ImageFacts,
  environment: Environment,
): { readonly settings: Settings; readonly problems: readonly string[] } {
  const problems: string[] = [];
  const values = new Map<string, Value>();
  const variant = environment['SQUALL_VARIANT'] ?? '';
  const known = { ...image.variants, ...image.mutants };
  if (variant !== '' && !Object.hasOwn(known, variant)) {
    problems.push(
      `SQUALL_VARIANT=${JSON.stringify(variant)}: expected one of ${Object.keys(known).join(', ')}`,
    );
  }
  const chosen: Readonly<Record<string, Value | undefined>> = known[variant]?.settings ?? {};
  const own = image.settings.map(({ env }) => env);
  const common = COMMON_SETTINGS.filter(({ env }) => !own.includes(env));
  for (const setting of [...common, ...image.settings]) {
    const given = environment[setting.env];
    const fallback = chosen[setting.name] ?? setting.default;
    if (given === undefined || (given === '' && !isText(setting))) {
      if (fallback === undefined)
        problems.push(`${setting.env}: is not set; expected ${expectation(setting)}`);
      else values.set(setting.name, fallback);
      continue;
    }
    const value = parse(setting, given);
    if (value === undefined)
      problems.push(`${setting.env}=${JSON.stringify(given)}: expected ${expectation(setting)}`);
    else values.set(setting.name, value);
  }
  return { settings: new Settings(values), problems };
}

function isText({ type }: SettingFacts): boolean {
  return type === 'text' || type === 'list' || type === 'choice';
}

function isWhole({ type }: SettingFacts): boolean {
  return type === 'integer' || type === 'port' || type === 'bytes';
}

function parse(setting: SettingFacts, text: string): Value | undefined {
  if (setting.type === 'boolean') {
    if (TRUE.includes(text.toLowerCase())) return true;
    return FALSE.includes(text.toLowerCase()) ? false : undefined;
  }
  if (isText(setting)) return setting.choices && !setting.choices.includes(text) ? undefined : text;
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || (isWhole(setting) && !Number.isInteger(value)))
    return undefined;
  const { minimum, maximum } = boundsOf(setting);
  return value >= minimum && value <= maximum ? value : undefined;
}

function boundsOf(setting: SettingFacts): { readonly minimum: number; readonly maximum: number } {
  const natural: Readonly<Record<string, readonly [number, number]>> = {
    port: [1, 65_535],
    ratio: [0, 1],
    duration: [0, Number.POSITIVE_INFINITY],
    bytes: [0, Number.POSITIVE_INFINITY],
  };
  const [minimum, maximum] = natural[setting.type] ?? [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY];
  return { minimum: setting.minimum ?? minimum, maximum: setting.maximum ?? maximum };
}

function expectation(setting: SettingFacts): string {
  if (setting.choices) return `one of ${setting.choices.join(', ')}`;
  if (setting.type === 'boolean') return 'true or false';
  if (isText(setting)) return 'a text';
  const { minimum, maximum } = boundsOf(setting);
  const unit = setting.unit === undefined ? '' : ` in ${setting.unit}`;
  const from = Number.isFinite(minimum) ? ` from ${minimum}` : '';
  const to = Number.isFinite(maximum) ? ` to ${maximum}` : '';
  return `a ${isWhole(setting) ? 'whole ' : ''}number${unit}${from}${to}`;
}
