/** The suite's measures: pure predicates over a trial's record, registered by name so that `recheck` finds them. */
import { type MeasurePredicate, registerMeasure } from '../../harness/index.ts';
import { cutsOf, deathsIn, placeInCuts, releaseNs, touchedBy, verdictsIn, watchedSpan } from './events.ts';

/** The document's window after the release in which an overdue confirmation fires, in unwarped seconds. */
const AT_RELEASE_S = 2;

const seconds = (ns: number, warp: number): number => (ns / 1e9) * warp;

/**
 * False deaths: a node that was never cut off marks another such node dead, from the cut to the end of the watch, whoever
 * the accuser is, one for each witness. Victims are the distinct ones. Cut verdicts are those of the suspicion timers at
 * cut-off nodes against nodes that were never cut off; during the cut, or after the release, by the accuser's own cuts.
 */
export const outageMeasures: MeasurePredicate = (trial, events) => {
  const touched = touchedBy(trial);
  const { fromNs, toNs } = watchedSpan(trial);
  const inSpan = (atNs: number) => atNs >= fromNs && atNs <= toNs;
  const deaths = deathsIn(events).filter((death) => inSpan(death.atNs) && !touched.has(death.victim));
  const falseDeaths = deaths.filter((death) => !touched.has(death.witness));
  const verdicts = verdictsIn(events).filter(
    (verdict) => inSpan(verdict.atNs) && !touched.has(verdict.victim),
  );
  const cutVerdicts = verdicts.filter((verdict) => touched.has(verdict.accuser));
  const released = releaseNs(trial);
  const places = cutVerdicts.map((verdict) => placeInCuts(trial, verdict.accuser, verdict.atNs));
  const atRelease = places.filter(
    ({ during, sinceReleaseNs }) =>
      !during && sinceReleaseNs !== undefined && seconds(sinceReleaseNs, trial.warp) <= AT_RELEASE_S,
  );
  const firstFalse = falseDeaths.reduce(
    (first, death) => Math.min(first, death.atNs),
    Number.POSITIVE_INFINITY,
  );
  return {
    falseDeaths: falseDeaths.length,
    leaked: falseDeaths.length > 0 ? 1 : 0,
    victims: new Set(falseDeaths.map((death) => death.victim)).size,
    cutVerdicts: cutVerdicts.length,
    cutVerdictsConfirmed: cutVerdicts.filter((verdict) => verdict.confirmations >= 1).length,
    cutVerdictsAtRelease: atRelease.length,
    cutVerdictsDuringCut: places.filter(({ during }) => during).length,
    instantVerdicts: verdicts.filter((verdict) => verdict.trigger === 'confirm').length,
    earlyVerdicts: verdicts.filter((verdict) => verdict.sinceStartMs < verdict.scaledTimeoutMs).length,
    healthyVerdicts: verdicts.length - cutVerdicts.length,
    firstFalseDeathAfterReleaseS:
      released === undefined || firstFalse === Number.POSITIVE_INFINITY
        ? null
        : seconds(firstFalse - released, trial.warp),
    cutLastedMs: cutLastedMs(trial),
    releaseTookMs: releaseTookMs(trial),
    packetsHeld: cutsOf(trial).reduce(
      (sum, cut) => sum + (cut.witness?.counts['heldIn'] ?? 0) + (cut.witness?.counts['heldOut'] ?? 0),
      0,
    ),
  };
};

/** From when a cut was in force until its release began, by who applied it, the longest, in real time; null where one never was. */
function cutLastedMs(trial: Parameters<MeasurePredicate>[0]): number | null {
  const lasted = cutsOf(trial).map(({ appliedNs, liftedNs }) =>
    appliedNs === undefined || liftedNs === undefined ? undefined : (liftedNs - appliedNs) / 1e6,
  );
  const known = lasted.filter((ms) => ms !== undefined);
  return known.length === 0 || known.length < lasted.length ? null : Math.max(...known);
}

/** First to last packet that a release let go of, the slowest of the cuts, in real time; null where no record says. */
function releaseTookMs(trial: Parameters<MeasurePredicate>[0]): number | null {
  const took = cutsOf(trial).flatMap(({ released }) =>
    released === undefined ? [] : [(released.lastNs - released.firstNs) / 1e6],
  );
  return took.length === 0 ? null : Math.max(...took);
}

/** Detection of crashes: for each crashed node the first survivor that marks it dead, and whether all survivors did. */
export const crashMeasures: MeasurePredicate = (trial, events) => {
  const crashes = trial.faults.filter((fault) => fault.id.startsWith('crash'));
  const crashedNs = new Map<string, number>();
  for (const crash of crashes) {
    for (const target of crash.targets)
      if (crash.appliedNs !== undefined) crashedNs.set(target, crash.appliedNs);
  }
  for (const event of events) {
    // The engine's stamp of the exit: on a busy host our request, and our hearing of it, lie seconds to either side.
    if (event.event === 'node.exited' && crashedNs.has(event.node)) {
      const { endedNs } = event.fields;
      crashedNs.set(event.node, typeof endedNs === 'number' ? endedNs : event.atNs);
    }
  }
  const survivors = trial.nodes.filter((node) => !crashedNs.has(node.name));
  const deaths = deathsIn(events).filter((death) => !crashedNs.has(death.witness));
  const detections = [...crashedNs].map(([victim, atNs]) => {
    const seen = deaths.filter((death) => death.victim === victim && death.atNs >= atNs);
    const first = seen.reduce((earliest, death) => Math.min(earliest, death.atNs), Number.POSITIVE_INFINITY);
    return {
      firstS: first === Number.POSITIVE_INFINITY ? null : seconds(first - atNs, trial.warp),
      seenByAll: new Set(seen.map((death) => death.witness)).size === survivors.length,
    };
  });
  const times = detections.map((detection) => detection.firstS);
  const observed = times.filter((time): time is number => time !== null).sort((a, b) => a - b);
  const middle = (observed.length - 1) / 2;
  const median =
    observed.length === 0
      ? null
      : ((observed[Math.floor(middle)] ?? 0) + (observed[Math.ceil(middle)] ?? 0)) / 2;
  return {
    firstDetectionS: times,
    firstDetectionMedianS: median,
    firstDetectionSlowestS: observed.length === times.length ? (observed.at(-1) ?? null) : null,
    crashesSeenByAllRatio:
      detections.length === 0
        ? null
        : detections.filter((detection) => detection.seenByAll).length / detections.length,
    falseDeaths: deaths.filter((death) => !crashedNs.has(death.victim)).length,
  };
};

/**
 * Deaths on a lossy network, where every node is healthy. A killing is one victim at one incarnation, which rises with
 * each refutation: several timers may declare the same one, and a node that refutes may be killed again.
 */
export const lossMeasures: MeasurePredicate = (trial, events) => {
  const applied = lossesOf(trial).flatMap(({ appliedNs, liftedNs }) =>
    appliedNs === undefined ? [] : [{ fromNs: appliedNs, toNs: liftedNs ?? trial.endNs }],
  );
  const during = (atNs: number) => applied.some(({ fromNs, toNs }) => atNs >= fromNs && atNs <= toNs);
  const deaths = deathsIn(events).filter((death) => during(death.atNs));
  const verdicts = verdictsIn(events).filter((verdict) => during(verdict.atNs));
  const killings = new Set(verdicts.map(({ victim, incarnation }) => `${victim} ${incarnation}`)).size;
  const lossyNs = applied.reduce((sum, { fromNs, toNs }) => sum + toNs - fromNs, 0);
  const nodeHours = (trial.nodes.length * seconds(lossyNs, trial.warp)) / 3_600;
  return {
    falseDeaths: deaths.length,
    verdicts: verdicts.length,
    killings,
    nodeHours,
    killingsPerNodeHour: nodeHours > 0 ? killings / nodeHours : null,
  };
};

function lossesOf(trial: Parameters<MeasurePredicate>[0]) {
  return trial.faults.filter((fault) => fault.kind === 'loss');
}

/** The loss that the agent counted, and how far that is from what was asked for; null when nothing was counted. */
export const lossSeen: MeasurePredicate = (trial) => {
  const losses = lossesOf(trial);
  const total = (count: string) =>
    losses.reduce((sum, fault) => sum + (fault.witness?.counts[count] ?? 0), 0);
  const dropped = total('droppedIn') + total('droppedOut');
  const all = dropped + total('passed');
  const asked = losses[0]?.settings['lossRatio'];
  const measuredLossRatio = all > 0 ? dropped / all : null;
  return {
    measuredLossRatio,
    lossErrorRatio:
      measuredLossRatio !== null && typeof asked === 'number' ? Math.abs(measuredLossRatio - asked) : null,
  };
};

/**
 * When the cluster had settled (the first of the two looks that agreed, unwarped seconds after the last release), and what
 * happened after that: deaths and verdicts of any node. Null and 0 where it did not settle within the watch.
 */
export const settledMeasures: MeasurePredicate = (trial, events) => {
  const settled = events.find((event) => event.event === 'cluster.settled');
  const released = releaseNs(trial);
  if (settled === undefined || released === undefined) return { settledAfterS: null, deathsAfterSettled: 0 };
  const settledNs = settled.atNs - (Number(settled.fields['quietMs']) * 1e6) / trial.warp;
  return {
    settledAfterS: seconds(settledNs - released, trial.warp),
    deathsAfterSettled:
      deathsIn(events).filter(({ atNs }) => atNs > settledNs).length +
      verdictsIn(events).filter(({ atNs }) => atNs > settledNs).length,
  };
};

registerMeasure('memberlist.outage', outageMeasures);
registerMeasure('memberlist.settled', settledMeasures);
registerMeasure('memberlist.crash', crashMeasures);
registerMeasure('memberlist.loss', lossMeasures);
registerMeasure('memberlist.loss-seen', lossSeen);
