import type {
  FaultStep,
  MeasureSpec,
  ParameterSpec,
  Point,
  ScenarioSpec,
  Step,
} from '../../harness/index.ts';
import { counted, joined, populated } from './drive-wave.ts';

const integer = (description: string, otherwise: number, minimum: number): ParameterSpec => ({
  type: 'integer',
  description,
  default: otherwise,
  minimum,
});

const FAULTS = [
  'none',
  'loss',
  'blackout',
  'partition',
  'silent',
  'slow',
  'disk-full',
  'joiner-disk-full',
  'restart',
] as const;

/** Of a holder whose disk is to be filled; it has none of its own otherwise, since a tmpfs is empty after a restart. */
const SMALL_DISK_BYTES = 64 * 1_024 * 1_024;

/** Whether holders need a disk that can be filled. */
export const fillsHolder = ({ fault }: Point): boolean => fault === 'disk-full';

/** Disks of a wave's nodes that the topology does not give them. */
export const disksOf = (point: Point): { readonly tmpfsBytes?: Readonly<Record<string, number>> } =>
  fillsHolder(point) ? { tmpfsBytes: { holder: SMALL_DISK_BYTES } } : {};

/**
 * One disturbance while the joiners fetch; it begins with the wave and is over long before the watch is. Real nodes speak
 * QUIC, stand-ins TCP: a link loses of both.
 */
const DISTURBANCES: Readonly<Record<Exclude<(typeof FAULTS)[number], 'none'>, FaultStep>> = {
  loss: { kind: 'loss', on: '*', protocol: 'all', lossRatio: 0.05, for: '60s' },
  blackout: { kind: 'hold', on: 'share(25%,holder)', for: '20s' },
  partition: { kind: 'drop', from: 'share(50%,holder)', to: 'joiner', for: '30s' },
  silent: { kind: 'pause', on: 'pick(1,holder)', for: '60s' },
  slow: { kind: 'delay', on: 'pick(2,holder)', delayMs: 400, for: '60s' },
  'disk-full': { kind: 'disk-full', on: 'pick(1,holder)', for: '30s' },
  'joiner-disk-full': { kind: 'disk-full', on: 'pick(1,joiner)', for: '30s' },
  restart: { kind: 'restart', on: 'pick(1,holder)' },
};

const disturbances: readonly Step[] = Object.entries(DISTURBANCES).map(([name, fault]) => ({
  name: `disturbed: ${name}`,
  fault: { ...fault, id: name },
  background: true,
  when: { fault: name },
}));

const measure = (name: string, title: string, unit = ''): MeasureSpec => ({ name, title, unit });

/** Fresh nodes join a populated network: drain time, bytes, refusals, trust, and where every key is at the end. */
export const joinWave: ScenarioSpec = {
  name: 'join-wave',
  description: 'A batch of fresh nodes joins a populated network at once, and fetches what it should hold.',
  topology: 'ant-join-smoke',
  onlyWhenNamed: true,
  // Up to 100 nodes, or real ones that keep both cores busy.
  oneBedAtATime: true,
  parameters: {
    holders: integer('nodes that have the chunk set', 8, 1),
    joiners: integer('fresh nodes', 4, 1),
    external: integer('holders of another version, which the candidate cannot change', 0, 0),
    chunks: integer('chunks of the set', 200, 1),
    chunkBytes: integer('bytes of each', 65_536, 1),
    waves: integer('the joiners come in so many batches, each when the one before has drained', 1, 1),
    watch: { type: 'duration', description: 'how long a batch is watched', default: '4m' },
    patience: {
      type: 'duration',
      description: 'how long holders may take to drain their own bootstrap before the wave',
      default: '5m',
    },
    fault: {
      type: 'choice',
      description: 'what disturbs the wave',
      default: 'none',
      choices: [...FAULTS],
    },
  },
  overrides: (point) => ({
    counts: {
      holder: Number(point['holders']),
      joiner: Number(point['joiners']),
      // Only a topology of real nodes has them.
      ...(Number(point['external']) > 0 && { external: Number(point['external']) }),
    },
    ...disksOf(point),
  }),
  grids: {
    default: { description: 'undisturbed', axes: {} },
    faults: { description: 'each disturbance', axes: { fault: [...FAULTS] } },
  },
  defaultGrid: 'default',
  trials: 3,
  bed: 'fresh',
  timeBudget: '30m',
  shortestTimeout: '15s',
  phases: [
    { name: 'warm-up', steps: [populated] },
    { name: 'wave', steps: [...disturbances, joined] },
    { name: 'settle', steps: [counted] },
  ],
  measure: ['ant.drain', 'ant.fetch', 'ant.pressure', 'ant.summary', 'ant.end'],
  measures: [
    measure('drainMedianS', 'drain time, median', 's'),
    measure('drainSlowestS', 'drain time, slowest', 's'),
    measure('dropsPerPeer', 'drops, per-peer share'),
    measure('trustPenalties', 'trust events against healthy peers'),
    measure('drainS', 'drain time', 's'),
    measure('watchedS', 'each batch was watched for', 's'),
    measure('undrained', 'joiners not drained'),
    measure('drainedEmpty', 'joiners drained without a chunk'),
    measure('storedBytes', 'stored', 'bytes'),
    measure('bytesPerNeeded', 'bytes fetched a byte needed'),
    measure('attemptsOk', 'fetches that succeeded'),
    measure('attemptsTimeout', 'fetches that timed out'),
    measure('attemptsBusy', 'fetches answered busy'),
    measure('attemptsFailed', 'fetches that failed'),
    measure('attemptsCancelled', 'fetches cancelled'),
    measure('timeoutRatio', 'share of fetches that timed out'),
    measure('dropsPool', 'drops, global pool'),
    measure('dropsOfExternal', 'drops of the external cohort'),
    measure('dropsOfHolders', 'drops of other holders'),
    measure('dropsByVersion', 'drops, by the version of who was refused'),
    measure('dropsAtTwoRatio', 'share of drops with two slots in use'),
    measure('trustPenaltiesOfExternal', 'trust events against healthy peers, of the external cohort'),
    measure('trustPenaltiesOfHolders', 'trust events against healthy peers, of other holders'),
    measure('trustPenaltiesByVersion', 'trust events against healthy peers, by the version of who blames'),
    measure('trustPenaltiesDisturbed', 'trust events against disturbed peers'),
    measure('oldestParkedMs', 'oldest parked', 'ms'),
    measure('parkedMost', 'most keys parked'),
    measure('healthOverflow', 'source-health overflows'),
    measure('startedPastUntracked', 'fetches past the share while it overflows'),
    measure('lockWaitMs', 'queue lock, wait', 'ms'),
    measure('lockHoldMs', 'queue lock, hold', 'ms'),
    measure('keysLost', 'keys lost'),
    measure('keysUnderQuorum', 'keys not on a quorum at the end'),
    measure('keysMissing', 'keys that a drained joiner of their group lacks'),
    measure('keysGone', 'keys that a node had and has no more'),
    measure('keysInSet', 'keys of the set'),
    measure('nodeCpuMs', 'joiner, CPU time', 'ms'),
    measure('nodeMemoryMostBytes', 'joiner, most memory', 'bytes'),
    measure('holderCpuMs', 'holder, CPU time', 'ms'),
    measure('holderMemoryMostBytes', 'holder, most memory', 'bytes'),
    measure('hostBusyRatio', 'host, share of CPU busy'),
    measure('hostLoadMost', 'host, highest load'),
    measure('hostMemoryFreeLeastBytes', 'host, least memory free', 'bytes'),
  ],
  plots: [
    { title: 'Joiners not yet drained', kind: 'survival', y: 'drainS', series: 'fault' },
    {
      title: 'Stored by each joiner',
      kind: 'course',
      y: 'chunk.stored',
      course: { since: 'wave.began', field: 'bytes', as: 'sum', per: 'node', role: 'joiner', unit: 'bytes' },
    },
    {
      title: 'Requests dropped at admission',
      kind: 'course',
      y: 'admission.dropped',
      course: { since: 'wave.began', as: 'sum', per: 'trial', unit: '' },
    },
    {
      title: 'Trust scores changed',
      kind: 'course',
      y: 'trust.changed',
      course: { since: 'wave.began', as: 'sum', per: 'trial', unit: '' },
    },
    {
      title: 'Load of the host',
      kind: 'course',
      y: 'host.sampled',
      course: { since: 'wave.began', field: 'load', as: 'level', per: 'trial', unit: '' },
    },
  ],
  checks: [
    {
      check: 'measure-bound',
      title: 'no key is lost',
      kind: 'invariant',
      parameters: { measure: 'keysLost', op: '=', value: 0 },
      reason: 'A key that no node holds is gone; nothing that a wave does may cost one.',
    },
    { check: 'logs-complete', title: 'no event was lost', kind: 'guard', parameters: {} },
  ],
};
