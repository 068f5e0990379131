import { expect } from 'chai';
import type { RecordedEvent } from '../../../../harness/index.ts';
import { refusalMeasures } from '../measures.ts';

type Trial = Parameters<typeof refusalMeasures>[0];

const trial = {
  nodes: [
    { name: 'joiner-1', role: 'joiner' },
    { name: 'holder-1', role: 'holder' },
  ],
} as unknown as Trial;
const refused = (event: string, fields: Readonly<Record<string, unknown>>): RecordedEvent =>
  ({ node: 'holder-2', event, atNs: 0, fields: { peer: 'joiner-1', ...fields } }) as unknown as RecordedEvent;

describe('refusals of joiners', () => {
  it('are told apart by slots in use and by what the joiner thought of the holder', () => {
    const events = [
      refused('admission.dropped', { reason: 'per-peer', slotsInUse: 2, pastSilence: false }),
      refused('admission.dropped', { reason: 'per-peer', slotsInUse: 3, pastSilence: false }),
      refused('admission.dropped', { reason: 'per-peer', slotsInUse: 2, pastSilence: true }),
      refused('admission.dropped', { reason: 'pool', slotsInUse: 2, pastSilence: false }),
      refused('admission.answered', { reason: 'per-peer', slotsInUse: 2, pastSilence: false }),
      refused('admission.dropped', {
        peer: 'holder-1',
        reason: 'per-peer',
        slotsInUse: 2,
        pastSilence: false,
      }),
    ];
    expect(refusalMeasures(trial, events)).to.deep.equal({
      refusedDrops: 4,
      refusedAtTwo: 2,
      refusedPastSilence: 1,
      refusedWithinShare: 3,
      refusedBusy: 1,
    });
  });
});
