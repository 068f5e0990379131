import { expect } from 'chai';
import type { LeapingClock } from '../../../harness/clock/index.ts';
import { identityOf } from '../../../harness/identity/index.ts';
import {
  type NetworkList,
  nodeIdentity,
  personalAccount,
  readRedirect,
  readRedirectAddresses,
  type ServiceNode,
  WireError,
} from '../../session-kit/index.ts';
import { testClock } from '../../session-kit/test/in-process.ts';
import { NetworkView } from '../network-view.ts';
import { Storm, type StormyRequest } from '../storm.ts';
import { parseStorm, REDIRECTS } from '../storm-spec.ts';

const SWARMS = [1n << 62n, 2n << 62n, 3n << 62n];
const nodes = SWARMS.flatMap((swarmId, swarm) =>
  [1, 2, 3].map((index): ServiceNode => {
    const { ed25519, x25519, legacy } = nodeIdentity('7', `storage-${swarm * 3 + index}`);
    return {
      ed25519,
      x25519,
      legacy,
      swarmId,
      ip: `198.18.${swarm}.${index}`,
      httpsPort: 22_021,
      omqPort: 22_020,
      version: [2, 12, 0],
    };
  }),
);
const list: NetworkList = { height: 1, blockHash: 'a', hardfork: [19, 4], nodes, labels: new Map() };
const keysOf = (swarm: number): string[] =>
  nodes.slice(swarm * 3, swarm * 3 + 3).map(({ ed25519 }) => ed25519);
const own = keysOf(0)[0] as string;

describe('a storm', () => {
  const account = personalAccount(identityOf('7', 'anna'));
  const view = new NetworkView(own);
  view.apply(list);
  const home = SWARMS.indexOf(view.swarmOf(account)?.id ?? 0n);
  let clock: LeapingClock;
  let storm: Storm;
  let changes: boolean[];

  beforeEach(() => {
    clock = testClock();
    changes = [];
    storm = new Storm({
      clock,
      view,
      own,
      ownEcho: false,
      facts: () => ({ wallMs: clock.wallMs(), hardfork: [19, 4] }),
      onChange: (spec) => changes.push(spec !== undefined),
    });
  });

  const ask = (more: Partial<StormyRequest> = {}) =>
    storm.answer({ place: 'direct', method: 'store', account, connection: 1, ...more });
  const named = (redirect: string, more: Readonly<Record<string, unknown>> = {}): readonly string[] => {
    storm.begin(parseStorm({ redirect, ...more }));
    return readRedirect(ask()?.body).nodes;
  };

  it('names what the scenario says, in every way there is', () => {
    const seen = new Map<string, readonly string[]>();
    for (const redirect of REDIRECTS) seen.set(redirect, named(redirect));
    const known = new Set(nodes.map(({ ed25519 }) => ed25519));
    expect(seen.get('honest')).to.deep.equal(keysOf(home));
    expect(seen.get('none')).to.deep.equal([]);
    expect(seen.get('itself')).to.deep.equal([own]);
    expect(seen.get('other-swarm')).to.deep.equal(keysOf((home + 1) % 3));
    expect(seen.get('unknown')).to.have.length(6);
    expect(seen.get('unknown')?.some((key) => known.has(key))).to.equal(false);
    expect(seen.get('partly-unknown')?.filter((key) => known.has(key))).to.deep.equal(
      keysOf(home).slice(0, 2),
    );
    expect(seen.get('partly-unknown')).to.have.length(8);
    expect(seen.get('duplicates')).to.deep.equal(keysOf(home));
    expect(seen.get('bounce')).to.deep.equal(keysOf(1));
    expect(seen.get('false-addresses')).to.deep.equal(keysOf(home));
    expect(seen.get('garbage')).to.deep.equal([]);
    expect(changes).to.deep.equal(REDIRECTS.map(() => true));
  });

  it('writes duplicates and records without an address out in full, and false addresses as they are', () => {
    storm.begin(parseStorm({ redirect: 'duplicates' }));
    const doubled = readRedirectAddresses(ask()?.body);
    expect(doubled).to.have.length(9);
    expect(doubled.filter(({ ip, httpsPort }) => ip === '0.0.0.0' && httpsPort === 0)).to.have.length(3);
    storm.begin(parseStorm({ redirect: 'false-addresses' }));
    const addresses = readRedirectAddresses(ask()?.body).map(({ ip }) => ip);
    expect(addresses.some((ip) => nodes.some((node) => node.ip === ip))).to.equal(false);
  });

  it('bounces between two groups that the scenario names, and names fewer when it is told to', () => {
    const groups = [keysOf(0), keysOf(2)];
    expect(named('bounce', { groups })).to.deep.equal(keysOf(2));
    expect(named('bounce', { groups: [keysOf(1), keysOf(2)] })).to.deep.equal(keysOf(1));
    expect(named('honest', { count: 2 })).to.deep.equal(keysOf(home).slice(0, 2));
    expect(named('partly-unknown', { count: 2 })).to.include.members(keysOf(home).slice(0, 1));
    expect(named('partly-unknown', { count: 2 })).to.have.length(2);
    expect(named('unknown', { count: 9 })).to.have.length(9);
  });

  it('echoes the account, another one, or none', () => {
    const echo = (how: string): string | undefined => {
      storm.begin(parseStorm({ echo: how }));
      return readRedirect(ask()?.body).echo;
    };
    expect([echo('own'), echo('none'), echo('account')]).to.deep.equal([undefined, undefined, account.id]);
    expect(echo('other'))
      .to.match(/^05[0-9a-f]{64}$/)
      .and.not.equal(account.id);
  });

  it('is about the accounts, methods and places that it is told, with the status of its choice', () => {
    const stranger = personalAccount(identityOf('7', 'bob'));
    storm.begin(
      parseStorm({ account: account.id, methods: ['store'], at: ['direct', 'relay'], status: 406 }),
    );
    expect(ask()?.status).to.equal(406);
    expect(ask({ account: stranger })).to.equal(undefined);
    expect(ask({ method: 'retrieve' })).to.equal(undefined);
    expect(ask({ place: 'batch' })).to.equal(undefined);
    expect(storm.answered).to.equal(1);
  });

  it('is about requests that name no account only when it is told to be', () => {
    storm.begin(parseStorm({ redirect: 'itself' }));
    expect(ask({ account: undefined, method: 'info' })).to.equal(undefined);
    storm.begin(parseStorm({ redirect: 'itself', unnamed: true, at: ['batch'] }));
    expect(ask({ account: undefined, method: 'info' })).to.equal(undefined);
    const inside = ask({ account: undefined, method: 'info', place: 'batch' });
    expect(inside?.status).to.equal(421);
    expect(readRedirect(inside?.body)).to.deep.include({ nodes: [own], echo: undefined });
  });

  it('answers a share of requests, the same ones for the same seed', () => {
    const pattern = (seed: string): string => {
      storm.begin(parseStorm({ ratio: 0.3, seed }));
      return Array.from({ length: 400 }, () => (ask() ? 'x' : '.')).join('');
    };
    const first = pattern('a');
    expect(pattern('a')).to.equal(first);
    expect(pattern('b')).not.to.equal(first);
    expect(first.split('x').length - 1).to.be.within(80, 160);
    storm.begin(parseStorm({ share: 0 }));
    expect(ask()).to.equal(undefined);
  });

  it('ends by itself by the clock, once, and a new storm is not ended by the old one’s time', async () => {
    storm.begin(parseStorm({ forMs: 60_000 }));
    await clock.leap(59_999);
    storm.begin(parseStorm({ forMs: 60_000 }));
    await clock.leap(59_999);
    expect(storm.on).to.equal(true);
    await clock.leap(1);
    expect([storm.on, ask()]).to.deep.equal([false, undefined]);
    storm.end();
    expect(changes).to.deep.equal([true, true, false]);
  });

  it('that is sticky stays with a connection until a fresh one, also when it is over', () => {
    storm.begin(parseStorm({ sticky: true, ratio: 0.5, seed: 'c' }));
    const connections = Array.from({ length: 40 }, (_, index) => index + 1);
    const stormy = connections.filter((connection) => ask({ connection }) !== undefined);
    expect(stormy.length).to.be.within(8, 32);
    for (const connection of connections) {
      expect(ask({ connection }) !== undefined).to.equal(stormy.includes(connection));
    }
    storm.end();
    expect([storm.on, storm.stuck]).to.deep.equal([false, stormy.length]);
    expect(ask({ connection: stormy[0] as number })?.status).to.equal(421);
    storm.forget(stormy[0] as number);
    expect(ask({ connection: stormy[0] as number })).to.equal(undefined);
    expect(ask({ connection: 1_000 })).to.equal(undefined);
  });

  it('of the generic fault is understood, and one that there is not is refused', () => {
    expect(
      ['swarm', 'empty', 'wrong'].map((body) => parseStorm({ on: true, ratio: 1, body }).redirect),
    ).to.deep.equal(['honest', 'none', 'other-swarm']);
    for (const bad of [
      { redirect: 'x' },
      { ratio: 2 },
      { at: ['nowhere'] },
      { account: 'x' },
      { status: 200 },
      { echo: 'x' },
      { forMs: -1 },
      7,
    ]) {
      expect(() => parseStorm(bad), JSON.stringify(bad)).to.throw(WireError);
    }
  });
});
