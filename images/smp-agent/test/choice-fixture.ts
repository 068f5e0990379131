import { type LeapingClock, manualClock } from '../../../harness/clock/index.ts';
import type { ChoiceEventKind } from '../choice-event.ts';
import { type ChoiceRules, FIXES, type FixName } from '../choice-rules.ts';
import { ProxyChoices } from '../proxy-choices.ts';

export interface Told {
  readonly event: string;
  readonly [field: string]: unknown;
}

/** The whole fix on, as in the variant `repick`. */
export function repick(changes: Partial<ChoiceRules> = {}): ChoiceRules {
  const on = Object.fromEntries(FIXES.map((fix) => [fix, true])) as Record<FixName, boolean>;
  return {
    ...on,
    proxyFailureIntervalMs: 30_000,
    excludeFailed: false,
    streakExpiryMs: 0,
    countClientTimeouts: false,
    ...changes,
  };
}

/** The whole fix off, but for what the old agent does anyway: the variant `master`. */
export function master(): ChoiceRules {
  const off = Object.fromEntries(FIXES.map((fix) => [fix, false])) as Record<FixName, boolean>;
  return { ...repick(), ...off, keepOnHostError: true };
}

/** Choices for the one destination R, on a clock that is led, with picks that are laid out beforehand. */
export class ChoiceFixture {
  readonly clock: LeapingClock = manualClock();
  readonly told: Told[] = [];
  readonly leftOut: (string | undefined)[] = [];
  readonly choices: ProxyChoices;

  constructor(rules: ChoiceRules, picks: readonly string[] = ['P1', 'P2', 'P3']) {
    let turn = 0;
    this.choices = new ProxyChoices(
      rules,
      () => this.clock.nowMs(),
      (_, leftOut) => {
        this.leftOut.push(leftOut);
        turn += 1;
        return { proxy: picks[(turn - 1) % picks.length] ?? 'P1', of: picks.length };
      },
      (event, fields) => this.told.push({ event, ...fields }),
    );
    this.choices.choose('R');
  }

  /** The results of P1 one after the other, by default. */
  async came(kind: ChoiceEventKind, proxy = 'P1', afterMs = 0): Promise<void> {
    await this.clock.leap(afterMs);
    this.choices.apply({ kind, proxy, destination: 'R' });
  }

  get proxy(): string | undefined {
    return this.choices.chosen('R');
  }

  get streakSinceMs(): number | null | undefined {
    return this.choices.all()['R']?.streakSinceMs;
  }

  events(name: string): readonly Told[] {
    return this.told.filter(({ event }) => event === name);
  }
}
