import { choice, count, decimal, durationMs, flag, ratio, sizeBytes, text } from '../setting-types.ts';
import type { FaultReference } from './fault-reference.ts';

/** Faults of processes and their resources, by the engine, the kernel and the nodes themselves. */
export const NODE_KIND_REFERENCES: readonly FaultReference[] = [
  {
    kind: 'storm-421',
    maker: 'node',
    feels:
      'requests are answered 421 by nodes that no longer own the account, or lie; living connections stay open',
    settings: {
      ratio: ratio('share of requests answered 421', { default: 1 }),
      redirect: choice(
        'whom the answer names',
        [
          'honest',
          'none',
          'itself',
          'other-swarm',
          'unknown',
          'partly-unknown',
          'duplicates',
          'bounce',
          'false-addresses',
          'garbage',
        ],
        'honest',
      ),
      echo: choice(
        'the account that it repeats; own: as the node’s version has it',
        ['own', 'none', 'account', 'other'],
        'own',
      ),
      at: text(
        'where: direct, batch, onion, relay (in plain text, on a path); a comma list',
        'direct,batch,onion',
      ),
      status: count('HTTP status', 'what is answered, or forged by a relay', {
        default: 421,
        min: 400,
        max: 599,
      }),
      account: text('about that account alone; empty: all', ''),
      named: count('nodes', 'at most so many are named; 0: all', { default: 0 }),
      sticky: flag('a connection that met it keeps it until it ends', false),
    },
    link: [],
    bite: ['storm421'],
    caveats: ['Only nodes of ours with a /storm admin path can do it.'],
    example: "squall fault storm-421 --on 'storage[1..3]' --redirect bounce --for 1m",
  },
  {
    kind: 'pause',
    maker: 'engine',
    feels: 'the process stands still (frozen cgroup): timers do not run, sockets fill up',
    settings: {},
    link: [],
    bite: ['paused'],
    caveats: [],
    example: "squall fault pause --on 'member-1' --for 10s",
  },
  {
    kind: 'kill',
    maker: 'engine',
    feels: 'SIGKILL; the address answers nothing until the fault is lifted and the node runs again',
    settings: {
      signal: choice('signal sent', ['SIGKILL', 'SIGTERM', 'SIGABRT', 'SIGINT', 'SIGHUP'], 'SIGKILL'),
    },
    link: [],
    bite: ['stopped'],
    caveats: [
      'A new run of the node has a new network namespace; packet faults in force on it are applied again.',
    ],
    example: "squall fault kill --on 'pick(3,member)' --for 20s",
  },
  {
    kind: 'stop',
    maker: 'engine',
    feels: 'an orderly stop (SIGTERM, then SIGKILL); the node runs again when the fault lifts',
    settings: {
      graceMs: durationMs('time between SIGTERM and SIGKILL', { default: 10_000 }),
    },
    link: [],
    bite: ['stopped'],
    caveats: [
      'A new run of the node has a new network namespace; packet faults in force on it are applied again.',
    ],
    example: 'squall fault stop --on relay-1 --for 30s',
  },
  {
    kind: 'restart',
    maker: 'engine',
    feels: 'the process is stopped and started at once, as it was or as another variant or version',
    settings: {
      graceMs: durationMs('time between SIGTERM and SIGKILL', { default: 10_000 }),
      signal: choice('how it is stopped', ['SIGTERM', 'SIGKILL'], 'SIGTERM'),
      variant: text('variant of the image to come back as; empty: the same', ''),
      image: text('image to come back as; empty: the same', ''),
    },
    link: [],
    bite: ['restarted'],
    caveats: [
      'A plain restart is over when the node runs again, so a length is refused; as another variant or version it stays until it is lifted.',
      'As another variant or version it is a new container. It finds the files that its image says it keeps (`keeps` of image.json, as ant-node’s store and identity), unless they lie on a tmpfs; other images begin with none.',
    ],
    example: 'squall fault restart --on member-1 --set variant=both',
  },
  {
    kind: 'disk-full',
    maker: 'engine',
    feels: 'writes fail with ENOSPC',
    settings: {
      path: text('directory on a tmpfs of the node to fill', '/data'),
      leaveBytes: sizeBytes('bytes left free', { default: 0 }),
    },
    link: [],
    bite: ['filledBytes'],
    caveats: ['Only where the topology gives the node a tmpfs (tmpfsBytes): a real disk is never filled.'],
    example: 'squall fault disk-full --on storage-1 --for 1m --set path=/data',
  },
  {
    kind: 'memory-limit',
    maker: 'engine',
    feels: 'allocations beyond the limit get the process killed by the kernel',
    settings: { memoryBytes: sizeBytes('limit of the container', { min: 6 * 1024 * 1024 }) },
    link: [],
    bite: ['limited'],
    caveats: ['A limit below what is in use is refused by the kernel.'],
    example: 'squall fault memory-limit --on storage-1 --for 1m --set memoryBytes=64MiB',
  },
  {
    kind: 'cpu-quota',
    maker: 'engine',
    feels: 'the node gets a share of the processor',
    settings: { cpus: decimal('cpus', 'processors that it may use, e.g. 0.1', { min: 0.01, max: 1_024 }) },
    link: [],
    bite: ['limited'],
    caveats: [],
    example: 'squall fault cpu-quota --on storage-1 --for 1m --set cpus=0.1',
  },
  {
    kind: 'clock-offset',
    maker: 'engine',
    feels: 'the wall clock of the node is wrong by an offset',
    settings: { offsetMs: durationMs('offset of the wall clock', { min: -315_360_000_000 }) },
    link: [],
    bite: ['offset'],
    caveats: [
      'Through libfaketime, preloaded and listening to a file: dynamically linked images that carry it only; refused for static binaries.',
    ],
    example: 'squall fault clock-offset --on storage-1 --for 1m --set offsetMs=49h',
  },
];
