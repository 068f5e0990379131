type Environment = Readonly<Record<string, string>>;

/**
 * The environment that a container was started with, and a reset's overrides in it: `{env: {NAME: text or null}}`; null
 * takes a variable away. Overrides of an earlier reset are not kept.
 * @returns the environment, or a sentence that says what is wrong
 */
export function overridden(base: Environment, body: unknown): Environment | string {
  const overrides = body === undefined || body === null ? {} : (body as { readonly env?: unknown }).env;
  if (overrides === undefined || overrides === null) return base;
  if (typeof overrides !== 'object' || Array.isArray(overrides))
    return 'env: expected a map of names and texts';
  const environment: Record<string, string> = { ...base };
  for (const [name, value] of Object.entries(overrides)) {
    if (!/^SQUALL_[A-Z0-9_]+$/.test(name)) {
      return `env.${name}: may not be overridden; expected a name that begins with SQUALL_`;
    }
    if (value === null) delete environment[name];
    else if (typeof value === 'string') environment[name] = value;
    else return `env.${name}: ${typeof value} found; expected a text or null`;
  }
  return environment;
}
