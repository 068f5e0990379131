import type { ReportInput } from '../load-report.ts';

/** Trials that have a row of their own in the list; the others are linked to in the record. */
export const TRIAL_ROWS = 1_000;

/** Where a page leads to from a number: to the point, to the trial, and to the files of the record beside the page. */
export interface RecordLinks {
  pointId(pointId: string): string;
  trialId(pointId: string, trial: number): string;
  point(pointId: string): string;
  /** To its row, or else to its trial.json. */
  trial(pointId: string, trial: number): string;
  file(pointId: string, trial: number, file: string): string;
}

export function recordLinks({ run, trials }: Pick<ReportInput, 'run' | 'trials'>): RecordLinks {
  const points = new Map(run.points.map((point, index) => [point.pointId, index + 1]));
  const shown = new Set(trials.slice(0, TRIAL_ROWS).map(({ pointId, trial }) => `${pointId}#${trial}`));
  const number = (pointId: string): number => points.get(pointId) ?? 0;
  const links: RecordLinks = {
    pointId: (pointId) => `point-${number(pointId)}`,
    trialId: (pointId, trial) => `trial-${number(pointId)}-${trial}`,
    point: (pointId) => `#${links.pointId(pointId)}`,
    trial: (pointId, trial) =>
      shown.has(`${pointId}#${trial}`)
        ? `#${links.trialId(pointId, trial)}`
        : links.file(pointId, trial, 'trial.json'),
    // The folder's name is the point's id; a name such as `..` names no folder of a run.
    file: (pointId, trial, file) => `trials/${encodeURIComponent(pointId)}/${trial}/${file}`,
  };
  return links;
}
