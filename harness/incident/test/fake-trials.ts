import { stream } from '../../random/index.ts';
import type { ScenarioSpec } from '../../scenario/index.ts';
import type { TrialPort, Tried } from '../index.ts';

/** What the fake system makes of one trial; `chance` is the trial's own, 0..1. */
export type FakeSystem = (
  spec: ScenarioSpec,
  point: Readonly<Record<string, unknown>>,
  chance: number,
) => boolean;

/** A bed that is no more than a rule: whether a scenario shows the incident, with as much noise as the rule has. */
export class FakeTrials implements TrialPort {
  readonly calls: { readonly names: readonly string[]; readonly seed: string }[] = [];
  trials = 0;
  readonly #system: FakeSystem;
  readonly #roles: Readonly<Record<string, number>>;

  constructor(system: FakeSystem, roles: Readonly<Record<string, number>> = { member: 16 }) {
    this.#system = system;
    this.#roles = roles;
  }

  readonly tryAll: TrialPort['tryAll'] = async (tryings, { seed }) => {
    this.calls.push({ names: tryings.map(({ spec }) => spec.name), seed });
    return tryings.map(({ spec, point, trials, enough }, index): Tried => {
      const refused = this.#refusal(spec);
      if (refused !== undefined) return { shown: 0, counted: 0, voids: 0, refused };
      const chance = stream(seed, `${spec.name}/${index}`);
      let shown = 0;
      let counted = 0;
      while (counted < trials && !enough?.(shown, counted)) {
        counted += 1;
        if (this.#system(spec, point, chance.next())) shown += 1;
      }
      this.trials += counted;
      return { shown, counted, voids: 0 };
    });
  };

  rolesOf(spec: ScenarioSpec): Readonly<Record<string, number>> {
    return { ...this.#roles, ...(spec.overrides as { counts?: Record<string, number> }).counts };
  }

  /** As planning would: a selector that wants more nodes than there are. */
  #refusal(spec: ScenarioSpec): string | undefined {
    const members = this.rolesOf(spec)['member'] ?? 0;
    const wanted = JSON.stringify(spec.phases).matchAll(/pick\((\d+),member\)|member\[(?:\d+\.\.)?(\d+)\]/g);
    const most = Math.max(0, ...[...wanted].map(([, pick, index]) => Number(pick ?? index)));
    return most > members ? `${most} members wanted of ${members}` : undefined;
  }
}

/** Faults of a scenario with their length in seconds and how many members they meet. */
export function faultsOf(
  spec: ScenarioSpec,
): { readonly kind: string; readonly seconds: number; readonly nodes: number }[] {
  return spec.phases.flatMap(({ steps }) =>
    steps.flatMap((step) => {
      const faults = 'fault' in step ? [step.fault] : 'faults' in step ? step.faults : [];
      return faults.map(({ kind, on = '', for: length = '0s' }) => ({
        kind,
        seconds: length.endsWith('ms') ? Number.parseInt(length, 10) / 1_000 : Number.parseInt(length, 10),
        nodes: Number(/pick\((\d+)/.exec(on)?.[1] ?? 1),
      }));
    }),
  );
}
