import { type MeasureSpec, registerMeasure } from '../record/index.ts';
import type { MeasurePredicate, PhaseSpec, TrialContext } from '../scenario/index.ts';
import { SIDE } from './sides.ts';

/**
 * What turns a running node from one side's version into another's: variables that its process begins anew with, in its container,
 * or an image for a new container, over the files that its image says it keeps.
 */
export type VersionChange =
  | { readonly environment: Readonly<Record<string, string>> }
  | { readonly image: string };

export interface RollingUpgrade {
  /** Whose nodes, one after another. */
  readonly roles: readonly string[];
  /** By the labels of the sides. */
  readonly changes: Readonly<Record<string, VersionChange>>;
  /** Label of the version that they had before. */
  readonly from: string;
  /** What a node says, besides being ready, once it serves as what it has become. */
  readonly serves?: { readonly event: string; readonly timeoutMs: number };
}

export const ROLLING_MEASURE = 'rehearsal.rolling';

export const ROLLING_MEASURES: readonly MeasureSpec[] = [
  { name: 'upgradeS', title: 'rolling upgrade', unit: 's' },
  { name: 'rollbackS', title: 'its rollback', unit: 's' },
];

/** In seconds; an upgrade of less is no difference beside what a process takes to begin. */
export const ROLLING_MARGIN_S = 10;

/**
 * Two further phases of a wave: one node after another begins anew as the side's version, each once the one before is ready,
 * and then all of them back again. What they had in files they find; what was to be counted at the end is counted after both.
 */
export function rollingPhases({ roles, changes, from, serves }: RollingUpgrade): readonly PhaseSpec[] {
  const phase = (name: 'upgrade' | 'rollback', labelAt: (trial: TrialContext) => string): PhaseSpec => ({
    name,
    steps: [
      {
        name: `${name}, node by node`,
        takes: () => '20s',
        run: async (trial) => {
          const label = labelAt(trial);
          const nodes = roles.flatMap((role) => trial.nodes(role));
          trial.emit(`${name}.began`, { to: label, nodes: nodes.length });
          for (const node of nodes) {
            const change = changes[label] ?? { environment: {} };
            await ('image' in change
              ? trial.replace(node.name, change.image)
              : trial.relaunch(node.name, change.environment));
            // Of this phase, in which each node begins anew once; with `all`, one that ends is not waited for.
            if (serves)
              await trial.until(
                { event: serves.event, on: node.name, count: 'all' },
                `${serves.timeoutMs}ms`,
              );
            trial.emit('node.changed', { of: node.name, to: label });
          }
          trial.emit(`${name}.ended`, { to: label });
        },
      },
    ],
  });
  return [phase('upgrade', ({ point }) => String(point[SIDE])), phase('rollback', () => from)];
}

/** How long each took; null where it did not come to its end. */
export const rollingMeasures: MeasurePredicate = (_trial, events) => {
  const tookS = (name: string): number | null => {
    const at = (event: string): number | undefined => events.find((one) => one.event === event)?.atNs;
    const [beganNs, endedNs] = [at(`${name}.began`), at(`${name}.ended`)];
    return beganNs === undefined || endedNs === undefined ? null : (endedNs - beganNs) / 1e9;
  };
  return { upgradeS: tookS('upgrade'), rollbackS: tookS('rollback') };
};

registerMeasure(ROLLING_MEASURE, rollingMeasures);
