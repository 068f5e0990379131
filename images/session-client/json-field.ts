import { isRecord } from '../session-kit/index.ts';

/** An own field of an object; undefined for everything else. */
export function field(of: unknown, name: string): unknown {
  return isRecord(of) && Object.hasOwn(of, name) ? of[name] : undefined;
}
