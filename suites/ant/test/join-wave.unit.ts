import { expect } from 'chai';
import { compareSides } from '../../../harness/compare/index.ts';
import type { RecordedEvent, TrialContext } from '../../../harness/index.ts';
import { registeredMeasures } from '../../../harness/record/index.ts';
import { makePlan } from '../../../harness/session/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { readRehearsal } from '../../../harness/topology/index.ts';
import { counted, joined, populated } from '../drive-wave.ts';
import { joinWave } from '../join-wave.ts';
import { placementOf } from '../placement.ts';
import { endMeasures } from '../wave-measures.ts';

interface Asked {
  readonly node: string;
  readonly path: string;
  readonly body: unknown;
}

/** A bed of nodes that answer as their kind does, and drain at once. */
function bed(
  kind: 'ant-node' | 'fetch-node',
  refuses: Readonly<Record<string, number>> = {},
  found: {
    readonly laid?: number;
    readonly opened?: number | null;
    readonly keys?: readonly string[];
    readonly patience?: number;
  } = {},
) {
  const waited: string[] = [];
  const asked: Asked[] = [];
  const events: { node: string; event: string; atNs: number; fields: Record<string, unknown> }[] = [];
  const names = ['holder-1', 'holder-2', 'joiner-1', 'joiner-2', 'joiner-3'];
  const say = (node: string, event: string, fields: Record<string, unknown> = {}): void =>
    void events.push({ node, event, atNs: events.length, fields });
  const keys = found.keys ?? ['aa', 'bb'].map((digits) => digits.padEnd(64, '0'));
  const { laid = 20, opened = 20 } = found;
  const answers: Record<string, (node: string) => unknown> = {
    '/state': (node) =>
      kind === 'ant-node' ? { peer: node.at(-1)?.repeat(64) } : { version: 'share', cpuMs: 12, rssBytes: 34 },
    '/populate': () => ({ chunks: laid, bytes: laid * 100 }),
    '/tell-set': (node) => {
      say(node, 'set.listed', { keys });
      return {};
    },
    '/tell-held': (node) => {
      say(node, 'keys.held', { keys });
      return {};
    },
    '/start': (node) => {
      if (opened !== null) say(node, 'store.opened', { chunks: node.startsWith('holder') ? opened : 0 });
      say(node, 'bootstrap.drained');
      return {};
    },
    '/join': (node) => {
      say(node, 'bootstrap.drained');
      return {};
    },
    '/keys': () => ({ keys, of: keys.length }),
    '/stop': () => ({}),
    '/summary': () => ({}),
  };
  const trial: TrialContext = {
    point: {
      chunks: 20,
      chunkBytes: 100,
      waves: 2,
      watch: 60_000,
      ...(found.patience !== undefined && { patience: found.patience }),
    },
    seed: '7',
    warp: 1,
    signal: new AbortController().signal,
    events,
    nodes: (selector) =>
      names
        .filter((name) =>
          selector === '*'
            ? true
            : selector === 'joiner'
              ? name.startsWith('joiner')
              : name.startsWith('holder'),
        )
        .map((name) => ({ name, role: name.split('-')[0] ?? '', address: '' })),
    guestPlace: () => ({ networkId: '', labels: {} }),
    admin: async (node, _method, path, body) => {
      asked.push({ node, path, body });
      const answer = answers[path];
      const refused = refuses[path];
      if (refused !== undefined) return { status: refused, body: '{}' };
      return answer ? { status: 200, body: JSON.stringify(answer(node)) } : { status: 404, body: '{}' };
    },
    relaunch: async () => undefined,
    replace: async () => undefined,
    emit: (event, fields) => say('harness', event, { ...fields }),
    wait: async () => undefined,
    until: async (_condition, within) => void waited.push(within),
  };
  const run = async (): Promise<void> => {
    for (const step of [populated, joined, counted]) if ('run' in step) await step.run(trial);
  };
  return { asked, events, waited, run };
}

const REHEARSED = ['ant-join-smoke', 'ant-join-wave', 'fetch-join-smoke', 'fetch-join-busy'];
/** What a release manager is shown: times, bytes, attempts by outcome, drops by reason, trust, parking, locks, machines, keys. */
const TABLE = [
  ...['drainMedianS', 'drainSlowestS', 'undrained', 'drainedEmpty', 'storedBytes', 'bytesPerNeeded'],
  ...['attemptsOk', 'attemptsTimeout', 'attemptsBusy', 'attemptsFailed', 'attemptsCancelled'],
  ...['dropsPerPeer', 'dropsPool', 'dropsOfHolders', 'trustPenalties', 'trustPenaltiesOfHolders'],
  ...['oldestParkedMs', 'healthOverflow', 'lockWaitMs', 'lockHoldMs', 'nodeCpuMs', 'nodeMemoryMostBytes'],
  ...['holderCpuMs', 'holderMemoryMostBytes', 'hostBusyRatio', 'hostLoadMost', 'hostMemoryFreeLeastBytes'],
  ...['keysUnderQuorum', 'keysMissing', 'keysLost', 'keysGone'],
];
const NINE = Array.from({ length: 9 }, (_, index) => `holder-${index + 1}`);
const TWELVE = {
  nodes: [...NINE, 'joiner-1', 'joiner-2', 'joiner-3'].map((name) => ({ name, role: name.split('-')[0] })),
} as unknown as Parameters<typeof endMeasures>[0];

/**
 * Sixteen keys at each of nine holders, and three joiners that call themselves drained: whether these stored what is theirs, never had
 * it, or said that they did.
 */
function endOfWave(joiners: 'keep' | 'lack' | 'forget'): RecordedEvent[] {
  const keys = Array.from({ length: 16 }, (_, index) => index.toString(16).repeat(64));
  const say = (node: string, event: string, fields: Record<string, unknown> = {}): RecordedEvent => ({
    node,
    event,
    atNs: event === 'keys.held' ? 60e9 : 0,
    fields,
  });
  return [
    ...TWELVE.nodes.map(({ name }, index) =>
      say('harness', 'peer.known', { of: name, peer: index.toString(16).repeat(64) }),
    ),
    say('holder-1', 'set.listed', { keys }),
    ...TWELVE.nodes.flatMap(({ name, role }) => [
      ...(role === 'joiner'
        ? [say('harness', 'wave.began', { joiner: name }), say(name, 'bootstrap.drained')]
        : []),
      ...(role === 'joiner' && joiners !== 'lack'
        ? keys.map((key) => say(name, 'chunk.stored', { key, bytes: 9 }))
        : []),
      ...(role === 'holder' || joiners === 'keep' ? [say(name, 'keys.held', { keys })] : []),
    ]),
  ];
}

describe('a join wave', () => {
  it('lays the set into the holders of real nodes before any of them starts, and joiners start with nothing', async () => {
    const { asked, events, run } = bed('ant-node');
    await run();
    const paths = asked.filter(({ path }) => path !== '/state').map(({ node, path }) => `${node} ${path}`);
    expect(paths.slice(0, 7)).to.deep.equal([
      'holder-1 /populate',
      'holder-2 /populate',
      'holder-1 /tell-held',
      'holder-2 /tell-held',
      'holder-1 /tell-set',
      'holder-1 /start',
      'holder-2 /start',
    ]);
    expect(asked.find(({ path }) => path === '/populate')?.body).to.deep.equal({
      seed: '7',
      count: 20,
      minBytes: 100,
      maxBytes: 100,
      peers: ['1'.repeat(64), '2'.repeat(64)],
      group: 9,
    });
    expect(paths.filter((path) => path.startsWith('joiner') && path.endsWith('/populate'))).to.deep.equal([]);
    expect(placementOf(events)).to.include({ keys: 2, lost: 0, gone: 0 });
  });

  it('starts batches one after the other, each when the one before has drained', async () => {
    const { events, run } = bed('ant-node');
    await run();
    const order = events
      .filter(
        ({ event, node }) => event === 'wave.began' || (event === 'bootstrap.drained' && node !== 'holder-1'),
      )
      .map(
        ({ event, node, fields }) =>
          `${event === 'wave.began' ? 'began' : 'drained'} ${fields['joiner'] ?? node}`,
      )
      .filter((one) => one.includes('joiner'));
    expect(order).to.deep.equal([
      'began joiner-1',
      'began joiner-2',
      'drained joiner-1',
      'drained joiner-2',
      'began joiner-3',
      'drained joiner-3',
    ]);
  });

  it('plays the same on stand-ins, whose holders have the set already', async () => {
    const { asked, events, run } = bed('fetch-node');
    await run();
    expect(asked.some(({ path }) => path === '/populate')).to.equal(false);
    expect(asked.filter(({ path }) => path === '/join').map(({ node }) => node)).to.deep.equal([
      'joiner-1',
      'joiner-2',
      'joiner-3',
    ]);
    expect(placementOf(events)).to.include({ keys: 2, lost: 0, underQuorum: 0, gone: 0 });
    expect(events.filter(({ event }) => event === 'host.sampled')).to.have.length(2);
    const spent = events.filter(({ event }) => event === 'node.spent').map(({ fields }) => fields);
    expect(spent.map(({ of }) => of)).to.have.members([
      'holder-1',
      'holder-2',
      'joiner-1',
      'joiner-2',
      'joiner-3',
    ]);
    expect(spent[0]).to.include({ cpuMs: 12, rssBytes: 34 });
  });

  for (const [what, kind, found, problem] of [
    [
      'finds another number than was laid in',
      'ant-node',
      { opened: 0 },
      'holder-1 found 0; expected 20 chunks',
    ],
    ['does not say what it found', 'ant-node', { opened: null }, 'holder-2 did not say what it found'],
    [
      'was laid less than its part',
      'ant-node',
      { laid: 19, opened: 19 },
      '38 chunks were laid in all; expected 40',
    ],
    ['is a stand-in without a chunk', 'fetch-node', { keys: [] }, 'holder-1, holder-2 has no chunk'],
  ] as const) {
    it(`ends before the wave where a holder ${what}`, async () => {
      const { run, events } = bed(kind, {}, found);
      const error = await run().catch((caught: unknown) => caught);
      expect(error).to.have.property('code', 'not-populated');
      expect(String(error)).to.include(problem);
      expect(events.filter(({ event }) => event === 'wave.began')).to.deep.equal([]);
    });
  }

  it('ends where a node refuses what it is asked', async () => {
    const { run } = bed('ant-node', { '/start': 409 });
    const error = await run().catch((caught: unknown) => caught);
    expect(error).to.have.property('code', 'admin-refused');
    expect(String(error)).to.include('holder-1: answered 409 to POST /start');
  });

  it('has the measures that the rehearsals of all topologies name', async () => {
    const { scenarios } = await loadSuite('suites/ant');
    expect(scenarios.map(({ name }) => name)).to.include('join-wave');
    const names = joinWave.measures.map(({ name }) => name);
    for (const name of REHEARSED) {
      const { primary, noMore = [], secondary, noLoss } = readRehearsal(`topologies/${name}.yaml`);
      const compared = [primary, ...noMore, ...secondary].map(({ measure }) => measure);
      expect(names).to.include.members(compared.concat(noLoss));
    }
    expect(registeredMeasures()).to.include.members([...joinWave.measure]);
  });

  it('compares all that the table of a release needs, on every topology', () => {
    for (const name of REHEARSED) {
      const { primary, noMore = [], secondary, noLoss } = readRehearsal(`topologies/${name}.yaml`);
      const shown = [primary, ...noMore, ...secondary].map(({ measure }) => measure).concat(noLoss);
      expect(shown, name).to.include.members(TABLE);
      const onlyReal = ['dropsOfExternal', 'trustPenaltiesOfExternal'];
      if (name.startsWith('ant-')) expect(shown, name).to.include.members(onlyReal);
    }
  });

  it('grows without a verdict: nothing is asked of the wave, and each size has its figures', async () => {
    const { scenarios } = await loadSuite('suites/ant');
    const scenario = scenarios.find(({ name }) => name === 'capacity');
    if (!scenario) throw new Error('no scenario "capacity"');
    const { points, record } = makePlan({ selections: [{ scenario }], command: [] });
    expect(points.map(({ topology }) => topology.nodes.length)).to.deep.equal([30, 60, 100]);
    const own = record.scenarios[0]?.checks.map(({ title }) => title) ?? [];
    expect(own).to.include('no event was lost');
    expect(own).to.not.include('no key is lost');
    const measures = new Set(scenario.measures.map(({ name }) => name));
    for (const { measure, where } of scenario.aggregates ?? []) {
      expect(measures.has(measure), measure).to.equal(true);
      expect(points.filter(({ point }) => point['holders'] === where['holders'])).to.have.length(1);
    }
  });

  it('gives holders as long for their own bootstrap as its point says', async () => {
    const { waited, run } = bed('ant-node', {}, { patience: 1_200_000 });
    await run();
    expect(waited).to.deep.equal(['1200000ms']);
    const usual = bed('ant-node');
    await usual.run();
    expect(usual.waited).to.deep.equal(['300000ms']);
  });

  it('is the same wave for the real node and for its stand-in, each with settings that its image has', async () => {
    const { scenarios } = await loadSuite('suites/ant');
    const scenario = scenarios.find(({ name }) => name === 'agreement');
    if (!scenario) throw new Error('no scenario "agreement"');
    const plan = makePlan({ selections: [{ scenario }], command: [] });
    const kinds = plan.points.map(({ topology }) => [
      ...new Set(topology.nodes.map(({ role, image }) => `${role} ${JSON.stringify(image)}`)),
    ]);
    expect(plan.points).to.have.length(2);
    expect(kinds[0]?.join()).to.match(/holder.*ant-node.*joiner.*ant-node/);
    expect(kinds[1]?.join()).to.match(/holder.*fetch-node.*joiner.*fetch-node/);
    const compared = (scenario.comparisons ?? []).flatMap(({ primary, secondary }) => [
      primary,
      ...(secondary ?? []),
    ]);
    const names = scenario.measures.map(({ name }) => name);
    expect(names).to.include.members(compared.map(({ measure }) => measure));
    expect(new Set(compared.map(({ better }) => better))).to.deep.equal(new Set(['same']));
  });

  /** What decides at once in such a wave, and what decides by comparison. */
  const wrongAt = (topology: string, joiners: Parameters<typeof endOfWave>[0]) => {
    const { noLoss, noMore = [] } = readRehearsal(`topologies/${topology}.yaml`);
    const measures = endMeasures(TWELVE, endOfWave(joiners));
    expect(measures).to.include({ keysLost: 0, keysInSet: 16 });
    const wrong = (names: readonly string[]) => names.filter((name) => Number(measures[name]) > 0);
    return { atOnce: wrong(noLoss), compared: wrong(noMore.map(({ measure }) => measure)) };
  };

  for (const topology of REHEARSED) {
    const isReal = topology.startsWith('ant-');

    it(`fails on ${topology} at once by a joiner that forgets what it stored, though nine holders have every key`, () => {
      expect(wrongAt(topology, 'forget').atOnce).to.include('keysGone');
      expect(wrongAt(topology, 'keep')).to.deep.equal({ atOnce: [], compared: [] });
    });

    it(`${isReal ? 'compares' : 'fails'} on ${topology} what a drained joiner never had`, () => {
      expect(wrongAt(topology, 'lack')).to.deep.equal(
        isReal ? { atOnce: [], compared: ['keysMissing'] } : { atOnce: ['keysMissing'], compared: [] },
      );
    });
  }

  it('does not hold what a release misses of itself against a candidate that misses as much, and refuses one that misses more', () => {
    const { noMore: rules = [], noLoss } = readRehearsal('topologies/ant-join-smoke.yaml');
    const noMore = rules.map(({ measure, better, margin }) => ({ measure, better, margin }));
    expect(noMore).to.have.length(1);
    const compare = (missing: readonly number[]) => {
      const side = (name: string, values: readonly number[]) =>
        values.map((keysMissing, index) => ({
          point: { side: name },
          pointId: name,
          trial: index + 1,
          seed: String(index),
          outcome: 'completed' as const,
          counted: true,
          measures: { drainMedianS: 60 + index, keysMissing, keysLost: 0, keysGone: 0 },
        }));
      const sides = { parameter: 'side', baseline: 'release', candidate: 'next' };
      const primary = { measure: 'drainMedianS', better: 'lower', margin: 5 } as const;
      const about = { suite: 'ant', scenario: 'join-wave', measures: joinWave.measures };
      return compareSides({ title: 'wave', ...sides, primary, noMore, noLoss }, about, [
        ...side('release', [28, 33, 25, 30, 31]),
        ...side('next', missing),
      ]);
    };
    expect(compare([30, 27, 32, 26, 31])).to.include({ verdict: 'pass', outcome: 'no worse' });
    // One in twenty of the set more, as the forgetful stand-in.
    expect(compare([40, 37, 42, 36, 41])).to.include({ verdict: 'fail', outcome: 'worse' });
  });
});
