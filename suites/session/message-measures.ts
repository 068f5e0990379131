/** What became of the messages of a client's load, from its history. */
import { type MeasurePredicate, registerMeasure } from '../../harness/index.ts';
import { analyseHistory } from '../../harness/workload/index.ts';
import { repeatedIn } from './client-measures.ts';

/** `lost`: acknowledged and never read; `doubled`: read twice by the same reader, or held twice by one answer. */
export const messageMeasures: MeasurePredicate = (_trial, events) => {
  const { invoked, lost, doubled, failed } = analyseHistory(events);
  return {
    stores: invoked,
    storesFailed: failed,
    lost: lost.length,
    doubled: doubled.length + repeatedIn(events),
  };
};

registerMeasure('session.messages', messageMeasures);
