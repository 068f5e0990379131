/** JSON from elsewhere may be anything; these look without believing. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An own field of an object; undefined for everything else. */
export function field(of: unknown, name: string): unknown {
  return isObject(of) && Object.hasOwn(of, name) ? of[name] : undefined;
}
