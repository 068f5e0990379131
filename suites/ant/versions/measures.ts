/** What joiners of a wave were refused, by what they thought of the holder: pure over a trial's record. */
import { type MeasurePredicate, type MeasureSpec, registerMeasure } from '../../../harness/index.ts';

/**
 * Refusals of joiners. With the share they are left over: a request that has timed out may still hold its slot at the
 * responder, and who counts as silent is asked past the share.
 */
export const refusalMeasures: MeasurePredicate = (trial, events) => {
  const joiners = new Set(trial.nodes.filter(({ role }) => role === 'joiner').map(({ name }) => name));
  const of = (name: string) =>
    events.filter(({ event, fields }) => event === name && joiners.has(String(fields['peer'])));
  const drops = of('admission.dropped');
  const atTwo = drops.filter(
    ({ fields }) => fields['reason'] === 'per-peer' && Number(fields['slotsInUse']) <= 2,
  );
  const pastSilence = drops.filter(({ fields }) => fields['pastSilence'] === true).length;
  return {
    refusedDrops: drops.length,
    refusedAtTwo: atTwo.length,
    refusedPastSilence: pastSilence,
    refusedWithinShare: drops.length - pastSilence,
    refusedBusy: of('admission.answered').length,
  };
};

registerMeasure('ant.refusals', refusalMeasures);

export const refusalMeasureSpecs: readonly MeasureSpec[] = [
  { name: 'refusedDrops', title: 'joiners’ requests dropped', unit: 'requests' },
  { name: 'refusedAtTwo', title: 'of these, with only two slots in use, both the peer’s', unit: 'requests' },
  { name: 'refusedPastSilence', title: 'of these, to a holder counted as silent', unit: 'requests' },
  { name: 'refusedWithinShare', title: 'of these, to a holder counted as answering', unit: 'requests' },
  { name: 'refusedBusy', title: 'joiners’ requests answered busy', unit: 'requests' },
];
