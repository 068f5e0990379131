import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { squallHere } from './in-process.ts';

/** What a fault needs that can work on the nodes below; each row of the test spoils one. */
const STREAM = { from: 'member', to: 'storage', ports: [22021] };

describe('squall plan', function () {
  // The first call loads the command and all that it stands on; a busy machine takes its time.
  this.timeout(60_000);

  let dir: string;
  before(() => {
    dir = mkdtempSync(join(tmpdir(), 'squall-plan-'));
    const topology = {
      name: 'mixed',
      nodes: [
        { role: 'member', count: 2, image: 'memberlist-node' },
        {
          role: 'storage',
          image: 'session-storage',
          settings: { registry: 'r@198.18.0.9' },
          resources: { tmpfs: '16MiB' },
        },
        { role: 'web', image: 'nginx:1.27' },
      ],
    };
    writeFileSync(join(dir, 'mixed.yaml'), stringify(topology));
  });
  after(() => rmSync(dir, { recursive: true }));

  async function plan(fault: object): ReturnType<typeof squallHere> {
    const file = join(dir, 'one.scenario.yaml');
    const scenario = {
      name: 'one',
      description: 'one fault',
      topology: 'mixed',
      bed: 'fresh',
      trials: 1,
      phases: [{ name: 'fault', steps: [{ fault }] }],
      checks: [
        { check: 'no-event', title: 'nobody dies', kind: 'invariant', parameters: { event: 'member.dead' } },
      ],
    };
    writeFileSync(file, stringify(scenario));
    return await squallHere('plan', file);
  }

  for (const [what, fault, sentence] of [
    [
      'a jitter above the delay',
      { kind: 'delay', on: 'member', delayMs: 1, jitterMs: 2, for: '5s' },
      /at most delayMs/,
    ],
    [
      'duplicating what comes in',
      { kind: 'duplicate', on: 'member', direction: 'in', duplicateRatio: 0.5, for: '5s' },
      /handed over twice/,
    ],
    [
      'a stream fault without the other end',
      { kind: 'blackhole-stream', on: 'member', for: '5s' },
      /no other end/,
    ],
    [
      'a stream fault without a port',
      { kind: 'blackhole-stream', ...STREAM, ports: undefined, for: '5s' },
      /no port/,
    ],
    [
      'UDP through Toxiproxy',
      { kind: 'blackhole-stream', ...STREAM, protocol: 'udp', for: '5s' },
      /TCP only/,
    ],
    ['a restart with a length', { kind: 'restart', on: 'member-1', for: '5s' }, /give no length/],
    [
      'a variant that there is not',
      { kind: 'restart', on: 'member-1', variant: 'booth' },
      /"booth": memberlist-node has none/,
    ],
    ['a variant of a foreign image', { kind: 'restart', on: 'web', variant: 'both' }, /foreign image/],
    ['a full disk without a tmpfs', { kind: 'disk-full', on: 'member', for: '5s' }, /no tmpfs/],
    [
      'a clock offset of a static program',
      { kind: 'clock-offset', on: 'member', offsetMs: 1, for: '5s' },
      /statically linked/,
    ],
    [
      'a clock offset without libfaketime',
      { kind: 'clock-offset', on: 'storage', offsetMs: 1, for: '5s' },
      /no libfaketime/,
    ],
    [
      'a storm where no request is answered',
      { kind: 'storm-421', on: 'member', for: '5s' },
      /no \/storm switch/,
    ],
    ['a storm of a foreign image', { kind: 'storm-421', on: 'web', for: '5s' }, /no \/storm switch/],
  ] as const) {
    it(`refuses ${what}, before anything is started`, async () => {
      const { error, stdout } = await plan(fault);
      expect(error, stdout).to.include({ blame: 'input' });
      expect(error?.message)
        .to.match(sentence)
        .and.to.match(/^scenario one at .*one\.scenario\.yaml:\d+:\d+/);
    });
  }

  for (const fault of [
    { kind: 'blackhole-stream', ...STREAM, for: '5s' },
    { kind: 'restart', on: 'member-1', variant: 'both' },
    { kind: 'restart', on: 'web', image: 'nginx:1.28' },
    { kind: 'disk-full', on: 'storage', for: '5s' },
    { kind: 'storm-421', on: 'storage', for: '5s' },
    { kind: 'clock-offset', on: 'web', offsetMs: '49h', for: '5s' },
  ]) {
    it(`takes ${JSON.stringify(fault)}`, async () => {
      const { error, stdout } = await plan(fault);
      expect(error).to.equal(undefined);
      expect(stdout).to.include('one');
    });
  }
});
