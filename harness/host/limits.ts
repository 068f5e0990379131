/** What a bed needs of its host, in numbers. All beds of the process together. */
export interface HostNeeds {
  /** Neighbour (ARP) entries: N(N−1) for a mesh of N, summed over beds. One table serves all network namespaces. */
  readonly neighbourEntries?: number;
  /** Followed logs: the engine watches each with an inotify instance of root's. */
  readonly followedLogs?: number;
  /** Flows of bridged packets, tracked where bridge-nf-call-iptables is on: about 2 N(N−1) for a UDP mesh. */
  readonly trackedFlows?: number;
  /** Packets that may be on their way at one instant: what a hold kept is let go in a few milliseconds. */
  readonly burstPackets?: number;
}

/** One number in /proc/sys that Squall may raise, and never lowers. */
export interface LimitTarget {
  readonly path: string;
  readonly wanted: number;
  readonly why: string;
}

export const NEIGH = '/proc/sys/net/ipv4/neigh/default';
export const NEIGHBOUR_LIMIT_PATH = `${NEIGH}/gc_thresh3`;
export const INOTIFY_LIMIT_PATH = '/proc/sys/fs/inotify/max_user_instances';
/** Files that one user's inotify instances watch: a followed log is one. */
export const INOTIFY_WATCHES_PATH = '/proc/sys/fs/inotify/max_user_watches';
/** The queue of one CPU for packets that a virtual interface has received; what finds it full is lost. */
export const BACKLOG_LIMIT_PATH = '/proc/sys/net/core/netdev_max_backlog';
export const CONNTRACK_LIMIT_PATH = '/proc/sys/net/netfilter/nf_conntrack_max';

/** Smallest table once it is raised at all: 128 nodes in a mesh (16,256 entries) fit under gc_thresh1. */
const NEIGHBOUR_TABLE_MIN = 65_536;

/** What else of this host's root uses inotify: system services, the engine itself. */
const INOTIFY_MARGIN = 128;

function powerOfTwoAtLeast(value: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(1, value)));
}

/**
 * The three thresholds of the neighbour table for so many entries in use at once. Entries above gc_thresh2 for 5 s are
 * collected, above gc_thresh3 refused at once (arp(7)); so all of them are to fit under gc_thresh2, which is half of it.
 */
export function neighbourThresholds(entries: number): readonly [number, number, number] {
  const table = Math.max(NEIGHBOUR_TABLE_MIN, powerOfTwoAtLeast(entries * 2));
  return [table / 4, table / 2, table];
}

/**
 * What to raise for these needs. Entries that are in use now come on top: they may be another process's bed.
 * @param current a limit's value now, and the neighbour entries in use
 */
export function planLimits(
  needs: HostNeeds,
  current: { readonly limit: (path: string) => number | undefined; readonly neighbourEntries: number },
): readonly LimitTarget[] {
  const targets: LimitTarget[] = [];
  const entries = (needs.neighbourEntries ?? 0) + current.neighbourEntries;
  const softLimit = current.limit(`${NEIGH}/gc_thresh2`) ?? Number.POSITIVE_INFINITY;
  if (needs.neighbourEntries && entries > softLimit) {
    const [first, second, third] = neighbourThresholds(entries);
    const why = `${entries} neighbour entries`;
    // From the top down, so that no threshold is ever above the next.
    targets.push({ path: `${NEIGH}/gc_thresh3`, wanted: third, why });
    targets.push({ path: `${NEIGH}/gc_thresh2`, wanted: second, why });
    targets.push({ path: `${NEIGH}/gc_thresh1`, wanted: first, why });
  }
  if (needs.followedLogs) {
    const wanted = powerOfTwoAtLeast(needs.followedLogs + INOTIFY_MARGIN);
    const why = `${needs.followedLogs} followed logs`;
    targets.push({ path: INOTIFY_LIMIT_PATH, wanted, why });
    targets.push({ path: INOTIFY_WATCHES_PATH, wanted, why });
  }
  if (needs.trackedFlows) {
    const wanted = powerOfTwoAtLeast(needs.trackedFlows * 2);
    targets.push({ path: CONNTRACK_LIMIT_PATH, wanted, why: `${needs.trackedFlows} tracked flows` });
  }
  if (needs.burstPackets) {
    const wanted = powerOfTwoAtLeast(needs.burstPackets);
    targets.push({ path: BACKLOG_LIMIT_PATH, wanted, why: `bursts of ${needs.burstPackets} packets` });
  }
  return targets.filter(({ path, wanted }) => (current.limit(path) ?? Number.POSITIVE_INFINITY) < wanted);
}
