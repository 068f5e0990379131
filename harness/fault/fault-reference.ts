import {
  bytesPerSecond,
  choice,
  count,
  decimal,
  durationMs,
  flag,
  ratio,
  type Setting,
  sizeBytes,
  text,
} from './setting-types.ts';
import { FAULT_KINDS, type FaultKind } from './types.ts';

/** Who makes the fault, which decides its limits. */
export type FaultMaker = 'packet agent' | 'engine' | 'toxiproxy' | 'node';

/** All there is to know about a kind of fault: feeds validation, `squall fault --help` and docs/faults.md. */
export interface FaultReference {
  readonly kind: FaultKind;
  readonly maker: FaultMaker;
  /** What the system under test feels, in one line. */
  readonly feels: string;
  readonly settings: Readonly<Record<string, Setting>>;
  /** Link options (`from`, `to`, `direction`, `protocol`, `port`) that mean something for the kind. */
  readonly link: readonly ('to' | 'direction' | 'protocol' | 'ports')[];
  /** Keys of the witness that are summed for the default lower bound of 1. */
  readonly bite: readonly string[];
  readonly caveats: readonly string[];
  readonly example: string;
}

const PACKET_LINK = ['to', 'direction', 'protocol', 'ports'] as const;
const DISPOSITIONS = ['hold', 'drop', 'pass'] as const;
const PROXY_CAVEAT =
  'Connections that are open already are met only where the topology leads the link through Toxiproxy (path: toxiproxy); elsewhere new ones are, and they end when the fault is lifted.';
const ADDRESS_CAVEAT =
  'The server then sees the address of Toxiproxy instead of the client: rate limits and peer checks may act on it.';

const REFERENCES: readonly FaultReference[] = [
  {
    kind: 'hold',
    maker: 'packet agent',
    feels:
      'a blackout: packets are held in both directions and delivered late, in order, at the end; timers run on; the sender notices nothing',
    settings: {
      udp: choice('what happens to UDP', DISPOSITIONS, 'hold'),
      tcp: choice('what happens to TCP (the memberlist document: drop)', DISPOSITIONS, 'hold'),
      other: choice('what happens to ICMP and the rest', DISPOSITIONS, 'hold'),
      pacePps: count('packets/s', 'pace of the release on each node; 0 is all at once', {
        default: 0,
        warp: 'multiply',
      }),
    },
    link: PACKET_LINK,
    bite: ['heldIn', 'heldOut', 'droppedIn', 'droppedOut'],
    caveats: [
      'A release burst may overflow receive buffers: the count stands in the witness; pace it with pacePps.',
    ],
    example: "squall fault hold --on 'member[1..3]' --for 40s --set tcp=drop",
  },
  {
    kind: 'drop',
    maker: 'packet agent',
    feels:
      'a partition: packets vanish, silently to the sender; symmetric, one-way, by peer, port or protocol',
    settings: {},
    link: PACKET_LINK,
    bite: ['droppedIn', 'droppedOut'],
    caveats: [],
    example:
      "squall fault drop --from 'relay[1]' --to proxy --direction out --protocol tcp --port 5223 --for 30s",
  },
  {
    kind: 'loss',
    maker: 'packet agent',
    feels: 'a share of the packets vanishes, chosen from the seed',
    settings: { lossRatio: ratio('share of packets lost, each direction by itself') },
    link: PACKET_LINK,
    bite: ['droppedIn', 'droppedOut'],
    caveats: ['On both ends of a link at once, the ratios multiply.'],
    example: "squall fault loss --on '*' --for 10m --protocol udp --set lossRatio=30%",
  },
  {
    kind: 'delay',
    maker: 'packet agent',
    feels: 'every packet arrives late; order is kept',
    settings: {
      delayMs: durationMs('delay of each packet, each direction by itself'),
      jitterMs: durationMs('uniform jitter around the delay', { default: 0 }),
    },
    link: PACKET_LINK,
    bite: ['delayed'],
    caveats: ['With direction both, a round trip pays the delay twice.'],
    example: 'squall fault delay --on storage --to client --for 2m --set delayMs=100ms --set jitterMs=20ms',
  },
  {
    kind: 'duplicate',
    maker: 'packet agent',
    feels: 'a share of the packets arrives twice',
    settings: { duplicateRatio: ratio('share of packets sent twice') },
    link: PACKET_LINK,
    bite: ['duplicated'],
    caveats: ['Made on the way out only; put it on the sender.'],
    example: 'squall fault duplicate --on member --for 1m --direction out --set duplicateRatio=5%',
  },
  {
    kind: 'reorder',
    maker: 'packet agent',
    feels: 'a share of the packets is overtaken by later ones',
    settings: {
      reorderRatio: ratio('share of packets kept back'),
      delayMs: durationMs('how long a packet that is kept back waits', { default: 50 }),
    },
    link: PACKET_LINK,
    bite: ['reordered'],
    caveats: [],
    example: 'squall fault reorder --on member --for 1m --set reorderRatio=10%',
  },
  {
    kind: 'corrupt',
    maker: 'packet agent',
    feels:
      'bits flip in a share of the packets; detected (bad checksum, so lost late) or not (the application sees it)',
    settings: {
      corruptRatio: ratio('share of packets with a flipped bit'),
      detected: flag('leave the checksum wrong, so that the receiver drops the packet', true),
    },
    link: PACKET_LINK,
    bite: ['corrupted'],
    caveats: [],
    example: 'squall fault corrupt --on member --for 1m --set corruptRatio=1% --set detected=false',
  },
  {
    kind: 'rate',
    maker: 'packet agent',
    feels: 'a thin pipe: packets queue, then overflow',
    settings: {
      bytesPerSecond: bytesPerSecond('capacity, each direction by itself'),
      burstBytes: sizeBytes('burst that passes unhindered', { default: 16_384 }),
      queuePackets: count('packets', 'packets that may wait; more are dropped', { default: 1_000, min: 1 }),
    },
    link: PACKET_LINK,
    bite: ['delayed', 'droppedIn', 'droppedOut'],
    caveats: [],
    example: "squall fault rate --on 'storage-1' --for 2m --set bytesPerSecond=64KiB",
  },
  {
    kind: 'blackhole-connect',
    maker: 'packet agent',
    feels: 'new TCP connections hang: the SYN vanishes; open ones live on',
    settings: {},
    link: ['to', 'direction', 'ports'],
    bite: ['droppedIn', 'droppedOut'],
    caveats: ['Toxiproxy cannot make this one: it completes the handshake itself.'],
    example: 'squall fault blackhole-connect --from proxy --to relay --direction out --port 5223 --for 30s',
  },
  {
    kind: 'blackhole-stream',
    maker: 'toxiproxy',
    feels: 'connect succeeds, then every byte vanishes, from the first one on',
    settings: { stream: choice('which way bytes vanish', ['both', 'upstream', 'downstream'], 'both') },
    link: ['to', 'ports'],
    bite: ['redirected', 'crossedBytes'],
    caveats: [PROXY_CAVEAT, ADDRESS_CAVEAT],
    example: 'squall fault blackhole-stream --from proxy --to relay --port 5223 --for 30s',
  },
  {
    kind: 'blackhole-after',
    maker: 'toxiproxy',
    feels: 'each connection passes its first bytes (handshakes), then loses everything; reconnects included',
    settings: {
      bytes: sizeBytes('bytes that each direction of a connection passes first', { default: 8_192 }),
      stream: choice('which way bytes vanish', ['both', 'upstream', 'downstream'], 'both'),
    },
    link: ['to', 'ports'],
    bite: ['swallowedBytes'],
    caveats: [PROXY_CAVEAT, ADDRESS_CAVEAT, 'Needs our own server, built with the hole_after toxic.'],
    example: 'squall fault blackhole-after --from proxy --to relay --port 5223 --for 30s --set bytes=16KiB',
  },
  {
    kind: 'refuse',
    maker: 'toxiproxy',
    feels: 'connections are refused at once, and open ones are closed',
    settings: {},
    link: ['to', 'ports'],
    bite: ['redirected', 'crossedBytes'],
    caveats: [],
    example: "squall fault refuse --from client --to 'storage[1..3]' --port 22021 --for 20s",
  },
  {
    kind: 'reset',
    maker: 'toxiproxy',
    feels: 'connections are reset (RST) as soon as a byte passes; over when the fault is over',
    settings: { afterMs: durationMs('age at which a connection is reset', { default: 0 }) },
    link: ['to', 'ports'],
    bite: ['redirected', 'crossedBytes'],
    caveats: [PROXY_CAVEAT, ADDRESS_CAVEAT],
    example: 'squall fault reset --from client --to storage --port 22021 --for 10s',
  },
  {
    kind: 'slow',
    maker: 'toxiproxy',
    feels: 'every chunk of a stream is late',
    settings: {
      latencyMs: durationMs('delay of each chunk'),
      jitterMs: durationMs('uniform jitter around it', { default: 0 }),
      stream: choice('which way', ['both', 'upstream', 'downstream'], 'both'),
      shareRatio: ratio('share of connections affected', { default: 1 }),
    },
    link: ['to', 'ports'],
    bite: ['redirected', 'crossedBytes'],
    caveats: [PROXY_CAVEAT, ADDRESS_CAVEAT],
    example: 'squall fault slow --from client --to storage --port 22021 --for 1m --set latencyMs=500ms',
  },
  {
    kind: 'slice',
    maker: 'toxiproxy',
    feels: 'streams arrive in small pieces',
    settings: {
      averageBytes: sizeBytes('average size of a piece', { default: 64, min: 1 }),
      variationBytes: sizeBytes('variation of the size', { default: 32 }),
      delayUs: count('µs', 'pause between pieces', { default: 1_000, warp: 'divide' }),
      stream: choice('which way', ['both', 'upstream', 'downstream'], 'both'),
      shareRatio: ratio('share of connections affected', { default: 1 }),
    },
    link: ['to', 'ports'],
    bite: ['redirected', 'crossedBytes'],
    caveats: [PROXY_CAVEAT, ADDRESS_CAVEAT],
    example: 'squall fault slice --from client --to storage --port 22021 --for 1m',
  },
  {
    kind: 'limit',
    maker: 'toxiproxy',
    feels: 'connections close after a number of bytes',
    settings: {
      bytes: sizeBytes('bytes after which a connection is closed', { min: 1 }),
      stream: choice('which way bytes are counted', ['both', 'upstream', 'downstream'], 'downstream'),
      shareRatio: ratio('share of connections affected', { default: 1 }),
    },
    link: ['to', 'ports'],
    bite: ['redirected', 'crossedBytes'],
    caveats: [PROXY_CAVEAT, ADDRESS_CAVEAT],
    example: 'squall fault limit --from client --to storage --port 22021 --for 1m --set bytes=64KiB',
  },
  {
    kind: 'throttle',
    maker: 'toxiproxy',
    feels: 'streams are limited to a bandwidth',
    settings: {
      bytesPerSecond: bytesPerSecond('bandwidth of each connection', { min: 1_000 }),
      stream: choice('which way', ['both', 'upstream', 'downstream'], 'both'),
      shareRatio: ratio('share of connections affected', { default: 1 }),
    },
    link: ['to', 'ports'],
    bite: ['redirected', 'crossedBytes'],
    caveats: [PROXY_CAVEAT, ADDRESS_CAVEAT, 'Toxiproxy counts in units of 1,000 bytes a second.'],
    example:
      'squall fault throttle --from client --to storage --port 22021 --for 1m --set bytesPerSecond=64KB',
  },
  {
    kind: 'storm-421',
    maker: 'node',
    feels:
      'requests are answered 421 by nodes that no longer own the account, or lie; living connections stay open',
    settings: {
      ratio: ratio('share of requests answered 421', { default: 1 }),
      body: choice('what the answer tells', ['swarm', 'empty', 'wrong'], 'swarm'),
    },
    link: [],
    bite: ['storm421'],
    caveats: ['Only nodes of ours with a /storm admin path can do it.'],
    example: "squall fault storm-421 --on 'storage[1..3]' --for 1m",
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

/** Every kind of fault, in the order of the documentation. */
export const FAULT_REFERENCE: Readonly<Record<FaultKind, FaultReference>> = Object.fromEntries(
  FAULT_KINDS.map((kind) => [kind, REFERENCES.find((reference) => reference.kind === kind)]),
) as Record<FaultKind, FaultReference>;
