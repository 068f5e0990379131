import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { satisfies } from '../../../../harness/check/index.ts';
import type { MeasureValue, RecordedEvent } from '../../../../harness/index.ts';
import { matchesPoint } from '../../../../harness/record/index.ts';
import { idOf } from '../../../../images/fetch-node/index.ts';
import { LoopbackBed, type NodeSpec } from '../../../../images/fetch-node/test/loopback-bed.ts';
import { drainMeasures, endMeasures, fetchMeasures } from '../../wave-measures.ts';
import { refusalMeasures } from '../measures.ts';
import { mixedWave, versionWave } from '../waves.ts';

type Measures = Readonly<Record<string, MeasureValue>>;

interface Group {
  readonly role: string;
  readonly count: number;
  readonly image: string;
  readonly settings: Readonly<Record<string, string | number>>;
}

/** Chunks of this process are small, so that holders take a moment to serve them. */
const COMMON = { SQUALL_CHUNK_COUNT: '200', SQUALL_CHUNK_BYTES: '512', SQUALL_SERVE_MS: '20' };
const WATCHED_MS = 480_000;

/** Nodes of a topology as nodes of this process. @param variants in place of the image's, by role */
function nodesOf(topology: string, variants: Readonly<Record<string, string>>): Map<string, NodeSpec> {
  const { nodes } = parse(readFileSync(`topologies/${topology}.yaml`, 'utf8')) as {
    readonly nodes: readonly Group[];
  };
  const counts = new Map<string, number>();
  const all = new Map<string, NodeSpec>();
  for (const { role, count, image, settings } of nodes) {
    const { peers: _p, incumbents: _i, storePath: _s, chunkCount: _c, ...own } = settings;
    const env = Object.fromEntries(
      Object.entries(own).map(([name, value]) => [
        `SQUALL_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
        String(value),
      ]),
    );
    for (let made = 0; made < count; made += 1) {
      const number = (counts.get(role) ?? 0) + 1;
      counts.set(role, number);
      all.set(`${role}-${number}`, { variant: variants[role] ?? image.split('@')[1] ?? '', env });
    }
  }
  return all;
}

/** A wave on a clock that is led, and what it is measured by. */
async function play(nodes: ReadonlyMap<string, NodeSpec>, variant: string): Promise<Measures> {
  const names = [...nodes.keys()];
  const joiners = names.filter((name) => name.startsWith('joiner'));
  const bed = new LoopbackBed(names, COMMON);
  const tell = (event: string, fields: Readonly<Record<string, unknown>>): void =>
    void bed.told.push({ ...fields, by: 'harness', event, atMs: bed.clock.nowMs() });
  try {
    await bed.start(Object.fromEntries(nodes));
    for (const of of names) tell('peer.known', { of, peer: idOf(of) });
    tell('set.listed', { keys: [...new Set(names.flatMap((name) => [...bed.node(name).store.keys()]))] });
    for (const joiner of joiners) tell('wave.began', { joiner });
    await Promise.all(joiners.map((joiner) => bed.node(joiner).join()));
    const untilMs = bed.clock.nowMs() + WATCHED_MS;
    const drained = (): boolean => bed.events('bootstrap.drained').length >= joiners.length;
    await bed.until(() => drained() || bed.clock.nowMs() >= untilMs);
    for (const of of names) tell('keys.held', { of, keys: [...bed.node(of).store.keys()] });
    const events = bed.told.map(
      ({ by, event, atMs, ...fields }): RecordedEvent => ({ node: by, event, atNs: atMs * 1e6, fields }),
    );
    const trial = {
      point: { variant, watch: WATCHED_MS },
      warp: 1,
      faults: [],
      nodes: names.map((name) => ({ name, role: name.split('-')[0], image: 'fetch-node' })),
    } as unknown as Parameters<typeof endMeasures>[0];
    return {
      ...drainMeasures(trial, events),
      ...fetchMeasures(trial, events),
      ...refusalMeasures(trial, events),
      ...endMeasures(trial, events),
    };
  } finally {
    const stopped = bed.stop();
    // What is being served takes its time.
    await bed.pass(1_000);
    await stopped;
  }
}

/** Titles of the bounds that these measures break, of those that are asked of a version. */
function broken({ checks }: typeof versionWave, variant: string, measures: Measures): readonly string[] {
  return checks.flatMap(({ check, title, where, parameters }) => {
    if (check !== 'measure-bound' || !matchesPoint({ variant }, where)) return [];
    const { measure, op, value } = parameters as { measure: string; op: '='; value: number };
    const own = measures[measure];
    return typeof own === 'number' && satisfies(own, op, value) ? [] : [title];
  });
}

describe('waves of each version, in one process', () => {
  const among = (variant: string) =>
    play(nodesOf('fetch-join-smoke', { holder: 'share+busy', joiner: variant }), variant);
  const amongMixed = (variant: string) => play(nodesOf('fetch-mixed', { joiner: variant }), variant);
  const played = new Map<string, Promise<Measures>>();
  const mixedOnce = (variant: string): Promise<Measures> => {
    const wave = played.get(variant) ?? amongMixed(variant);
    played.set(variant, wave);
    return wave;
  };

  for (const variant of ['before', 'share', 'busy', 'share+busy']) {
    it(`${variant} keeps what is asked of it, among holders that answer and among mixed ones`, async () => {
      const [one, other] = [await among(variant), await mixedOnce(variant)];
      expect(broken(versionWave, variant, one), JSON.stringify(one)).to.deep.equal([]);
      expect(broken(mixedWave, variant, other), JSON.stringify(other)).to.deep.equal([]);
    }).timeout(60_000);
  }

  it('a joiner that knows no share breaks what is asked of the share', async () => {
    const titles = broken(versionWave, 'share', await among('share-unlimited'));
    expect(titles).to.include.members([
      'with the share nothing is dropped',
      'with the share no fetch times out',
    ]);
  }).timeout(60_000);

  it('a joiner that keeps to the share is not taken for the release', async () => {
    expect(broken(versionWave, 'before', await among('share'))).to.deep.equal(['the release is refused']);
  }).timeout(60_000);

  it('one that forgets chunks breaks what is asked of all', async () => {
    const nodes = nodesOf('fetch-join-smoke', { holder: 'share+busy', joiner: 'forgetful' });
    expect(broken(versionWave, 'share', await play(nodes, 'share'))).to.deep.equal([
      'no drained joiner lacks a key of its own',
    ]);
  }).timeout(60_000);

  it('each change alone is refused less than the release among mixed holders, and both together least', async () => {
    const drops = async (variant: string) => Number((await mixedOnce(variant))['refusedDrops']);
    const [before, share, busy, both] = [
      await drops('before'),
      await drops('share'),
      await drops('busy'),
      await drops('share+busy'),
    ];
    expect(Math.max(share, busy)).to.be.below(before);
    expect(both).to.be.below(Math.min(share, busy));
  }).timeout(60_000);
});
