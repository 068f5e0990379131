import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import { ensureImage, readImages } from '../../image/index.ts';
import { resolveTopologyText } from '../../topology/index.ts';
import { matchEvent } from '../match-event.ts';
import { startTestBed, talkerTopology, testEngine } from './test-bed.ts';

describe('a node of somebody else’s image', function () {
  this.timeout(120_000);
  let engine: Engine;
  before(async () => {
    engine = await testEngine();
  });
  after(() => engine.close());

  it('tells its story by its log, and is ready when the story says so', async () => {
    const topology = await talkerTopology(
      engine,
      ['paced', '50', '100'],
      `
    readiness: {event: line.seen}
    adapters:
      - {source: stdout, match: {regex: '^line (?<number>\\d+) x+$'}, event: line.seen, fields: {number: number}}
      - {source: stdout, match: {regex: 'never said'}, event: nothing}
`,
    );
    const bed = await startTestBed(engine, topology);
    try {
      const last = { event: 'line.seen', where: { number: 49 } };
      await bed.events.waitFor(matchEvent(last), { withinMs: 30_000, since: 0 });
      const numbers = bed.events
        .since(0)
        .flatMap(({ event, fields }) => (event === 'line.seen' ? [fields['number']] : []));
      expect(numbers).to.deep.equal(Array.from({ length: 50 }, (_, index) => index));
      expect(
        bed.adapterReports().map(({ event, matched, unmatched }) => [event, matched, unmatched]),
      ).to.deep.equal([
        ['line.seen', 50, 0],
        ['nothing', 0, 50],
      ]);
    } finally {
      await bed.remove();
    }
  });

  it('tells it by a file inside it, without a shell there', async () => {
    const topology = await talkerTopology(
      engine,
      ['wait'],
      `
    adapters:
      - {source: file, path: /etc/hostname, every: 50ms, match: {regex: '^(?<name>\\S+)$'}, event: host.named, fields: {name: name}}
`,
    );
    const bed = await startTestBed(engine, topology);
    try {
      const named = await bed.events.waitFor(matchEvent({ event: 'host.named' }), {
        withinMs: 30_000,
        since: 0,
      });
      expect(named.fields).to.deep.equal({ name: 'talker-1' });
    } finally {
      await bed.remove();
    }
  });

  it('tells it by a page on its loopback: an event for every change, not for every look', async () => {
    const { reference } = await ensureImage(engine, { kind: 'ours', name: 'memberlist-node' });
    const text = `
name: foreign
description: our own image as if it were somebody else's
nodes:
  - role: peer
    count: 2
    image: ${reference}
    env: {SQUALL_JOIN: '{addresses:peer}'}
    readiness: {http: {port: 7100, path: /healthz, status: 200}}
    adapters:
      - source: http
        url: http://127.0.0.1:7100/state
        every: 50ms
        match: {jsonpath: '$.counts.alive'}
        event: peers.counted
        fields: {alive: '$.counts.alive'}
`;
    const bed = await startTestBed(
      engine,
      resolveTopologyText(text, 'test.yaml', {}, { images: readImages() }),
    );
    try {
      const both = { event: 'peers.counted', nodes: ['peer-1'], where: { alive: 2 } };
      await bed.events.waitFor(matchEvent(both), { withinMs: 30_000, since: 0 });
      const looks = (): number => bed.adapterReports().find(({ node }) => node === 'peer-1')?.matched ?? 0;
      const before = looks();
      while (looks() < before + 5) await new Promise((resolve) => setTimeout(resolve, 20));
      const counted = bed.events
        .since(0)
        .filter(({ node, event }) => node === 'peer-1' && event === 'peers.counted');
      expect(counted.length).to.be.lessThan(4);
    } finally {
      await bed.remove();
    }
  });
});
