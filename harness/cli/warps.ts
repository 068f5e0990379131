import { SquallError } from '../errors/index.ts';
import type { ScenarioSelection } from '../scenario/index.ts';

/** The warps of `--warp 1,4`, each once, smallest first. @throws SquallError `bad-warp` (input) */
export function readWarps(text: string): readonly number[] {
  const warps = text.split(',').map((one) => (one.trim() === '' ? Number.NaN : Number(one)));
  if (!warps.every((warp) => Number.isFinite(warp) && warp >= 1)) {
    throw new SquallError(`--warp ${text}: expected a factor from 1, or several such as 1,4.`, {
      code: 'bad-warp',
      blame: 'input',
    });
  }
  return [...new Set(warps)].sort((a, b) => a - b);
}

/** The warp of a call that takes one only. @throws SquallError `bad-warp` (input) */
export function readOneWarp(text: string): number {
  const [warp, ...others] = readWarps(text);
  if (warp === undefined || others.length > 0) {
    throw new SquallError(`--warp ${text}: expected one factor.`, { code: 'bad-warp', blame: 'input' });
  }
  return warp;
}

/**
 * Gives each selection its warps. Beside scenarios that allow a warp, one that allows none runs at real speed, and a note
 * says so; asked for by name, or with nothing else to warp, it keeps the warps, for planning to refuse.
 */
export function paceSelections(
  selections: readonly ScenarioSelection[],
  warps: readonly number[],
  named: boolean,
): { readonly selections: readonly ScenarioSelection[]; readonly notes: readonly string[] } {
  const keepsPace = ({ scenario }: ScenarioSelection): boolean =>
    named || scenario.warp !== undefined || !selections.some((one) => one.scenario.warp);
  const asked = warps.some((warp) => warp !== 1);
  return {
    selections: selections.map((one) => ({ ...one, warps: keepsPace(one) ? warps : [1] })),
    notes: selections
      .filter((one) => asked && !keepsPace(one))
      .map(({ scenario }) => `${scenario.name} runs at warp 1: it allows no warp`),
  };
}
