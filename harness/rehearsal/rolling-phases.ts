import { type MeasureSpec, registerMeasure } from '../record/index.ts';
import type { MeasurePredicate, PhaseSpec, TrialContext } from '../scenario/index.ts';
import { SIDE } from './sides.ts';

/** What turns running nodes from one side's version into another's: variables that their processes begin anew with. */
export type Environment = Readonly<Record<string, string>>;

export interface RollingUpgrade {
  /** Whose nodes, one after another. */
  readonly roles: readonly string[];
  /** By the labels of the sides. */
  readonly environments: Readonly<Record<string, Environment>>;
  /** Label of the version that they had before. */
  readonly from: string;
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
export function rollingPhases({ roles, environments, from }: RollingUpgrade): readonly PhaseSpec[] {
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
            await trial.relaunch(node.name, environments[label] ?? {});
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
