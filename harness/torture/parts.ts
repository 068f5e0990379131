import type { Part } from './part.ts';
import { blockedLoop } from './parts/blocked-loop.ts';
import { clockStep } from './parts/clock-step.ts';
import { control } from './parts/control.ts';
import { diskFull } from './parts/disk-full.ts';
import { engineRestart } from './parts/engine-restart.ts';
import { hostileLines } from './parts/hostile-lines.ts';
import { invalidInputs } from './parts/invalid-inputs.ts';
import { kill } from './parts/kill.ts';
import { agentKilled, toxiproxyWedged } from './parts/of-the-bed.ts';
import { twoAtOnce } from './parts/two-at-once.ts';

/** In the order in which they are done: the control first, since nothing means anything without it. */
export const PARTS: readonly Part[] = [
  control,
  invalidInputs,
  hostileLines,
  agentKilled,
  toxiproxyWedged,
  diskFull,
  blockedLoop,
  clockStep,
  twoAtOnce,
  engineRestart,
  kill,
];
