import type { PlannedPoint } from './plan-run.ts';
import type { TrialBed } from './ports.ts';
import type { TrialContext } from './types.ts';

/** What a step written in code is handed. */
export function trialContext(options: {
  readonly planned: PlannedPoint;
  readonly seed: string;
  readonly warp: number;
  readonly signal: AbortSignal;
  readonly bed: TrialBed;
  readonly trialMark: number;
  readonly wait: TrialContext['wait'];
  readonly until: TrialContext['until'];
}): TrialContext {
  const { bed, seed, signal } = options;
  return {
    point: options.planned.point,
    seed,
    warp: options.warp,
    signal,
    get events() {
      return bed.events.since(options.trialMark);
    },
    nodes: (selector) => {
      const names = new Set(bed.select(selector, seed));
      return bed.nodes().filter((node) => names.has(node.name));
    },
    admin: (node, method, path, body) => bed.admin(node, method, path, body, { signal }),
    relaunch: (node, env = {}) => bed.relaunch(node, env, signal),
    replace: (node, image) => bed.replace(node, image, signal),
    emit: (event, fields) => bed.events.emit(event, fields),
    guestPlace: () => bed.guestPlace(),
    wait: options.wait,
    until: options.until,
  };
}
