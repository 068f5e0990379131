import { bytesPerSecond, choice, count, durationMs, flag, ratio, sizeBytes } from '../setting-types.ts';
import type { FaultReference } from './fault-reference.ts';

const PACKET_LINK = ['to', 'direction', 'protocol', 'ports'] as const;
const DISPOSITIONS = ['hold', 'drop', 'pass'] as const;

/** Faults of packets, by the packet agent. */
export const PACKET_KIND_REFERENCES: readonly FaultReference[] = [
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
    bite: ['heldIn', 'heldOut'],
    caveats: [
      'Where no protocol is held, it must have dropped something instead.',
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
    caveats: [
      'On both ends of a link at once, the ratios multiply.',
      'A ratio of 0 loses nothing and counts what passes: `passed` packets, `tcpBytesIn` and `tcpBytesOut` of payload; its `mustShow` is then `{passed: 1}`.',
    ],
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
];
