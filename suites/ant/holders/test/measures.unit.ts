import { expect } from 'chai';
import type { RecordedEvent } from '../../../../harness/index.ts';
import { busyRateMeasures } from '../all-busy.ts';
import { formulaTimeouts, holderMeasures, silenceMeasures } from '../measures.ts';
import { NO_SILENCE } from '../points.ts';
import { keysOfHolder } from '../steps.ts';

type Trial = Parameters<typeof holderMeasures>[0];

const at = (
  second: number,
  node: string,
  event: string,
  fields: Readonly<Record<string, unknown>> = {},
): RecordedEvent => ({ node, event, atNs: second * 1e9, fields }) as unknown as RecordedEvent;

const silent = (variant: string, keys: number, slots: number): Trial =>
  ({ point: { variant, keys, slots, timeout: 5_000 }, nodes: [] }) as unknown as Trial;

describe('what a requester did with one holder', () => {
  it('counts from the moment that the keys are wanted, and each drop beside what it cost', () => {
    const events = [
      at(0, 'joiner-1', 'queue.drained', { tookMs: 9 }),
      at(1, 'harness', 'keys.wanted', { keys: 3 }),
      at(2, 'holder-1', 'admission.dropped', { pastSilence: false }),
      at(2, 'holder-1', 'admission.dropped', { pastSilence: true }),
      at(3, 'joiner-1', 'chunk.stored'),
      at(32, 'joiner-1', 'fetch.finished', { outcome: 'timeout', tookMs: 30_000 }),
      at(32, 'joiner-1', 'fetch.finished', { outcome: 'ok', tookMs: 40_000 }),
      at(32, 'joiner-1', 'trust.changed', { delta: -0.1 }),
      at(33, 'joiner-1', 'queue.drained', { tookMs: 30_500 }),
      at(34, 'joiner-1', 'dispatch.summary', { in_flight_per_source_max: 8, started_past_mark: 0 }),
    ];
    expect(holderMeasures(silent('before', 3, 8), events)).to.deep.equal({
      drainedS: 30.5,
      stored: 1,
      mostInFlight: 8,
      startedPastMark: 0,
      timeouts: 1,
      timeoutTookS: 30,
      busyEnds: 0,
      drops: 2,
      dropsPastSilence: 1,
      busyAnswers: 0,
      dropsUnpaid: 2,
      trustPenalties: 1,
    });
  });

  it('says nothing of a queue that was never empty', () => {
    const measures = holderMeasures(silent('share', 3, 8), [at(1, 'harness', 'keys.wanted')]);
    expect(measures).to.include({ drainedS: null, mostInFlight: null, timeoutTookS: null });
    expect(silenceMeasures(silent('share', 3, 8), [])).to.include({ pastFormulaTimeouts: null });
  });
});

describe('the formula of a silent holder', () => {
  for (const [variant, keys, slots, timeouts] of [
    ['share', 16, 8, 3],
    ['before', 16, 8, 2],
    [NO_SILENCE, 16, 8, 8],
    ['share', 3, 2, 2],
    ['before', 3, 2, 2],
    ['share', 33, 4, 9],
    ['share', 2, 8, 1],
    ['share', 7, 1, 7],
    ['before', 7, 1, 7],
    [NO_SILENCE, 7, 1, 7],
  ] as const)
    it(`says ${timeouts} timeouts for ${keys} keys and ${slots} slots of ${variant}`, () => {
      expect(formulaTimeouts(variant, keys, slots)).to.equal(timeouts);
    });

  it('is met by a queue that drains within the timeout that follows, and by no other', () => {
    const past = (tookMs: number) =>
      silenceMeasures(silent('share', 16, 8), [
        at(0, 'harness', 'keys.wanted'),
        at(1, 'joiner-1', 'queue.drained', { tookMs }),
      ])['pastFormulaTimeouts'];
    expect([14_990, 15_000, 19_990, 20_000].map(past)).to.deep.equal([-1, 0, 0, 1]);
  });
});

describe('keys of one holder', () => {
  it('are all different, whether the holder has them or not', () => {
    const keys = keysOfHolder(40);
    expect(new Set(keys)).to.have.property('size', 40);
    expect(keys.every((key) => /^[0-9a-f]{64}$/.test(key))).to.equal(true);
    expect(keysOfHolder(16)).to.deep.equal(keys.slice(0, 16));
  });
});

describe('requests while all holders are busy', () => {
  it('are counted a slot and timeout, once cooldowns have grown', () => {
    const answers = [1, 14, 15, 20, 44, 45].map((second, place) =>
      at(second, 'joiner-1', 'source.busy', {
        waitMs: 1_000,
        cooldownLeftMs: 1_000 * 2 ** Math.min(place, 3),
      }),
    );
    const measures = busyRateMeasures(silent('busy', 16, 8), [at(0, 'harness', 'keys.wanted'), ...answers]);
    expect(measures).to.deep.equal({
      busyAnswers: 6,
      perSlotAndTimeout: 3 / 8 / 6,
      longestCooldownWaits: 8,
      stored: 0,
    });
  });
});
