import { bytesPerSecond, choice, count, durationMs, ratio, sizeBytes, text } from '../setting-types.ts';
import type { FaultReference } from './fault-reference.ts';

const PROXY_CAVEAT =
  'Connections that are open already are met only where the topology leads the link through Toxiproxy (path: toxiproxy); elsewhere new ones are, and they end when the fault is lifted.';
const ADDRESS_CAVEAT =
  'The server then sees the address of Toxiproxy instead of the client: rate limits and peer checks may act on it.';

/** Faults of streams, by Toxiproxy. */
export const STREAM_KIND_REFERENCES: readonly FaultReference[] = [
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
    kind: 'stand-in',
    maker: 'toxiproxy',
    feels:
      'another node answers in the place of those that are connected to; what is open to them is severed',
    settings: {
      by: text('the node that answers'),
      byPort: count('port', 'its port in the place of the first of `to`; those of the next ones follow', {
        min: 1,
        max: 65_535,
      }),
    },
    link: ['to', 'ports'],
    bite: ['redirected', 'crossedBytes'],
    caveats: [
      'Connections that are open already are severed only where the topology leads the link through Toxiproxy (path: toxiproxy), when it begins and when it is lifted; elsewhere it meets new ones.',
      ADDRESS_CAVEAT,
      'Where callers ask for proof of who answers, the node that stands in has to have the keys of the others.',
    ],
    example:
      "squall fault stand-in --from client --to 'storage[1..3]' --port 22021 --for 1m --set by=storm-1 --set byPort=22101",
  },
];
