import { suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { ImageDescription } from '../image/index.ts';
import { matchesPoint, type Point } from '../record/index.ts';
import {
  defaultPoint,
  expandGrid,
  type ResolvedScenario,
  requireGrid,
  type ScenarioSelection,
} from '../scenario/index.ts';

/** A mutant of an image. */
export interface KnownMutant {
  readonly image: string;
  readonly mutant: string;
  readonly fix: string;
  readonly rule: string;
}

/** A scenario's claim to kill a mutant, with the two points that decide it. */
export interface MutantClaim extends KnownMutant {
  readonly scenario: ResolvedScenario;
  /** With the fix on: the scenario must pass here. */
  readonly controlPoint: Point;
  /** With the mutant in its place: it must fail here. */
  readonly mutantPoint: Point;
  readonly trials: number;
  readonly showRate?: number;
  readonly reason?: string;
  /** Not the scenario that is designated for it: run as well, deciding nothing. */
  readonly other?: true;
}

export function knownMutants(images: readonly ImageDescription[]): KnownMutant[] {
  return images.flatMap((image) =>
    Object.entries(image.mutants).map(([mutant, { mutates }]) => ({
      image: image.name,
      mutant,
      fix: mutates.fix,
      rule: mutates.rule,
    })),
  );
}

/**
 * What the scenarios claim.
 * @throws SquallError `unknown-mutant` when a scenario claims one that no image has, `mutant-without-variant` (input)
 */
export function mutantClaims(
  scenarios: readonly ResolvedScenario[],
  mutants: readonly KnownMutant[],
): MutantClaim[] {
  return scenarios.flatMap((scenario) =>
    (scenario.kills ?? []).map((kill) => {
      const known = mutants.find((one) => one.mutant === kill.mutant);
      if (!known) {
        throw new SquallError(
          `scenario ${scenario.suite}/${scenario.name}: kills "${kill.mutant}", a mutant of no image${suggestionFor(
            kill.mutant,
            mutants.map((one) => one.mutant),
          )}.`,
          { code: 'unknown-mutant', blame: 'input' },
        );
      }
      if (!('variant' in scenario.parameters)) {
        throw new SquallError(
          `scenario ${scenario.suite}/${scenario.name}: kills "${kill.mutant}" but has no parameter "variant" to put it in.`,
          { code: 'mutant-without-variant', blame: 'input' },
        );
      }
      const controlPoint = { ...defaultPoint(scenario.parameters), ...kill.point };
      return {
        ...known,
        scenario,
        controlPoint,
        mutantPoint: { ...controlPoint, variant: kill.mutant },
        trials: kill.trials ?? scenario.trials,
        ...(kill.showRate !== undefined && { showRate: kill.showRate }),
        ...(kill.reason !== undefined && { reason: kill.reason }),
      };
    }),
  );
}

/**
 * The same mutants at each other scenario of their suites that can put them on: at the first point of its default grid with the
 * variant of the claim.
 */
export function otherClaims(
  claims: readonly MutantClaim[],
  scenarios: readonly ResolvedScenario[],
): MutantClaim[] {
  return claims.flatMap((claim) =>
    scenarios
      .filter((one) => one.suite === claim.scenario.suite && !claims.some(isClaimOf(claim.mutant, one)))
      .flatMap((scenario) => {
        const variant = claim.controlPoint['variant'] as string;
        const choices = scenario.parameters['variant']?.choices ?? [];
        if (!choices.includes(claim.mutant) || !choices.includes(variant)) return [];
        const grid = requireGrid(scenario, scenario.defaultGrid);
        const [first] = expandGrid(scenario, grid, {});
        const controlPoint = { ...first, variant };
        // How often it shows was measured at the claim's own point.
        const { reason: _reason, showRate: _showRate, ...rest } = claim;
        return [
          {
            ...rest,
            scenario,
            controlPoint,
            mutantPoint: { ...controlPoint, variant: claim.mutant },
            trials: grid.trials ?? scenario.trials,
            other: true as const,
          },
        ];
      }),
  );
}

function isClaimOf(mutant: string, scenario: ResolvedScenario): (claim: MutantClaim) => boolean {
  return (claim) => claim.mutant === mutant && claim.scenario === scenario;
}

/** Those of the mutants that none of the claims is about. */
export function unclaimedMutants(
  mutants: readonly KnownMutant[],
  claims: readonly MutantClaim[],
): KnownMutant[] {
  return mutants.filter(
    ({ image, mutant }) => !claims.some((claim) => claim.mutant === mutant && claim.image === image),
  );
}

/** What is wrong with the claims taken together: one sentence each. */
export function claimProblems(claims: readonly MutantClaim[], mutants: readonly KnownMutant[]): string[] {
  return mutants.flatMap(({ image, mutant }) => {
    const mine = claims.filter((claim) => claim.mutant === mutant && claim.image === image);
    if (mine.length === 0) return [`mutant ${mutant} of ${image} is claimed by no scenario`];
    const silent = mine.slice(1).filter((claim) => claim.reason === undefined);
    return silent.map(
      (claim) => `mutant ${mutant} of ${image} is claimed again by ${claim.scenario.name} without a reason`,
    );
  });
}

/** Name of the scenario that runs a mutant: the designated one, under the mutant's name. */
export function mutatedName(claim: MutantClaim): string {
  return `${claim.scenario.name}-${claim.mutant}`;
}

/**
 * Controls and mutants as selections of one run. A mutant is judged by the checks that hold where the fix is on: a
 * check for the variant `both` would say nothing of a mutant that is called otherwise. Both draw the same seeds.
 */
export function mutationSelections(claims: readonly MutantClaim[], trials?: number): ScenarioSelection[] {
  const controls = new Map<ResolvedScenario, { points: Map<string, Point>; trials: number }>();
  for (const claim of claims) {
    const control = controls.get(claim.scenario) ?? { points: new Map(), trials: 0 };
    control.points.set(JSON.stringify(claim.controlPoint), claim.controlPoint);
    control.trials = Math.max(control.trials, trials ?? claim.trials);
    controls.set(claim.scenario, control);
  }
  return [
    ...[...controls].map(([scenario, control]) => ({
      scenario,
      points: [...control.points.values()],
      trials: control.trials,
    })),
    ...claims.map((claim) => ({
      scenario: mutatedScenario(claim),
      points: [claim.mutantPoint],
      trials: trials ?? claim.trials,
    })),
  ];
}

function mutatedScenario(claim: MutantClaim): ResolvedScenario {
  const { scenario, controlPoint, mutant, rule } = claim;
  const { expect: _expect, aggregates: _aggregates, comparisons: _comparisons, ...rest } = scenario;
  return {
    ...rest,
    name: mutatedName(claim),
    seedAs: scenario.name,
    description: `${scenario.name} with the mutant ${mutant}: the rule "${rule}" is broken, so a check must fail.`,
    checks: scenario.checks
      .filter((check) => matchesPoint(controlPoint, check.where))
      .map(({ where: _where, ...check }) => check),
    published: [],
    kills: [{ mutant }],
    mayHang: true,
  };
}
