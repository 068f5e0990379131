import type { Engine } from '../engine/index.ts';

const answers = new WeakMap<Engine, Map<string, Promise<string | undefined>>>();

/** The registry part of a reference: what stands before the first slash, if it looks like a host. */
export function registryOf(reference: string): string {
  const [first = '', rest] = reference.split('/', 2);
  return rest !== undefined && /[.:]|^localhost$/.test(first) ? first : 'default';
}

/**
 * Why a reference cannot be pulled now; undefined when it can. A registry that does not answer is asked once a run, so
 * that building offline does not wait for it again and again.
 */
export function whyNotPullable(
  engine: Engine,
  reference: string,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const known = answers.get(engine) ?? new Map<string, Promise<string | undefined>>();
  answers.set(engine, known);
  const registry = registryOf(reference);
  const asked = known.get(registry) ?? engine.whyNotPullable(reference, signal);
  known.set(registry, asked);
  return asked;
}
