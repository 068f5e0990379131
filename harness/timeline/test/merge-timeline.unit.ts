import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { sampleTrial } from '../../record/test/sample-record.ts';
import { mergeTimeline, type TimelineFilter } from '../index.ts';

const START = Date.parse('2026-11-30T08:00:00.000Z');

describe('a merged timeline', () => {
  let dir: string;
  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-timeline-'));
    mkdirSync(join(dir, 'logs'));
    const node = (name: string) => ({
      name,
      role: 'member',
      image: 'x',
      imageId: 'x',
      address: '198.18.0.10',
      containerId: 'c',
      log: { path: `logs/${name}.log`, lines: 3, bytes: 1, truncated: false, lostLines: 0 },
    });
    const trial = {
      ...sampleTrial(),
      startedAt: new Date(START).toISOString(),
      startNs: 1e9,
      endNs: 9e9,
      nodes: [node('member-1'), node('member-2')],
      phases: [{ name: 'fault', startNs: 1e9, endNs: 5e9 }],
      faults: [
        {
          id: 'cut',
          kind: 'hold',
          targets: ['member-1'],
          selector: 'pick(1,member)',
          settings: {},
          appliedNs: 2e9,
          liftedNs: 4e9,
          bit: true,
          gone: true,
          problems: [],
        },
      ],
    };
    writeFileSync(join(dir, 'trial.json'), JSON.stringify(trial));
    writeFileSync(
      join(dir, 'events.jsonl'),
      `${JSON.stringify({ node: 'member-2', event: 'member.dead', atNs: 4.5e9, fields: { member: 'member-1' } })}\n`,
    );
    writeFileSync(
      join(dir, 'logs', 'member-1.log'),
      [
        'booting',
        '{"event":"ready","monoNs":1500000000}',
        'free after ready',
        '2026/11/30 08:00:02 [WARN] by wall clock',
        '',
      ].join('\n'),
    );
    writeFileSync(
      join(dir, 'logs', 'member-2.log'),
      [
        '{"event":"member.dead","monoNs":4500000000}',
        '2026-11-30T09:00:01.5+01:00 late, but after what stood before it',
        '',
      ].join('\n'),
    );
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  async function merged(filter: Partial<TimelineFilter> = {}): Promise<string[]> {
    const lines: string[] = [];
    for await (const { offsetMs, node, text, certainty } of mergeTimeline(dir, {
      events: true,
      lines: true,
      ...filter,
    })) {
      lines.push(`${offsetMs} ${node} ${certainty} ${text.slice(0, 24)}`);
    }
    return lines;
  }

  it('puts phases, faults, events and free lines of all nodes in one order', async () => {
    expect(await merged()).to.deep.equal([
      '0 harness exact phase fault',
      '0 member-1 after booting',
      '500 member-1 after free after ready',
      '1000 harness exact fault cut (hold on pick(',
      '2000 member-1 wall 2026/11/30 08:00:02 [WAR',
      '3000 harness exact fault cut lifts',
      '3500 member-2 exact member.dead member="memb',
      '3500 member-2 wall 2026-11-30T09:00:01.5+01',
    ]);
  });

  it('keeps only the nodes, the span and the text asked for, and shows events as lines where events are left out', async () => {
    const only = await merged({ nodes: new Set(['member-1']), fromMs: 100, toMs: 2_500 });
    expect(only.map((line) => line.split(' ')[0])).to.deep.equal(['500', '1000', '2000']);
    expect((await merged({ pattern: /dead/ })).filter((line) => !line.includes('harness'))).to.deep.equal([
      '3500 member-2 exact member.dead member="memb',
    ]);
    expect((await merged({ events: false })).some((line) => line.includes('{"event":"ready"'))).to.equal(
      true,
    );
    expect((await merged({ lines: false })).length).to.equal(4);
  });
});
