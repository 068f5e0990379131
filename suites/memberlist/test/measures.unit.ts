import { expect } from 'chai';
import type { FaultRecord, NodeRecord, RecordedEvent, TrialRecord } from '../../../harness/index.ts';
import { crashMeasures, lossMeasures, lossSeen, outageMeasures, settledMeasures } from '../measures.ts';

/** Nodes a to e; synthetic records in which times are whole seconds from the start of the trial. */
const NODES = ['a', 'b', 'c', 'd', 'e'];
const s = (seconds: number): number => seconds * 1e9;

const fault = (changes: Partial<FaultRecord>): FaultRecord => ({
  id: 'cut',
  kind: 'hold',
  targets: ['d', 'e'],
  selector: 'pick(2,member)',
  settings: {},
  appliedNs: s(10),
  liftedNs: s(50),
  bit: true,
  gone: true,
  problems: [],
  ...changes,
});

const trial = (changes: Partial<TrialRecord> = {}): TrialRecord =>
  ({
    nodes: NODES.map((name) => ({ name }) as NodeRecord),
    faults: [fault({})],
    phases: [
      { name: 'fault', startNs: s(9), endNs: s(50) },
      { name: 'recovery', startNs: s(50), endNs: s(140) },
    ],
    startNs: 0,
    endNs: s(145),
    warp: 1,
    ...changes,
  }) as TrialRecord;

const dead = (witness: string, victim: string, by: string, atS: number): RecordedEvent => ({
  node: witness,
  event: 'member.dead',
  atNs: s(atS),
  fields: { victim, by },
});

const fired = (
  accuser: string,
  victim: string,
  atS: number,
  fields: Readonly<Record<string, unknown>> = {},
): RecordedEvent => ({
  node: accuser,
  event: 'suspicion.fired',
  atNs: s(atS),
  fields: {
    victim,
    incarnation: 1,
    confirmations: 3,
    trigger: 'timer',
    score: 0,
    sinceStartMs: 20_000,
    scaledTimeoutMs: 20_000,
    ...fields,
  },
});

describe('measures of an outage', () => {
  it('count a false death for every healthy witness, whoever the accuser is, and the victims once', () => {
    const { falseDeaths, victims } = outageMeasures(trial(), [
      dead('a', 'b', 'd', 51),
      dead('c', 'b', 'd', 52),
      dead('b', 'c', 'a', 60),
    ]);
    expect({ falseDeaths, victims }).to.deep.equal({ falseDeaths: 3, victims: 2 });
  });

  it('leave out what a cut-off node believes, and the deaths of cut-off nodes', () => {
    const { falseDeaths } = outageMeasures(trial(), [dead('d', 'a', 'd', 40), dead('a', 'e', 'b', 30)]);
    expect(falseDeaths).to.equal(0);
  });

  it('begin with the cut and end with the watch', () => {
    const at = (atS: number) => outageMeasures(trial(), [dead('a', 'b', 'd', atS)])['falseDeaths'];
    expect([9, 10, 140, 141].map(at)).to.deep.equal([0, 1, 1, 0]);
  });

  it('tell how long the longest cut lasted, and not when one was never in force or never let go', () => {
    const lasted = (...faults: FaultRecord[]) => outageMeasures(trial({ faults }), [])['cutLastedMs'];
    expect(lasted(fault({}), fault({ id: 'cut-2', liftedNs: s(10.01) }))).to.equal(40_000);
    expect(lasted(fault({ liftedNs: s(10.01) }))).to.be.closeTo(10, 1e-6);
    const { appliedNs: _applied, ...never } = fault({});
    const { liftedNs: _lifted, ...held } = fault({});
    for (const faults of [[], [never], [fault({}), held]]) expect(lasted(...faults)).to.equal(null);
  });

  it('take a node of any of several cuts for touched', () => {
    const twice = trial({ faults: [fault({}), fault({ id: 'cut-2', targets: ['a'] })] });
    expect(outageMeasures(twice, [dead('b', 'a', 'd', 51)])['falseDeaths']).to.equal(0);
    expect(outageMeasures(twice, [dead('b', 'c', 'd', 51)])['falseDeaths']).to.equal(1);
  });

  it('tell verdicts of cut-off nodes by when they fell and what came before them', () => {
    const measures = outageMeasures(trial(), [
      fired('d', 'a', 49, { confirmations: 0 }),
      fired('d', 'b', 51, { trigger: 'confirm' }),
      fired('e', 'c', 52),
      fired('e', 'b', 53),
      fired('e', 'd', 51), // Its victim was cut off: no false verdict.
      fired('a', 'b', 51), // A healthy node's own verdict.
    ]);
    expect(measures).to.include({
      cutVerdicts: 4,
      cutVerdictsConfirmed: 3,
      cutVerdictsAtRelease: 2,
      cutVerdictsDuringCut: 1,
      instantVerdicts: 1,
      healthyVerdicts: 1,
    });
  });

  it('call a verdict early that fell before its scaled timeout', () => {
    const measures = outageMeasures(trial(), [
      fired('d', 'a', 51, { sinceStartMs: 19_999 }),
      fired('d', 'b', 51, { sinceStartMs: 20_000 }),
    ]);
    expect(measures['earlyVerdicts']).to.equal(1);
  });

  it('take the two seconds after the release in the time that the nodes believe in', () => {
    const at = (warp: number) =>
      outageMeasures(trial({ warp }), [fired('d', 'a', 51.5)])['cutVerdictsAtRelease'];
    expect([at(1), at(4)]).to.deep.equal([1, 0]);
  });

  it('place a verdict by the cuts of its own accuser where nodes are cut apart from each other', () => {
    const racks = trial({
      faults: [
        fault({ id: 'cut-rack-1', targets: ['d'], appliedNs: s(10), liftedNs: s(50) }),
        fault({ id: 'cut-rack-2', targets: ['e'], appliedNs: s(20), liftedNs: s(60) }),
      ],
    });
    const measures = outageMeasures(racks, [
      fired('d', 'a', 51), // At its release, though the other rack is still out.
      fired('d', 'b', 61), // Long after its own release, just after that of the other.
      fired('e', 'a', 55), // During its own cut.
      fired('e', 'b', 15), // Before it was cut off at all.
    ]);
    expect(measures).to.include({ cutVerdicts: 4, cutVerdictsAtRelease: 1, cutVerdictsDuringCut: 1 });
  });

  it('take each release of repeated cuts for one, and the pause between them for no outage', () => {
    const repeated = trial({
      faults: [
        fault({ id: 'cut-1', appliedNs: s(10), liftedNs: s(26) }),
        fault({ id: 'cut-2', appliedNs: s(30), liftedNs: s(46) }),
      ],
    });
    const measures = outageMeasures(repeated, [
      fired('d', 'a', 27), // At the first release.
      fired('d', 'b', 29), // In the pause.
      fired('e', 'a', 31), // In the second cut, though 5 s after a release.
      fired('e', 'b', 47), // At the second release.
    ]);
    expect(measures).to.include({ cutVerdicts: 4, cutVerdictsAtRelease: 2, cutVerdictsDuringCut: 1 });
  });

  it('see no release where a cut was never lifted', () => {
    const { liftedNs: _, ...never } = fault({});
    const measures = outageMeasures(trial({ faults: [never] }), [
      fired('d', 'a', 60),
      dead('a', 'b', 'd', 61),
    ]);
    expect(measures).to.include({
      cutVerdictsAtRelease: 0,
      cutVerdictsDuringCut: 1,
      firstFalseDeathAfterReleaseS: null,
    });
  });
});

describe('measures of crashes', () => {
  const crashed = (changes: Partial<TrialRecord> = {}) =>
    trial({ faults: [fault({ id: 'crash', kind: 'kill' })], ...changes });

  it('take the first survivor of each crash, from the exit that the engine saw', () => {
    const measures = crashMeasures(crashed(), [
      // Heard of at 12 s, by the engine's stamp at 10.5 s.
      { node: 'd', event: 'node.exited', atNs: s(12), fields: { endedNs: s(10.5) } },
      dead('a', 'd', 'a', 22.5),
      dead('b', 'd', 'a', 23),
      dead('c', 'd', 'a', 23),
      dead('a', 'e', 'a', 24),
      dead('b', 'e', 'a', 25),
    ]);
    expect(measures).to.deep.equal({
      firstDetectionS: [12, 14],
      firstDetectionMedianS: 13,
      firstDetectionSlowestS: 14,
      crashesSeenByAllRatio: 0.5,
      falseDeaths: 0,
    });
  });

  it('keep a crash that nobody saw as one, and give no slowest', () => {
    const measures = crashMeasures(crashed(), [dead('a', 'd', 'a', 22)]);
    expect(measures['firstDetectionS']).to.deep.equal([12, null]);
    expect(measures['firstDetectionSlowestS']).to.equal(null);
  });

  it('are in the time that the nodes believe in', () => {
    expect(crashMeasures(crashed({ warp: 4 }), [dead('a', 'd', 'a', 13)])['firstDetectionS']).to.deep.equal([
      12,
      null,
    ]);
  });

  it('count a survivor that was declared dead as a false death', () => {
    expect(crashMeasures(crashed(), [dead('a', 'b', 'c', 22)])['falseDeaths']).to.equal(1);
  });
});

describe('measures of loss', () => {
  const lossFault = fault({
    id: 'loss',
    kind: 'loss',
    targets: NODES,
    settings: { lossRatio: 0.3 },
    appliedNs: s(10),
    liftedNs: s(3_610),
    witness: { source: 'agent', counts: { droppedIn: 310, passed: 690 } },
  });
  const lossy = trial({ faults: [lossFault] });

  it('count a death for each witness and a killing for each accusation that nobody refuted', () => {
    const measures = lossMeasures(lossy, [
      fired('a', 'b', 100, { incarnation: 1 }),
      fired('c', 'b', 100.1, { incarnation: 1 }), // The same accusation, before the first verdict was heard.
      fired('c', 'b', 200, { incarnation: 2 }), // It had refuted, and was accused again.
      dead('a', 'b', 'a', 100),
      dead('d', 'b', 'a', 100.1),
    ]);
    expect(measures).to.deep.equal({
      falseDeaths: 2,
      verdicts: 3,
      killings: 2,
      nodeHours: 5,
      killingsPerNodeHour: 0.4,
    });
  });

  it('reckon the hours in the time that the nodes believe in', () => {
    expect(lossMeasures({ ...lossy, warp: 4 }, [])['nodeHours']).to.equal(20);
  });

  it('leave out what fell before the loss and after it', () => {
    const measures = lossMeasures(lossy, [fired('a', 'b', 9), fired('a', 'b', 3_611)]);
    expect(measures['verdicts']).to.equal(0);
  });

  it('give no rate where no loss was applied', () => {
    const { appliedNs: _, liftedNs: __, ...never } = lossFault;
    const measures = lossMeasures(trial({ faults: [never] }), [fired('a', 'b', 100)]);
    expect(measures).to.include({ verdicts: 0, nodeHours: 0, killingsPerNodeHour: null });
  });

  it('hold the loss that the agent counted against the loss asked for', () => {
    const seen = lossSeen(lossy, []);
    expect(seen['measuredLossRatio']).to.equal(0.31);
    expect(seen['lossErrorRatio']).to.be.closeTo(0.01, 1e-9);
  });

  it('know no loss where the agent counted nothing', () => {
    const { witness: _, ...unseen } = lossFault;
    expect(lossSeen(trial({ faults: [unseen] }), [])).to.deep.equal({
      measuredLossRatio: null,
      lossErrorRatio: null,
    });
  });
});

describe('events of the node', () => {
  it('that lack a field are an error, not a count of nothing', () => {
    const { scaledTimeoutMs: _, ...rest } = fired('d', 'a', 51).fields;
    const broken = { ...fired('d', 'a', 51), fields: rest };
    expect(() => outageMeasures(trial(), [broken])).to.throw(/suspicion\.fired of d.*scaledTimeoutMs/);
  });
});

describe('measures of a cluster that has settled', () => {
  const settled: RecordedEvent = {
    node: 'harness',
    event: 'cluster.settled',
    atNs: s(69),
    fields: { nodes: 5, watchedMs: 19_000, quietMs: 5_000 },
  };

  it('count from the first of the two looks that agreed', () => {
    const events = [
      dead('a', 'b', 'd', 51),
      fired('d', 'b', 51),
      settled,
      fired('a', 'c', 66),
      dead('a', 'c', 'a', 70),
    ];
    expect(settledMeasures(trial(), events)).to.deep.equal({ settledAfterS: 14, deathsAfterSettled: 2 });
  });

  it('say that it did not settle', () => {
    expect(settledMeasures(trial(), [dead('a', 'b', 'd', 51)])).to.deep.equal({
      settledAfterS: null,
      deathsAfterSettled: 0,
    });
  });
});
