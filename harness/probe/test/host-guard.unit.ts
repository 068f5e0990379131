import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { Canary } from '../canary.ts';
import { CanaryWatch } from '../canary-watch.ts';
import { type Clocks, type HostSource, startHostGuard } from '../index.ts';

const RECORDED: Readonly<Record<string, string>> = {
  '/proc/stat': 'stat',
  '/proc/loadavg': 'loadavg',
  '/proc/pressure/cpu': 'pressure-cpu',
  '/proc/vmstat': 'vmstat',
  '/proc/meminfo': 'meminfo',
  '/proc/net/stat/arp_cache': 'arp-cache',
  '/proc/net/softnet_stat': 'softnet-stat',
  '/proc/77/net/snmp': 'snmp',
};

/** A host whose files are the recorded ones until a test changes them. */
class RecordedHost {
  readonly files = new Map<string, string>([['/proc/sys/net/ipv4/neigh/default/gc_thresh3', '1024\n']]);
  readonly #waiting: (() => void)[] = [];
  #reads = 0;
  wallMs = 1_000_000;
  monotonicMs = 5_000;

  constructor() {
    for (const [path, name] of Object.entries(RECORDED)) {
      this.files.set(path, readFileSync(new URL(`recorded/${name}.txt`, import.meta.url), 'utf8'));
    }
  }

  readonly readText = async (path: string): Promise<string | undefined> => {
    if (path === '/proc/vmstat') {
      this.#reads += 1;
      for (const resolve of this.#waiting.splice(0)) resolve();
    }
    return this.files.get(path);
  };

  readonly clocks: Clocks = { monotonicMs: () => this.monotonicMs, wallMs: () => this.wallMs };

  edit(path: string, from: RegExp, to: string): void {
    const text = this.files.get(path) ?? '';
    expect(text, path).to.match(from);
    this.files.set(path, text.replace(from, to));
  }

  /** Resolves once the guard has taken two more samples, so that one began after now. */
  async sampled(): Promise<void> {
    const wanted = this.#reads + 2;
    while (this.#reads < wanted) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}

/** A canary that says what a test tells it to. */
function tellingCanary() {
  const watches: CanaryWatch[] = [];
  const canary: Canary = {
    containerId: 'canary',
    alive: true,
    watch: (shortestTimeoutMs) => {
      const watch = new CanaryWatch(shortestTimeoutMs, () => watches.splice(watches.indexOf(watch), 1));
      watches.push(watch);
      return watch;
    },
    stop: async () => undefined,
  };
  const say = (lateMs: readonly number[]): void => {
    for (const watch of [...watches]) watch.add(lateMs);
  };
  const end = (why: string): void => {
    for (const watch of [...watches]) watch.end(why);
  };
  return { canary, say, end, watches };
}

async function guardOf(
  host: RecordedHost,
  extra: { sources?: HostSource[]; expected?: string[]; canary?: false } = {},
) {
  const told = tellingCanary();
  const guard = await startHostGuard({
    shortestTimeoutMs: 500,
    pids: () => [77],
    canary: extra.canary === false ? undefined : told.canary,
    sampleEveryMs: 1,
    readText: host.readText,
    clocks: host.clocks,
    ...(extra.sources ? { sources: extra.sources } : {}),
    ...(extra.expected ? { expected: extra.expected } : {}),
  });
  const stop = async () => {
    const record = guard.stop();
    told.say([0.1]);
    return await record;
  };
  return { ...told, guard, stop };
}

const QUIET_LATENESS = new Array<number>(600).fill(0.2);

describe('the host guard', () => {
  it('calls a host quiet on which nothing moved', async () => {
    const host = new RecordedHost();
    const { say, stop } = await guardOf(host);
    say(QUIET_LATENESS);
    const record = await stop();
    expect(record.reasons).to.deep.equal([]);
    expect(record.verdict).to.equal('quiet');
    const names = record.measures.map((measure) => measure.name);
    expect(names).to.include.members([
      'canary lateness',
      'canary often late',
      'oom kills',
      'neighbour table',
      'backlog drops',
      'load',
    ]);
    expect(record.measures.find((measure) => measure.name === 'canary lateness')).to.deep.equal({
      name: 'canary lateness',
      unit: 'ms',
      value: 0.2,
      threshold: 250,
      exceeded: false,
    });
  });

  const spoilers: readonly [string, (host: RecordedHost) => void, RegExp][] = [
    [
      'an OOM kill',
      (host) => host.edit('/proc/vmstat', /oom_kill \d+/, 'oom_kill 3'),
      /^oom kills: 3; expected at most 0$/,
    ],
    [
      'a full backlog',
      (host) => host.edit('/proc/net/softnet_stat', /^(\S+) 00000000/, '$1 0000000a'),
      /^backlog drops: 10 packets/,
    ],
    [
      'a neighbour table near its limit',
      (host) => host.files.set('/proc/sys/net/ipv4/neigh/default/gc_thresh3', '270'),
      /^neighbour table: 0.981 ratio; expected at most 0.9/,
    ],
    [
      'a neighbour table that overflowed',
      (host) => host.edit('/proc/net/stat/arp_cache', /00000000\s*$/, '00000002\n'),
      /^neighbour overflows: 2;/,
    ],
    [
      'a wall clock that jumped',
      (host) => {
        host.wallMs += 400;
      },
      /^clock step: 400 ms/,
    ],
    [
      'memory used up',
      (host) => host.edit('/proc/meminfo', /MemAvailable:\s+\d+/, 'MemAvailable: 1000'),
      /^memory used: 1 ratio/,
    ],
    [
      'a stolen CPU',
      (host) => host.edit('/proc/stat', /^cpu .*$/m, 'cpu  40000 0 20000 900000 0 0 0 1000000 0 0'),
      /^steal: 0\.\d+ ratio; expected at most 0.25/,
    ],
    [
      'receive buffers that overflowed',
      (host) => host.edit('/proc/77/net/snmp', /^Udp: \d+ \d+ \d+ \d+ \d+/m, 'Udp: 999999 0 0 0 99999'),
      /^udp overflow: 0\.\d+ ratio; expected at most 0.01/,
    ],
  ];
  for (const [what, spoil, reason] of spoilers) {
    it(`calls a trial spoiled by ${what}`, async () => {
      const host = new RecordedHost();
      const { say, stop } = await guardOf(host);
      say(QUIET_LATENESS);
      spoil(host);
      await host.sampled();
      const record = await stop();
      expect(record.verdict).to.equal('spoiled');
      expect(record.reasons.join('\n')).to.match(reason);
      expect(record.measures.filter((measure) => measure.exceeded)).to.have.length(1);
    });
  }

  it('shows a CPU that was busy for ten seconds and leaves the verdict to the canary', async () => {
    const host = new RecordedHost();
    const { say, stop } = await guardOf(host);
    say(QUIET_LATENESS);
    host.monotonicMs += 10_500;
    host.wallMs += 10_500;
    host.edit('/proc/stat', /^cpu +(\d+)/m, 'cpu  9$1');
    await host.sampled();
    const record = await stop();
    expect(record.verdict).to.equal('quiet');
    const busy = record.measures.find(({ name }) => name === 'cpu busy');
    expect(busy).to.deep.equal({ name: 'cpu busy', unit: 'ratio', value: 1, exceeded: false });
  });

  it('calls a trial spoiled by one wake-up later than half of the shortest timeout', async () => {
    const { say, stop } = await guardOf(new RecordedHost());
    say([...QUIET_LATENESS, 251]);
    expect((await stop()).reasons).to.deep.equal(['canary lateness: 251 ms; expected at most 250']);
  });

  it('calls a trial spoiled by many wake-ups that are a little late', async () => {
    const { say, stop } = await guardOf(new RecordedHost());
    say([...QUIET_LATENESS, ...new Array<number>(30).fill(60)]);
    expect((await stop()).reasons.join()).to.match(/^canary often late: 0.047\d? ratio/);
  });

  it('keeps the worst moment although all is well again at the end', async () => {
    const host = new RecordedHost();
    const { say, stop } = await guardOf(host);
    say(QUIET_LATENESS);
    host.wallMs += 400;
    await host.sampled();
    host.wallMs += 0;
    await host.sampled();
    expect((await stop()).verdict).to.equal('spoiled');
  });

  it('does not count what the scenario itself causes', async () => {
    const host = new RecordedHost();
    const { say, stop } = await guardOf(host, { expected: ['oom kills'] });
    say(QUIET_LATENESS);
    host.edit('/proc/vmstat', /oom_kill \d+/, 'oom_kill 3');
    await host.sampled();
    const record = await stop();
    expect(record.verdict).to.equal('quiet');
    expect(record.measures.find((measure) => measure.name === 'oom kills')).to.deep.equal({
      name: 'oom kills',
      unit: '',
      value: 3,
      exceeded: false,
    });
  });

  it('does not know about a host whose canary was not watched, or died', async () => {
    const without = await guardOf(new RecordedHost(), { canary: false });
    expect(await without.stop()).to.include({ verdict: 'unknown' });
    const died = await guardOf(new RecordedHost());
    died.say(QUIET_LATENESS);
    died.end('its output ended');
    const record = await died.guard.stop();
    expect(record).to.include({ verdict: 'unknown' });
    expect(record.reasons).to.deep.equal(['the canary is gone: its output ended']);
  });

  it('does not know about a host when a source cannot be read, and says which', async () => {
    const broken: HostSource = {
      name: 'agent pass latency',
      unit: 'us',
      reason: 'test',
      fold: 'highest',
      read: async () => {
        throw new Error('the agent is gone');
      },
    };
    const { say, stop } = await guardOf(new RecordedHost(), { sources: [broken] });
    say(QUIET_LATENESS);
    expect((await stop()).reasons).to.deep.equal([
      'agent pass latency: could not be read: the agent is gone',
    ]);
  });

  it('says nothing of files that this kernel does not have', async () => {
    const host = new RecordedHost();
    host.files.delete('/proc/pressure/cpu');
    host.files.delete('/proc/net/softnet_stat');
    const { say, stop } = await guardOf(host);
    say(QUIET_LATENESS);
    const record = await stop();
    expect(record.verdict).to.equal('quiet');
    expect(record.measures.map((measure) => measure.name)).not.to.include('backlog drops');
  });

  it('waits for the canary’s last word and then lets go of it', async () => {
    const { guard, say, watches } = await guardOf(new RecordedHost());
    say(QUIET_LATENESS);
    const stopping = guard.stop();
    expect(watches).to.have.length(1);
    say([400]);
    expect((await stopping).verdict).to.equal('spoiled');
    expect(watches).to.have.length(0);
    expect(await guard.stop()).to.equal(await stopping);
  });
});
