import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Ledger } from '../../state/index.ts';
import { neighbourThresholds } from '../limits.ts';
import { raiseHostLimits, restoreHostLimits } from '../raise-limits.ts';
import { readHost } from '../read-host.ts';
import { FakeHost, USUAL } from './fake-host.ts';

describe('the neighbour table for a mesh', () => {
  const cases = [
    [30 * 29, 65_536],
    [128 * 127, 65_536],
    [2 * 128 * 127, 65_536],
    [256 * 255, 131_072],
    [512 * 511, 524_288],
  ] as const;
  for (const [entries, table] of cases) {
    it(`of ${entries} entries has room for ${table}, all of them under the collector's mark`, () => {
      const [first, second, third] = neighbourThresholds(entries);
      expect(third).to.equal(table);
      expect(first).to.be.below(second);
      expect(entries).to.be.at.most(second);
    });
  }
});

describe('raising limits', () => {
  let folder: string;
  let ledger: Ledger;
  const said: string[] = [];
  const options = (files: FakeHost) => ({ files, onProgress: (text: string) => said.push(text) });

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'squall-host-'));
    ledger = new Ledger(folder);
    said.length = 0;
  });
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  it('raises what the bed needs, from the top down, announced and in the ledger', async () => {
    const host = new FakeHost(USUAL);
    await raiseHostLimits({ neighbourEntries: 128 * 127, followedLogs: 128 }, ledger, options(host));
    expect(host.written).to.deep.equal([
      'gc_thresh3=65536',
      'gc_thresh2=32768',
      'gc_thresh1=16384',
      'max_user_instances=256',
    ]);
    expect(ledger.entries()).to.have.length(4);
    expect(said[0]).to.equal(
      'raised net.ipv4.neigh.default.gc_thresh3 from 1024 to 65536 for 16266 neighbour entries (undone by `squall doctor --restore`)',
    );
  });

  it('makes room for the burst of a release', async () => {
    const host = new FakeHost({ ...USUAL, '/proc/sys/net/core/netdev_max_backlog': '1000\n' });
    await raiseHostLimits({ burstPackets: 128 * 512 }, ledger, options(host));
    expect(host.written).to.deep.equal(['netdev_max_backlog=65536']);
  });

  it('counts entries that others use already', async () => {
    const host = new FakeHost({ ...USUAL, '/proc/net/stat/arp_cache': 'entries\n000001f0\n' });
    await raiseHostLimits({ neighbourEntries: 20 }, ledger, options(host));
    expect(host.written[0]).to.equal('gc_thresh3=65536');
  });

  it('leaves alone what is high enough, and never lowers', async () => {
    const host = new FakeHost(USUAL);
    expect(await raiseHostLimits({ neighbourEntries: 400 }, ledger, options(host))).to.deep.equal([]);
    const high = new FakeHost({ ...USUAL, '/proc/sys/net/ipv4/neigh/default/gc_thresh3': '1000000\n' });
    await raiseHostLimits({ neighbourEntries: 128 * 127 }, ledger, options(high));
    expect(high.written).to.deep.equal(['gc_thresh2=32768', 'gc_thresh1=16384']);
  });

  it('refuses with the figure where it is not allowed, and leaves no entry for what was not done', async () => {
    const host = new FakeHost(USUAL, { readOnly: true });
    const outcome = await raiseHostLimits({ neighbourEntries: 128 * 127 }, ledger, options(host)).catch(
      (error: unknown) => error,
    );
    expect(outcome).to.include({ code: 'host-limit-too-low' });
    expect((outcome as Error).message).to.match(
      /gc_thresh3: is 1024; expected at least 65536 for 16266 neighbour entries/,
    );
    expect((outcome as { hint: string }).hint).to.include(
      'sysctl -w net.ipv4.neigh.default.gc_thresh3=65536',
    );
    expect(ledger.entries()).to.deep.equal([]);
  });

  it('refuses a large mesh on a kernel that it cannot reach', async () => {
    const elsewhere = { ...options(new FakeHost(USUAL)), engineHost: 'vm' } as const;
    expect(await raiseHostLimits({ neighbourEntries: 900 }, ledger, elsewhere)).to.deep.equal([]);
    const outcome = await raiseHostLimits({ neighbourEntries: 128 * 127 }, ledger, elsewhere).catch(
      (error: unknown) => error,
    );
    expect(outcome).to.include({ code: 'host-limit-too-low' });
  });

  it('is undone newest first, except where somebody changed a limit since', async () => {
    const host = new FakeHost(USUAL);
    await raiseHostLimits({ neighbourEntries: 128 * 127 }, ledger, options(host));
    host.files.set('/proc/sys/net/ipv4/neigh/default/gc_thresh2', '50000\n');
    host.written.length = 0;
    const lines = await restoreHostLimits(ledger, host);
    expect(host.written).to.deep.equal(['gc_thresh1=128', 'gc_thresh3=1024']);
    expect(lines).to.include(
      'net.ipv4.neigh.default.gc_thresh2: is 50000, not the 32768 that we set; left as it is',
    );
    expect(ledger.entries()).to.deep.equal([]);
  });
});

describe('reading a host', () => {
  it('takes every figure from the kernel', () => {
    const host = readHost(new FakeHost(USUAL));
    expect(host).to.deep.include({
      kernel: '6.1.0',
      memoryTotalBytes: 16_384_000 * 1024,
      memoryAvailableBytes: 12_288_000 * 1024,
      neighbour: { entries: 10, gcThresh1: 128, gcThresh2: 512, gcThresh3: 1024 },
      conntrack: { entries: 100, max: 262_144 },
      inotify: { instancesMax: 128, watchesMax: 65_536 },
      files: { open: 1200, max: 999_999, processMax: 1024 },
      bridgeCallsIptables: true,
    });
  });

  it('says of what the kernel does not show that it is not known', () => {
    const host = readHost(new FakeHost());
    expect(host.neighbour).to.deep.equal({
      entries: 0,
      gcThresh1: undefined,
      gcThresh2: undefined,
      gcThresh3: undefined,
    });
    expect(host.memoryTotalBytes).to.equal(undefined);
    expect(host.bridgeCallsIptables).to.equal(undefined);
  });

  it('works on the machine that runs this', () => {
    const host = readHost();
    expect(host.cpus).to.be.at.least(1);
    expect(host.diskFreeBytes).to.be.above(0);
  });
});
