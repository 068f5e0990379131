import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { checkFaultPlan, FAULT_KINDS, type FaultRequest, type PlannedNode, planFault } from '../index.ts';

const NODES: readonly PlannedNode[] = [
  { name: 'ours', image: 'storage', imageKind: 'ours', adminPort: 7100, cannot: {}, tmpfs: ['/data'] },
  {
    name: 'static',
    image: 'member',
    imageKind: 'ours',
    adminPort: 7100,
    cannot: { 'clock-offset': 'its program is statically linked', 'storm-421': 'it has no /storm switch' },
    tmpfs: [],
  },
  { name: 'theirs', image: 'busybox:1.36', imageKind: 'reference', tmpfs: [] },
];
const BED = {
  nodes: () => NODES,
  select: (selector: string) => NODES.map(({ name }) => name).filter((name) => selector.includes(name)),
};
const PORT = { to: 'theirs', ports: [80] };

/** Least that each kind asks for, so that only what a test is about can be wrong. */
const SETTINGS: Partial<Record<FaultRequest['kind'], FaultRequest['settings']>> = {
  loss: { lossRatio: 0.5 },
  delay: { delayMs: 10 },
  duplicate: { duplicateRatio: 0.5 },
  reorder: { reorderRatio: 0.5 },
  corrupt: { corruptRatio: 0.5 },
  rate: { bytesPerSecond: 1_000 },
  slow: { latencyMs: 10 },
  limit: { bytes: 10 },
  throttle: { bytesPerSecond: 1_000 },
  'stand-in': { by: 'static', byPort: 80 },
  'memory-limit': { memoryBytes: '64MiB' },
  'cpu-quota': { cpus: 0.5 },
  'clock-offset': { offsetMs: 1_000 },
};
const OF_STREAMS = /^(blackhole-stream|blackhole-after|refuse|reset|slow|slice|limit|throttle|stand-in)$/;

function check(request: Partial<FaultRequest> & Pick<FaultRequest, 'kind'>): void {
  const plan = planFault(BED, 'f', { on: 'ours', seed: 's', ...request });
  checkFaultPlan(plan, BED);
}

describe('checkFaultPlan', () => {
  for (const kind of FAULT_KINDS) {
    it(`passes a ${kind} that can work`, () => {
      check({
        kind,
        ...(SETTINGS[kind] && { settings: SETTINGS[kind] }),
        ...(OF_STREAMS.test(kind) && PORT),
      });
    });
  }

  for (const [what, request, code, sentence] of [
    [
      'a jitter above the delay',
      { kind: 'delay', settings: { delayMs: 1, jitterMs: 2 } },
      'bad-fault',
      /at most delayMs/,
    ],
    [
      'duplicating what comes in',
      { kind: 'duplicate', direction: 'in', settings: { duplicateRatio: 1 } },
      'bad-fault',
      /handed over twice/,
    ],
    [
      'a hold that lets everything pass',
      { kind: 'hold', settings: { udp: 'pass', tcp: 'pass', other: 'pass' } },
      'bad-fault',
      /every protocol passes/,
    ],
    [
      'a stream fault without the other end',
      { kind: 'blackhole-stream', ports: [80] },
      'bad-fault',
      /no other end/,
    ],
    ['a stream fault without a port', { kind: 'blackhole-stream', to: 'theirs' }, 'bad-fault', /no port/],
    [
      'a link of a node to itself',
      { kind: 'refuse', to: 'ours', ports: [80] },
      'bad-fault',
      /no link to itself/,
    ],
    [
      'a slice that varies by more than its size',
      { kind: 'slice', ...PORT, settings: { averageBytes: 10, variationBytes: 10 } },
      'bad-fault',
      /less than averageBytes/,
    ],
    [
      'a node that stands in and is not there',
      { kind: 'stand-in', ...PORT, settings: { by: 'nobody', byPort: 1 } },
      'unknown-node',
      /nobody/,
    ],
    ['a restart with a length', { kind: 'restart', forMs: 5 }, 'bad-fault', /give no length/],
    [
      'a full disk without a tmpfs',
      { kind: 'disk-full', on: 'static' },
      'fault-unavailable',
      /static: \/data is no tmpfs/,
    ],
    [
      'a full disk beside the tmpfs',
      { kind: 'disk-full', settings: { path: '/database' } },
      'fault-unavailable',
      /\/database is no tmpfs/,
    ],
    [
      'a full disk on a path that leads out',
      { kind: 'disk-full', settings: { path: '/data/../..' } },
      'fault-unavailable',
      /absolute path without/,
    ],
    [
      'a clock offset of a static program',
      { kind: 'clock-offset', on: 'static', settings: { offsetMs: 1 } },
      'fault-unavailable',
      /statically linked/,
    ],
    [
      'a storm of an image without the switch',
      { kind: 'storm-421', on: 'static' },
      'fault-unavailable',
      /no \/storm/,
    ],
    ['a storm of a foreign image', { kind: 'storm-421', on: 'theirs' }, 'fault-unavailable', /no \/storm/],
  ] as const) {
    it(`refuses ${what}`, () => {
      expect(() => check(request as never))
        .to.throw(SquallError, sentence)
        .that.includes({ code, blame: 'input' });
    });
  }

  it('leaves to the living node what nothing is known of', () => {
    const bed = { ...BED, nodes: () => [{ name: 'ours', image: 'x', imageKind: 'reference' as const }] };
    for (const request of [
      { kind: 'disk-full' },
      { kind: 'clock-offset', settings: { offsetMs: 1 } },
    ] as const) {
      checkFaultPlan(planFault(bed, 'f', { on: 'ours', seed: 's', ...request }), bed);
    }
  });

  it('knows the file systems in memory that every container has', () => {
    check({ kind: 'disk-full', on: 'static', settings: { path: '/dev/shm' } });
  });
});
