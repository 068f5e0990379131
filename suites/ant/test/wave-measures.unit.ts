import { expect } from 'chai';
import type { MeasurePredicate, RecordedEvent } from '../../../harness/index.ts';
import { placementOf } from '../placement.ts';
import {
  drainMeasures,
  endMeasures,
  fetchMeasures,
  pressureMeasures,
  summaryMeasures,
} from '../wave-measures.ts';

type Trial = Parameters<MeasurePredicate>[0];

const key = (digits: string): string => digits.padEnd(64, '0');
const at = (
  seconds: number,
  node: string,
  event: string,
  fields: Readonly<Record<string, unknown>> = {},
): RecordedEvent => ({
  node,
  event,
  atNs: seconds * 1e9,
  fields,
});

function trial(changes: Partial<Trial> = {}): Trial {
  const nodes = ['holder-1', 'holder-2', 'joiner-1', 'joiner-2', 'external-1'].map((name) => ({
    name,
    role: name.split('-')[0],
    image: name.startsWith('external') ? 'ant-node:0.22.0' : 'ant-node:0.23.1',
  }));
  return { warp: 1, nodes, faults: [], point: { watch: 240_000 }, ...changes } as unknown as Trial;
}

describe('measures of a join wave', () => {
  it('count a drain from the joiner’s own beginning, whichever clock its node has', () => {
    const events = [
      at(5, 'holder-1', 'bootstrap.drained'),
      at(10, 'harness', 'wave.began', { joiner: 'joiner-1' }),
      at(10.2, 'joiner-1', 'wave.began', { joiner: 'joiner-1' }),
      at(34, 'joiner-1', 'bootstrap.drained', { tookMs: 1 }),
      at(40, 'harness', 'wave.began', { joiner: 'joiner-2' }),
      at(52, 'joiner-2', 'bootstrap.drained'),
      at(60, 'joiner-2', 'bootstrap.drained'),
    ];
    expect(drainMeasures(trial(), events)).to.deep.equal({
      drainS: [24, 12],
      watchedS: 240,
      drainMedianS: 18,
      drainSlowestS: 24,
      undrained: 0,
      drainedEmpty: 2,
    });
  });

  it('leave open what was not seen to drain', () => {
    const events = [
      at(0, 'harness', 'wave.began', { joiner: 'joiner-1' }),
      at(0, 'harness', 'wave.began', { joiner: 'joiner-2' }),
      at(5, 'joiner-2', 'chunk.stored', { key: key('a'), bytes: 1 }),
      at(9, 'joiner-2', 'bootstrap.drained'),
    ];
    expect(drainMeasures(trial(), events)).to.deep.equal({
      drainS: [null, 9],
      watchedS: 240,
      drainMedianS: null,
      drainSlowestS: null,
      undrained: 1,
      drainedEmpty: 0,
    });
    expect(drainMeasures(trial(), [])).to.include({ drainMedianS: null, watchedS: null });
  });

  it('count a chunk once for the bytes needed, and each fetch of it for the bytes fetched', () => {
    const fetched = { outcome: 'ok', bytes: 100 };
    const events = [
      at(1, 'joiner-1', 'fetch.finished', fetched),
      at(1, 'joiner-1', 'chunk.stored', { key: key('a'), bytes: 100 }),
      at(2, 'joiner-1', 'fetch.finished', fetched),
      at(2, 'joiner-1', 'chunk.stored', { key: key('a'), bytes: 100 }),
      at(3, 'joiner-2', 'fetch.finished', { outcome: 'timeout' }),
      at(3, 'holder-1', 'fetch.finished', { outcome: 'timeout' }),
    ];
    expect(fetchMeasures(trial(), events)).to.include({
      storedBytes: 100,
      bytesPerNeeded: 2,
      attemptsOk: 2,
      attemptsTimeout: 1,
      timeoutRatio: 1 / 3,
    });
  });

  it('take the chunk that a real node stored for its fetch, and do not guess what it fetched', () => {
    const events = [
      at(1, 'joiner-1', 'chunk.stored', { key: key('a'), bytes: 100 }),
      at(1, 'joiner-1', 'fetch.finished', { outcome: 'timeout' }),
    ];
    expect(fetchMeasures(trial(), events)).to.include({
      attemptsOk: 1,
      bytesPerNeeded: null,
      timeoutRatio: 0.5,
    });
  });

  it('say nothing of ends that a real node does not tell, and read them in its summary where it has one', () => {
    const events = [
      at(1, 'joiner-1', 'chunk.stored', { key: key('a'), bytes: 100 }),
      at(1, 'joiner-1', 'fetch.finished', { outcome: 'timeout' }),
      at(1, 'joiner-2', 'fetch.finished', { outcome: 'failed' }),
    ];
    const untold = { attemptsOk: 1, attemptsBusy: null, attemptsCancelled: null, attemptsFailed: 1 };
    expect(fetchMeasures(trial(), events)).to.include(untold);
    const summary = (second: number, node: string, ok: number, busy: number, cancelled: number) =>
      at(second, node, 'dispatch.summary', {
        attempts_ok: ok,
        attempts_busy: busy,
        attempts_cancelled: cancelled,
        fetched_bytes: 200,
      });
    const half = [...events, summary(2, 'joiner-1', 3, 1, 1)];
    // One of two joiners ended without a word: what it did is not known.
    expect(fetchMeasures(trial(), half)).to.include(untold);
    const whole = [...half, summary(3, 'joiner-1', 4, 2, 1), summary(3, 'joiner-2', 1, 0, 0)];
    expect(fetchMeasures(trial(), [...whole, summary(4, 'holder-1', 9, 9, 9)])).to.include({
      attemptsOk: 5,
      attemptsBusy: 2,
      attemptsCancelled: 1,
      bytesPerNeeded: 4,
      timeoutRatio: 1 / 10,
    });
  });

  it('count busy and cancelled ends as none where every end is told', () => {
    const events = [at(1, 'joiner-1', 'fetch.finished', { outcome: 'ok', bytes: 1 })];
    expect(fetchMeasures(trial(), events)).to.include({ attemptsBusy: 0, attemptsCancelled: 0 });
  });

  it('do not charge the candidate with what an older cohort runs into, nor with peers that are disturbed', () => {
    const peers = ['holder-1', 'joiner-1', 'external-1'].map((of, index) =>
      at(0, 'harness', 'peer.known', { of, peer: key(`${index + 1}`) }),
    );
    const dropped = (peer: string, slotsInUse: number) =>
      at(1, 'holder-1', 'admission.dropped', { peer, reason: 'per-peer', slotsInUse });
    const penalty = (node: string, peer: string, delta = -0.1) =>
      at(2, node, 'trust.changed', { peer, delta });
    const events = [
      ...peers,
      dropped(key('2'), 2),
      dropped(key('2'), 7),
      dropped(key('3'), 2),
      penalty('joiner-1', key('1')),
      penalty('joiner-1', 'holder-2'),
      penalty('joiner-1', 'holder-2', 0.1),
      penalty('external-1', 'holder-2'),
      penalty('external-1', key('1')),
      penalty('holder-2', 'joiner-1'),
      dropped('holder-2', 2),
      dropped('holder-2', 2),
      at(3, 'joiner-1', 'bootstrap.drained', { version: '0.24.0' }),
      at(4, 'joiner-1', 'bootstrap.drained', { version: 'later' }),
    ];
    const paused = [{ targets: ['holder-1'] }] as unknown as Trial['faults'];
    expect(pressureMeasures(trial({ faults: paused }), events)).to.deep.equal({
      dropsPerPeer: 2,
      dropsPool: 0,
      dropsOfExternal: 1,
      dropsOfHolders: 2,
      dropsByVersion: { '0.24.0': 2, 'ant-node:0.22.0': 1, 'ant-node:0.23.1': 2 },
      dropsAtTwoRatio: 0.5,
      trustPenalties: 1,
      trustPenaltiesOfExternal: 1,
      trustPenaltiesOfHolders: 1,
      trustPenaltiesByVersion: { '0.24.0': 1, 'ant-node:0.22.0': 1, 'ant-node:0.23.1': 1 },
      trustPenaltiesDisturbed: 1,
    });
  });

  it('take the versions that stand-ins tell with each drop and each trust event', () => {
    const names = ['holder-1', 'joiner-1', 'joiner-2'];
    const nodes = names.map((name) => ({ name, role: name.split('-')[0], image: 'fetch-node' }));
    const says = (node: string, version: string) => at(9, node, 'dispatch.summary', { version });
    const events = [
      says('holder-1', 'share+busy'),
      says('joiner-1', 'share'),
      says('joiner-2', 'before'),
      at(1, 'holder-1', 'admission.dropped', { peer: 'joiner-1', peerVersion: 'share', reason: 'per-peer' }),
      at(1, 'holder-1', 'admission.dropped', { peer: 'joiner-2', peerVersion: 'before', reason: 'per-peer' }),
      at(1, 'joiner-2', 'trust.changed', { peer: 'holder-1', version: 'before', delta: -0.1 }),
    ];
    const ran = trial({ nodes: nodes as unknown as Trial['nodes'] });
    expect(pressureMeasures(ran, events)).to.deep.include({
      dropsByVersion: { before: 1, share: 1, 'share+busy': 0 },
      trustPenaltiesByVersion: { before: 1, share: 0, 'share+busy': 0 },
    });
  });

  it('find gauges under the names that versions give them, and say nothing where there are none', () => {
    const events = [
      at(1, 'joiner-1', 'dispatch.summary', {
        oldest_parked_ms: 900,
        fill_lock_wait_ms: 5,
        fill_lock_wait_max_ms: 4,
        fill_lock_hold_ms: 6,
        parked: 3,
      }),
      at(2, 'joiner-1', 'dispatch.summary', {
        oldest_parked_ms: 0,
        fill_lock_wait_ms: 7,
        source_health_overflow: 1,
        started_past_untracked: 3,
      }),
      at(2, 'joiner-2', 'dispatch.summary', {
        oldest_parked_ms: 20,
        fill_lock_wait_ms: 1,
        parked: 1,
        source_health_overflow: 0,
        started_past_untracked: 0,
      }),
    ];
    expect(summaryMeasures(trial(), events)).to.include({
      oldestParkedMs: 900,
      lockWaitMs: 8,
      parkedMost: 3,
      healthOverflow: 1,
      startedPastUntracked: 3,
      // Of one joiner alone: what the other did not tell is not none.
      lockHoldMs: null,
    });
    expect(summaryMeasures(trial(), [])).to.include({ oldestParkedMs: null, healthOverflow: null });
  });

  it('find a key that nobody holds, and one that too few of its own group do', () => {
    const names = Array.from({ length: 10 }, (_, index) => `holder-${index}`);
    const known = names.map((of, index) =>
      at(0, 'harness', 'peer.known', { of, peer: key(index.toString(16)) }),
    );
    const keys = [key('00'), key('01'), key('02')];
    const held = (of: string, some: readonly string[]) => at(9, 'harness', 'keys.held', { of, keys: some });
    const events = [
      ...known,
      at(0, 'holder-1', 'set.listed', { keys }),
      ...names.slice(0, 7).map((of) => held(of, [keys[0] as string])),
      // Held by three of its group, and by nodes that are far from it.
      ...[...names.slice(0, 3), 'holder-8', 'holder-9'].map((of) => held(of, [keys[1] as string])),
    ];
    expect(placementOf(events)).to.deep.equal({ keys: 3, lost: 1, underQuorum: 2, missing: 0, gone: 0 });
    expect(endMeasures(trial(), events)).to.include({ keysLost: 1, keysUnderQuorum: 2, keysInSet: 3 });
  });

  it('find keys that a joiner lacks which calls itself drained, of those that are its own', () => {
    const names = ['joiner-1', 'joiner-2', ...Array.from({ length: 8 }, (_, index) => `holder-${index}`)];
    const events = [
      // Nearest to keys that begin with 0 are the first seven of the names.
      ...names.map((of, index) => at(0, 'harness', 'peer.known', { of, peer: key(index.toString(16)) })),
      at(0, 'holder-1', 'set.listed', { keys: [key('00'), key('01'), key('f')] }),
      ...['joiner-1', 'joiner-2'].map((joiner) => at(1, 'harness', 'wave.began', { joiner })),
      at(5, 'joiner-1', 'bootstrap.drained'),
      at(5, 'holder-1', 'bootstrap.drained'),
      at(9, 'harness', 'keys.held', { of: 'joiner-1', keys: [key('01')] }),
    ];
    expect(placementOf(events)?.missing).to.equal(1);
    expect(endMeasures(trial(), events)['keysMissing']).to.equal(1);
  });

  it('find keys that a joiner stored and lacks when stores are counted, and not what it stored at that moment', () => {
    const stored = (seconds: number, node: string, one: string) =>
      at(seconds, node, 'chunk.stored', { key: one, bytes: 1 });
    const events = [
      at(0, 'holder-1', 'set.listed', { keys: [key('00'), key('01')] }),
      at(1, 'harness', 'wave.began', { joiner: 'joiner-1' }),
      at(1, 'harness', 'wave.began', { joiner: 'joiner-2' }),
      stored(3, 'joiner-1', key('00')),
      stored(3, 'joiner-1', key('01')),
      stored(8.5, 'joiner-1', key('02')),
      // Nothing is left of it at all, so that it tells of no key.
      stored(4, 'joiner-2', key('01')),
      stored(4, 'holder-1', key('01')),
      at(9, 'harness', 'keys.held', { of: 'joiner-1', keys: [key('00')] }),
    ];
    expect(placementOf(events)?.gone).to.equal(1);
    expect(endMeasures(trial(), events)['keysGone']).to.equal(1);
    const kept = [...events, at(9, 'harness', 'keys.held', { of: 'joiner-1', keys: [key('01')] })];
    expect(placementOf(kept)?.gone).to.equal(1);
    const all = [...kept, at(9, 'harness', 'keys.held', { of: 'joiner-2', keys: [key('01')] })];
    expect(placementOf(all)?.gone).to.equal(0);
  });

  it('find keys that a holder had before the wave and has no more, whoever else has them', () => {
    const held = (seconds: number, of: string, keys: readonly string[]) =>
      at(seconds, 'harness', 'keys.held', { of, keys });
    const keys = [key('00'), key('01')];
    const wave = [
      at(0, 'holder-1', 'set.listed', { keys }),
      held(1, 'holder-1', keys),
      held(1, 'holder-2', keys),
      at(2, 'harness', 'wave.began', { joiner: 'joiner-1' }),
    ];
    expect(placementOf(wave)).to.equal(undefined);
    const rolled = [...wave, held(9, 'holder-1', keys), held(9, 'holder-2', keys.slice(1))];
    expect(placementOf(rolled)).to.include({ keys: 2, lost: 0, gone: 1 });
    expect(placementOf([...wave, held(9, 'holder-1', keys), held(9, 'holder-2', keys)])?.gone).to.equal(0);
  });

  it('tell what joiners and holders took, by their own word or by the one who asked them', () => {
    const events = [
      at(1, 'joiner-1', 'node.spent', { cpuMs: 100, peakRssBytes: 5 }),
      at(1, 'joiner-2', 'node.spent', { cpuMs: 300, peakRssBytes: 9 }),
      // It began anew, as in a rollout.
      at(1, 'holder-1', 'node.spent', { cpuMs: 4_000, peakRssBytes: 99 }),
      at(2, 'holder-1', 'node.spent', { cpuMs: 5_000, peakRssBytes: 98 }),
    ];
    expect(endMeasures(trial(), events)).to.include({
      nodeCpuMs: 200,
      nodeMemoryMostBytes: 9,
      holderCpuMs: 9_000,
      holderMemoryMostBytes: 99,
    });
    const asked = [
      at(1, 'harness', 'node.spent', { of: 'joiner-1', rssBytes: 7 }),
      at(1, 'harness', 'node.spent', { of: 'external-1', cpuMs: 8 }),
    ];
    expect(endMeasures(trial(), asked)).to.include({
      nodeCpuMs: null,
      nodeMemoryMostBytes: 7,
      holderCpuMs: 8,
      holderMemoryMostBytes: null,
    });
  });

  it('do not call a key safe when nobody told what is held', () => {
    expect(endMeasures(trial(), [at(0, 'holder-1', 'set.listed', { keys: [key('a')] })]).keysLost).to.equal(
      null,
    );
  });
});
