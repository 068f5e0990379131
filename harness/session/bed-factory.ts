import { addressEnvironment, type Engine } from '../engine/index.ts';
import type { BedFactory, TrialBed } from '../scenario/index.ts';
import { type Bed, bedLabels, currentOwner, startBed } from '../testnet/index.ts';

/** Real beds on an engine. `bedOf` gives the testnet's own bed back, for a keeper to take over. */
export function bedFactory(
  engine: Engine,
  runId: string,
): BedFactory & { bedOf(bed: TrialBed): Bed | undefined } {
  const beds = new WeakMap<TrialBed, Bed>();
  return {
    async start(options) {
      const bed = await startBed({ engine, runId, ...options });
      const trialBed = forTrials(bed, engine);
      beds.set(trialBed, bed);
      return trialBed;
    },
    bedOf: (bed) => beds.get(bed),
  };
}

function forTrials(bed: Bed, engine: Engine): TrialBed {
  return {
    id: bed.id,
    events: bed.events,
    faults: bed.faults,
    nodes: () => bed.nodes(),
    select: (selector, seed) => bed.select(selector, seed),
    admin: (...call) => bed.admin(...call),
    exec: (node, command, signal) => engine.exec(bed.node(node).containerId, command, { signal }),
    relaunch: (node, env, signal) => bed.relaunch(node, env, signal),
    replace: (node, image, signal) => bed.replace(node, image, signal),
    resetTo: (topology, signal) => bed.resetTo(topology, signal),
    verifyClean: (signal) => bed.verifyClean(signal),
    diagnose: (node) => bed.diagnose(node),
    capture: (options, signal) => bed.capture(options, signal),
    nodeRecords: () => bed.nodeRecords(),
    logCounts: (node) => bed.logCounts(node),
    adapterReports: () => bed.adapterReports(),
    guestPlace: () => {
      // What a suite starts itself is removed with the bed by its labels; a second reaper would only get in the way.
      Object.assign(process.env, addressEnvironment(engine.info));
      process.env['TESTCONTAINERS_RYUK_DISABLED'] = 'true';
      return {
        networkId: bed.networkIds[0] ?? '',
        labels: bedLabels({ runId: bed.runId, bedId: bed.id, owner: currentOwner(), kind: 'helper' }),
      };
    },
    remove: () => bed.remove(),
    removeWithin: (patienceMs) => bed.removeWithin(patienceMs),
  };
}
