import { type LeapingClock, manualClock } from '../../../harness/clock/index.ts';
import { stream } from '../../../harness/random/index.ts';
import type { ImageFacts, NodeContext } from '../../node-kit/index.ts';
import { readSettings } from '../../node-kit/settings.ts';

export interface Told {
  readonly event: string;
  readonly [field: string]: unknown;
}

/** A node's context without the process around it: what it tells is kept, its clock is led by the test. */
export function nodeContext(
  image: ImageFacts,
  facts: {
    readonly name: string;
    readonly role: string;
    readonly address: string;
    readonly clock: LeapingClock;
  },
  environment: Readonly<Record<string, string>> = {},
): { readonly context: NodeContext; readonly told: Told[]; readonly log: string[] } {
  const { settings, problems } = readSettings(image, environment);
  if (problems.length > 0) throw new Error(problems.join('\n'));
  const told: Told[] = [];
  const log: string[] = [];
  const context: NodeContext = {
    ...facts,
    fleet: [],
    variant: environment['SQUALL_VARIANT'] ?? '',
    seed: '7',
    epoch: 0,
    settings,
    chance: (concern) => stream('7', `${facts.name}/${concern}`),
    emit: (event, fields) => {
      told.push({ ...fields, event });
    },
    log: (text) => {
      log.push(text);
    },
    signal: new AbortController().signal,
  };
  return { context, told, log };
}

/** 2023-11-14: a wall clock that protocols believe. */
export const WALL_MS = 1_700_000_000_000;

export function testClock(): LeapingClock {
  return manualClock({ wallMs: WALL_MS });
}

/** Waits for sockets, not for time: the test's own timeout bounds it. */
export async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}

/** Loopback addresses of this process alone, so that tests side by side do not meet on the same ports. */
export function loopback(index: number): string {
  return `127.${10 + (process.pid % 200)}.${Math.floor(process.pid / 200) % 250}.${index}`;
}
