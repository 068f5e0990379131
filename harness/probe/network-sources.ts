import type { HostSource, ReadText } from './host-source.ts';

const FILL_RATIO_MAX = 0.9;
const UDP_ERROR_RATIO_MAX = 0.01;

/** Sum of a column of /proc/net/stat/arp_cache over the CPUs. Numbers there are hexadecimal. */
export function sumStatColumn(text: string, column: string): number | undefined {
  const [head, ...rows] = text.trim().split('\n');
  const index = head?.trim().split(/\s+/).indexOf(column) ?? -1;
  if (index < 0) return undefined;
  return rows.reduce((sum, row) => sum + Number.parseInt(row.trim().split(/\s+/)[index] ?? '0', 16), 0);
}

/** Packets that a CPU's backlog had no room for: the second column of /proc/net/softnet_stat, hexadecimal. */
export function parseSoftnetDrops(text: string): number {
  return text
    .trim()
    .split('\n')
    .reduce((sum, row) => sum + Number.parseInt(row.split(/\s+/)[1] ?? '0', 16), 0);
}

/** Received datagrams, and those that found the socket's buffer full, of /proc/net/snmp. */
export function parseUdpCounts(text: string): { readonly received: number; readonly overflowed: number } {
  const [names, values] = [...text.matchAll(/^Udp: (.*)$/gm)].map(([, line = '']) => line.split(' '));
  const count = (name: string): number => Number(values?.[names?.indexOf(name) ?? -1] ?? 0);
  return { received: count('InDatagrams'), overflowed: count('RcvbufErrors') };
}

/** What the kernel's network loses by itself: neighbour and connection tables, backlog, receive buffers of the nodes. */
export function networkSources(readText: ReadText, pids: () => readonly number[]): HostSource[] {
  return [
    {
      name: 'neighbour table',
      unit: 'ratio',
      threshold: FILL_RATIO_MAX,
      reason: 'entries against gc_thresh3, which all beds share; a full table looks like dead nodes',
      fold: 'highest',
      read: async () => {
        const limit = await readText('/proc/sys/net/ipv4/neigh/default/gc_thresh3');
        const text = await readText('/proc/net/stat/arp_cache');
        if (limit === undefined || text === undefined) return undefined;
        // Every CPU's row repeats the table's own count.
        const rows = text.trim().split('\n').length - 1;
        const entries = sumStatColumn(text, 'entries');
        return entries === undefined || rows === 0 ? undefined : entries / rows / Number(limit);
      },
    },
    {
      name: 'neighbour overflows',
      unit: '',
      threshold: 0,
      reason: 'each is an address that could not be looked up',
      fold: 'increase',
      read: async () => sumStatColumn((await readText('/proc/net/stat/arp_cache')) ?? '', 'table_fulls'),
    },
    {
      name: 'connection table',
      unit: 'ratio',
      threshold: FILL_RATIO_MAX,
      reason: 'a full nf_conntrack drops packets',
      fold: 'highest',
      read: async () => {
        const count = await readText('/proc/sys/net/netfilter/nf_conntrack_count');
        const limit = await readText('/proc/sys/net/netfilter/nf_conntrack_max');
        return count === undefined || limit === undefined ? undefined : Number(count) / Number(limit);
      },
    },
    {
      name: 'backlog drops',
      unit: 'packets',
      threshold: 0,
      reason: 'lost by the host between two containers',
      fold: 'increase',
      read: async () => {
        const text = await readText('/proc/net/softnet_stat');
        return text === undefined ? undefined : parseSoftnetDrops(text);
      },
    },
    {
      name: 'udp overflow',
      unit: 'ratio',
      threshold: UDP_ERROR_RATIO_MAX,
      reason: 'worst node’s share of datagrams that found its receive buffer full, since the start',
      fold: 'highest',
      read: worstUdpOverflow(readText, pids),
    },
  ];
}

/** A node counts once at least this many datagrams came, so that one lost among three does not spoil a trial. */
const UDP_DATAGRAMS_MIN = 200;

/** A node's own counters are at /proc/PID/net; a process that is gone says nothing any more. */
function worstUdpOverflow(
  readText: ReadText,
  pids: () => readonly number[],
): () => Promise<number | undefined> {
  const first = new Map<number, ReturnType<typeof parseUdpCounts>>();
  return async () => {
    const ratios: number[] = [];
    for (const pid of pids()) {
      const text = await readText(`/proc/${pid}/net/snmp`);
      if (text === undefined) continue;
      const now = parseUdpCounts(text);
      const from = first.get(pid);
      if (!from || now.received < from.received) {
        first.set(pid, now);
        continue;
      }
      const overflowed = now.overflowed - from.overflowed;
      const all = now.received - from.received + overflowed;
      if (all >= UDP_DATAGRAMS_MIN) ratios.push(overflowed / all);
    }
    return ratios.length === 0 ? undefined : Math.max(...ratios);
  };
}
