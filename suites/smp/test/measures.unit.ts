import { expect } from 'chai';
import type { FaultRecord, RecordedEvent, TrialRecord } from '../../../harness/index.ts';
import { abandonedMeasures } from '../abandoned.ts';
import { choiceMeasures, relayMeasures, streakLengthMeasures } from '../choice-measures.ts';
import {
  alertMeasures,
  connectAfterHealMeasures,
  connectMeasures,
  secondConnectMeasures,
} from '../connect-measures.ts';
import { ofThisTrial } from '../events.ts';
import {
  healingMeasures,
  messageMeasures,
  quantile,
  retryGapMeasures,
  slotMeasures,
} from '../message-measures.ts';
import { rememberedMeasures } from '../restart.ts';
import { afterSwitchMeasures } from '../through-servers.ts';

/** Synthetic records in which times are whole seconds from the start of the trial. */
const s = (seconds: number): number => seconds * 1e9;

const fault = (changes: Partial<FaultRecord> = {}): FaultRecord => ({
  id: 'cut',
  kind: 'blackhole-after',
  targets: ['proxy-1'],
  selector: 'proxy-1 -> relay-1',
  settings: {},
  appliedNs: s(1),
  liftedNs: s(100),
  bit: true,
  gone: true,
  problems: [],
  ...changes,
});

const trial = (changes: Partial<TrialRecord> = {}): TrialRecord =>
  ({
    nodes: [],
    point: {},
    faults: [fault()],
    phases: [],
    startNs: 0,
    endNs: s(600),
    warp: 1,
    ...changes,
  }) as unknown as TrialRecord;

type Fields = Readonly<Record<string, unknown>>;
const event = (node: string, name: string, atS: number, fields: Fields = {}): RecordedEvent => ({
  node,
  event: name,
  atNs: s(atS),
  fields,
});
const app = (name: string, atS: number, fields: Fields = {}) => event('app-1', name, atS, fields);
const R = { destination: 'relay-1' };
const chosen = (proxy: string, atS: number, more: Fields = {}) =>
  app('proxy.chosen', atS, { ...R, proxy, of: 2, previous: null, ...more });
const change = (name: string, proxy: string, atS: number, more: Fields = {}) =>
  app(name, atS, { ...R, proxy, by: proxy, reason: 'streak', ageMs: 0, ...more });
const failed = (proxy: string, atS: number, hop = 'relay') =>
  app('forward.failed', atS, { ...R, proxy, error: 'PROXY BROKER TIMEOUT', hop });

describe('events of a trial', () => {
  it('are without what nodes still said of the trial before, and with what a node says that runs again', () => {
    const events = [
      app('proxy.chosen', 1, { ...R, proxy: 'proxy-2' }),
      event('harness', 'bed.reset', 1),
      app('ready', 2),
      app('proxy.chosen', 3, { ...R, proxy: 'proxy-1' }),
      app('ready', 9),
      event('proxy-1', 'relay.connected', 1),
    ];
    expect(ofThisTrial(events).map(({ node, atNs }) => [node, atNs / 1e9])).to.deep.equal([
      ['harness', 1],
      ['app-1', 2],
      ['app-1', 3],
      ['app-1', 9],
      ['proxy-1', 1],
    ]);
  });
});

describe('measures of choices', () => {
  /** P1, forgotten after two failures, picked again, forgotten again, then P2. */
  const course = [
    chosen('proxy-1', 5),
    app('proxy.exposed', 5, { ...R, proxy: 'proxy-1', count: 1 }),
    failed('proxy-1', 35),
    change('streak.started', 'proxy-1', 35, { reason: 'forward-failed' }),
    failed('proxy-1', 67),
    change('proxy.forgotten', 'proxy-1', 67),
    chosen('proxy-1', 69, { previous: 'proxy-1' }),
    failed('proxy-1', 99),
    change('streak.started', 'proxy-1', 99, { reason: 'forward-failed' }),
    failed('proxy-1', 131),
    change('proxy.forgotten', 'proxy-1', 131),
    chosen('proxy-2', 133, { previous: 'proxy-1' }),
    app('proxy.exposed', 133, { ...R, proxy: 'proxy-2', count: 2 }),
  ];

  it('count picks, re-picks and who was forgotten for what', () => {
    expect(choiceMeasures(trial(), course)).to.include({
      firstPickWasProxy1: 1,
      picks: 3,
      repicks: 2,
      repicksOfFailed: 1,
      streaksStarted: 2,
      streaksForgotten: 2,
      forgotten: 2,
      forgottenConnect: 0,
      exposedProxies: 2,
      failedAtRelay: 4,
      failedAtClient: 0,
      failedThroughGood: 0,
      strangersChanges: 0,
      longestKeptS: 62,
    });
  });

  it('are in the time that the agents believe in', () => {
    const warped = choiceMeasures(trial({ warp: 4 }), course);
    expect(warped['keptForS']).to.deep.equal([248, 248]);
  });

  it('see nothing where nothing was picked, rather than a pick of another', () => {
    expect(choiceMeasures(trial(), [])).to.include({ firstPickWasProxy1: null, longestKeptS: null });
    expect(choiceMeasures(trial(), [chosen('proxy-2', 1)])['firstPickWasProxy1']).to.equal(0);
  });

  it('find an entry that was changed by another proxy’s result, and results that came late and were not let in', () => {
    const measures = choiceMeasures(trial(), [
      ...course,
      app('late.ignored', 140, { ...R, proxy: 'proxy-1', chosen: 'proxy-2', site: 'failure' }),
      change('streak.started', 'proxy-2', 141, { by: 'proxy-1', reason: 'forward-failed' }),
    ]);
    expect(measures).to.include({ strangersChanges: 1, late: 2 });
  });

  it('tell a retry that was recorded from a pick', () => {
    const measures = choiceMeasures(trial(), [
      ...course,
      chosen('proxy-1', 150, { previous: 'proxy-1', retry: true }),
    ]);
    expect(measures).to.include({ recordedRetries: 1, repicksOfFailed: 1 });
  });

  it('leave out what the contact chooses', () => {
    const others = [event('contact-1', 'proxy.chosen', 1, { ...R, proxy: 'proxy-2' })];
    expect(choiceMeasures(trial(), others)['picks']).to.equal(0);
  });

  it('measure a streak from the failure that began it', () => {
    expect(streakLengthMeasures(trial(), course)).to.deep.equal({ streakLengthS: 32 });
    expect(streakLengthMeasures(trial(), course.slice(0, 4))).to.deep.equal({ streakLengthS: null });
  });

  it('take a field that is missing for an error, and not for nothing', () => {
    const { by: _, ...fields } = change('proxy.forgotten', 'proxy-1', 67).fields;
    expect(() => choiceMeasures(trial(), [app('proxy.forgotten', 67, fields)])).to.throw(/field "by"/);
  });
});

describe('measures of the way to the relay', () => {
  it('count P1’s connections, and the errors that came from its cache', () => {
    const events = [
      event('proxy-1', 'relay.connected', 5, { relay: 'r' }),
      event('proxy-2', 'relay.connected', 6, { relay: 'r' }),
      event('proxy-1', 'relay.failed', 50, { cached: false }),
      event('proxy-1', 'relay.failed', 60, { cached: true }),
      event('proxy-1', 'relay.connected', 120, { relay: 'r' }),
    ];
    expect(relayMeasures(trial(), events)).to.deep.equal({
      relayConnects: 2,
      relayReconnects: 1,
      relayFailures: 2,
      relayFailuresCached: 1,
      relayReconnectedAfterHealS: 20,
    });
  });

  it('know of no healing where the cut was never lifted', () => {
    const { liftedNs: _, ...never } = fault();
    const events = [event('proxy-1', 'relay.connected', 120)];
    expect(relayMeasures(trial({ faults: [never] }), events)['relayReconnectedAfterHealS']).to.equal(null);
  });
});

describe('measures of a join', () => {
  const began = event('harness', 'row.began', 10);
  const joined = event('contact-1', 'join.started', 11);

  it('run from the join after the row began to the app’s connection', () => {
    const measures = connectMeasures(trial(), [
      app('connection.established', 5),
      began,
      joined,
      app('join.failed', 31),
      app('retry.tapped', 32),
      event('contact-1', 'connection.established', 74),
      app('connection.established', 75),
      app('retry.tapped', 80),
    ]);
    expect(measures).to.include({
      rows: 1,
      connected: 1,
      notConnected: 0,
      connectedS: 64,
      retries: 1,
      retriesToConnect: 1,
      joinFailures: 1,
      connectedWithoutRetry: 0,
      connectedWithoutRetryS: null,
      waitedS: null,
    });
  });

  it('leave the time of a trial that did not connect unknown', () => {
    expect(connectMeasures(trial(), [began, joined, app('retry.tapped', 32)])).to.include({
      connected: 0,
      notConnected: 1,
      connectedS: null,
      waitedS: 589,
      waitedAfterSwitchS: null,
      retries: 1,
      retriesToConnect: null,
    });
  });

  it('know which Retries are left, which attempts have no end, and whether a good proxy was picked in vain', () => {
    const failed = (atS: number) => app('join.failed', atS, { alert: 'Connection timeout' });
    const picked = (atS: number, proxy: string) =>
      app('proxy.chosen', atS, { destination: 'relay-1', proxy, previous: null });
    const inVain = [began, joined, picked(12, 'proxy-1'), failed(30), app('retry.tapped', 32)];
    const capped = trial({ point: { cap: 3 } });
    expect(connectMeasures(capped, inVain)).to.include({
      retriesLeft: 2,
      attemptsWithoutEnd: 1,
      goodPickInVain: 0,
    });
    const ended = [...inVain, picked(33, 'proxy-2'), failed(60)];
    expect(connectMeasures(trial(), ended)).to.include({ attemptsWithoutEnd: 0, goodPickInVain: 1 });
    const connected = [...inVain, picked(33, 'proxy-2'), app('connection.established', 34)];
    expect(connectMeasures(trial(), connected)).to.include({
      retriesLeft: 0,
      attemptsWithoutEnd: 0,
      goodPickInVain: 0,
    });
  });

  it('say nothing at all where no row began', () => {
    expect(connectMeasures(trial(), [joined])).to.include({ rows: null, connected: null });
  });

  it('know the time since the servers were changed', () => {
    const measures = connectMeasures(trial(), [
      began,
      joined,
      app('servers.configured', 70),
      app('connection.established', 75),
    ]);
    expect(measures).to.include({ connectedS: 64, connectedAfterSwitchS: 5 });
  });

  it('know how long an agent was watched that did not connect, and since when its servers were others', () => {
    const measures = connectMeasures(trial(), [began, joined, app('servers.configured', 70)]);
    expect(measures).to.include({ waitedS: 589, waitedAfterSwitchS: 530, connectedAfterSwitchS: null });
  });

  it('know the time of a join that took no Retry', () => {
    const measures = connectMeasures(trial(), [began, joined, app('connection.established', 72)]);
    expect(measures).to.include({ connectedWithoutRetry: 1, connectedWithoutRetryS: 61 });
  });

  it('tell a second link of the trial from the first', () => {
    const again = event('harness', 'row.began-again', 200);
    expect(
      secondConnectMeasures(trial(), [
        began,
        joined,
        app('join.failed', 100),
        again,
        app('join.started', 201),
        app('connection.established', 202),
      ]),
    ).to.deep.equal({
      secondRows: 1,
      secondNotConnected: 0,
      secondConnected: 1,
      secondConnectedS: 1,
      secondFailures: 0,
    });
  });

  it('are negative where a connection came before the way was whole again', () => {
    expect(connectAfterHealMeasures(trial(), [app('connection.established', 64)])).to.deep.equal({
      connectedAfterHealS: -36,
    });
  });

  it('count the alerts before the switch by their kind, and the time between reports', () => {
    const alert = (atS: number, text: string) => app('join.failed', atS, { alert: text });
    expect(
      alertMeasures(trial(), [
        alert(30, 'Connection timeout'),
        alert(60, 'Connection timeout'),
        alert(92, 'Private routing timeout'),
        alert(124, 'Private routing timeout'),
        app('servers.configured', 125),
        alert(150, 'Private routing timeout'),
      ]),
    ).to.deep.equal({
      failuresBeforeSwitch: 4,
      connectionTimeouts: 2,
      routingTimeouts: 2,
      routingGapS: 32,
    });
  });
});

describe('measures of messages', () => {
  const sent = (message: string, atS: number) =>
    app('operation.invoked', atS, {
      operation: message,
      process: 'c1',
      kind: 'send',
      message,
      to: ['contact-1'],
    });
  const taken = (message: string, atS: number) => app('operation.ok', atS, { operation: message });
  const came = (message: string, atS: number) =>
    event('contact-1', 'message.received', atS, { message, by: 'contact-1' });

  it('find what was lost, what came twice and what is still on its way', () => {
    const measures = messageMeasures(trial(), [
      sent('a', 1),
      taken('a', 2),
      came('a', 3),
      came('a', 9),
      sent('b', 1),
      taken('b', 2),
      sent('c', 5),
    ]);
    expect(measures).to.include({
      sent: 3,
      delivered: 1,
      undelivered: 2,
      lost: 1,
      doubled: 1,
      delayMedianS: null,
    });
  });

  it('take delays from the first attempt to the first arrival', () => {
    const measures = messageMeasures(trial({ warp: 2 }), [
      sent('a', 1),
      taken('a', 2),
      came('a', 3),
      came('a', 9),
    ]);
    expect(measures).to.include({ delayMedianS: 4, delayMaxS: 4 });
  });

  it('take quantiles by the nearest rank', () => {
    const hundred = Array.from({ length: 100 }, (_, index) => index + 1);
    expect([0.5, 0.99, 1].map((share) => quantile(hundred, share))).to.deep.equal([50, 99, 100]);
    expect(quantile([1, 2, null], 0.5)).to.equal(2);
    expect(quantile([1, null, null], 0.5)).to.equal(null);
    expect(quantile([], 0.5)).to.equal(null);
  });

  it('take recovery to the first arrival of something that was waiting', () => {
    const events = [sent('a', 10), sent('b', 101), came('b', 102), came('a', 130)];
    expect(healingMeasures(trial(), events)).to.deep.equal({ recoveredS: 30, waited: 1 });
    expect(healingMeasures(trial(), [sent('a', 10), came('a', 50)])).to.deep.equal({
      recoveredS: null,
      waited: 0,
    });
  });

  it('hold recovery against the cached error and the sender’s pause', () => {
    const events = [
      sent('a', 10),
      failed('proxy-1', 110),
      failed('proxy-1', 125),
      app('forward.succeeded', 133, { ...R, proxy: 'proxy-1' }),
      came('a', 133),
    ];
    expect(retryGapMeasures(trial(), events)).to.deep.equal({ retryGapS: 8, recoveryExcessS: -5 });
  });

  it('take the arrival of what waited where the agent did not hear of the success, and of nothing else', () => {
    const events = [sent('a', 10), failed('proxy-1', 110), sent('b', 111), came('b', 112), came('a', 133)];
    expect(retryGapMeasures(trial(), events)).to.deep.equal({ retryGapS: 23, recoveryExcessS: -20 });
    const [waiting, cut, later, laterCame] = events;
    const unheard = [waiting, cut, later, laterCame] as RecordedEvent[];
    expect(retryGapMeasures(trial(), unheard)).to.deep.equal({ retryGapS: null, recoveryExcessS: null });
  });

  it('take the most slots that were seen in use', () => {
    const slots = (inUse: number) => event('harness', 'slots.read', 1, { proxy: 'proxy-1', inUse });
    expect(slotMeasures(trial(), [slots(3), slots(17), slots(0)])).to.deep.equal({
      slotsReadings: 3,
      slotsInUseMax: 17,
    });
  });
});

describe('measures of single rows', () => {
  it('see which proxies forwarded after the servers were changed', () => {
    const forwarded = (proxy: string, atS: number) => app('forward.succeeded', atS, { ...R, proxy });
    expect(
      afterSwitchMeasures(trial(), [
        forwarded('proxy-2', 5),
        app('servers.configured', 10),
        forwarded('proxy-1', 11),
        forwarded('proxy-1', 12),
      ]),
    ).to.deep.equal({ throughP1AfterSwitch: 2, throughOthersAfterSwitch: 0 });
  });

  it('see what an agent remembered before and after its restart', () => {
    const read = (when: string, count: number, streaks: number) =>
      event('harness', 'choices.read', 1, { when, count, streaks });
    expect(rememberedMeasures(trial(), [read('before', 2, 1), read('after', 0, 0)])).to.deep.equal({
      rememberedBefore: 2,
      rememberedAfter: 0,
      streaksBefore: 1,
      streaksAfter: 0,
    });
    expect(rememberedMeasures(trial(), [])).to.include({ rememberedBefore: null, streaksAfter: null });
  });

  it('follow the agent that came after the one that left', () => {
    expect(
      abandonedMeasures(trial(), [
        event('proxy-1', 'relay.abandoned', 3),
        app('connection.established', 101),
        event('app-2', 'connection.established', 112),
      ]),
    ).to.deep.equal({ otherConnected: 1, otherConnectedS: 12, abandonedConnects: 1 });
  });
});
