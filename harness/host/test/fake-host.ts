import type { HostFiles } from '../host-files.ts';

/** The kernel's files as a test wants them. */
export class FakeHost implements HostFiles {
  readonly files: Map<string, string>;
  readonly written: string[] = [];
  readonly #readOnly: boolean;

  constructor(files: Readonly<Record<string, string>> = {}, options: { readonly readOnly?: boolean } = {}) {
    this.files = new Map(Object.entries(files));
    this.#readOnly = options.readOnly ?? false;
  }

  read(path: string): string | undefined {
    return this.files.get(path);
  }

  write(path: string, text: string): void {
    if (this.#readOnly)
      throw Object.assign(new Error(`EROFS: read-only file system, open '${path}'`), { code: 'EROFS' });
    this.written.push(`${path.split('/').at(-1)}=${text}`);
    this.files.set(path, `${text}\n`);
  }
}

const NEIGH = '/proc/sys/net/ipv4/neigh/default';

/** A machine as Linux sets it up. */
export const USUAL: Readonly<Record<string, string>> = {
  [`${NEIGH}/gc_thresh1`]: '128\n',
  [`${NEIGH}/gc_thresh2`]: '512\n',
  [`${NEIGH}/gc_thresh3`]: '1024\n',
  '/proc/sys/fs/inotify/max_user_instances': '128\n',
  '/proc/sys/fs/inotify/max_user_watches': '65536\n',
  '/proc/sys/net/core/netdev_max_backlog': '1000\n',
  '/proc/sys/net/netfilter/nf_conntrack_max': '262144\n',
  '/proc/sys/net/netfilter/nf_conntrack_count': '100\n',
  '/proc/net/stat/arp_cache': 'entries  allocs\n0000000a 00000001\n0000000a 00000002\n',
  '/proc/meminfo': 'MemTotal:       16384000 kB\nMemFree:         1000000 kB\nMemAvailable:   12288000 kB\n',
  '/proc/sys/fs/file-nr': '1200\t0\t999999\n',
  '/proc/self/limits':
    'Limit  Soft Limit  Hard Limit  Units\nMax open files            1024                 524288               files\n',
  '/proc/sys/kernel/osrelease': '6.1.0\n',
  '/proc/sys/kernel/pid_max': '32768\n',
  '/proc/sys/net/bridge/bridge-nf-call-iptables': '1\n',
};
