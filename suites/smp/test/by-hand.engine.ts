import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { picksFor } from '../seeds.ts';

const PROJECT = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');
const CLI = join(PROJECT, 'harness', 'cli', 'squall.mjs');
/** P1 first and, forgotten, P1 again: stuck for two streaks, and so for long enough to be looked at; then P2. */
const PICKS = ['proxy-1', 'proxy-1', 'proxy-2'];
const SEED = String(
  Array.from({ length: 1_000 }, (_, seed) => seed).find(
    (seed) => picksFor(String(seed), 2, PICKS.length).join() === PICKS.join(),
  ),
);
/** Timeouts of 30 s then pass in under 8 s. */
const WARP = '4';
const STUCK = /STUCK relay-1 via proxy-1/;

interface AgentState {
  readonly connections: readonly { readonly status: string; readonly received: number }[];
  readonly choices: Readonly<Record<string, { readonly proxy: string }>>;
}

describe('a black hole by hand, as the README of the suite has it', function () {
  this.timeout(600_000);
  // A name of its own, so that a bed of somebody else is neither taken for it nor in its way.
  const bed = `smp-by-hand-${process.pid}`;
  let isUp = false;

  function squall(...words: string[]): string {
    const called = words[0] === 'up' ? [...words, '--name', bed] : [...words, '--bed', bed];
    const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...called], {
      cwd: PROJECT,
      encoding: 'utf8',
    });
    expect(status, `${called.join(' ')}: ${stdout}${stderr}`).to.equal(0);
    return stdout;
  }
  const ask = <T>(node: string, path: string, body?: object): T =>
    JSON.parse(squall('ask', node, path, ...(body ? [JSON.stringify(body)] : []))) as T;
  const stateOf = (node: string) => ask<AgentState>(node, '/state');

  /** Asks again and again, for at most `withinMs`; each call takes its second. */
  function until(what: string, withinMs: number, isSo: () => boolean): void {
    const endMs = performance.now() + withinMs;
    while (!isSo()) {
      if (performance.now() > endMs) expect.fail(`${what}: not within ${withinMs} ms\n${squall('status')}`);
    }
  }

  /** Two agents that are connected by P1, then the black hole, then a message that it swallows. */
  function stuckBehindTheHole(variant: string): void {
    squall(
      'up',
      'topologies/smp-two-proxies.yaml',
      '--seed',
      SEED,
      '--warp',
      WARP,
      '--variant',
      `app=${variant}`,
    );
    isUp = true;
    const { link } = ask<{ readonly link: string }>('contact-1', '/link', {});
    ask('app-1', '/join', { link });
    until('a connection', 60_000, () =>
      ['app-1', 'contact-1'].every((node) => stateOf(node).connections[0]?.status === 'established'),
    );
    expect(stateOf('app-1').choices['relay-1']?.proxy).to.equal('proxy-1');
    squall(
      ...['fault', 'blackhole-after', '--from', 'proxy-1', '--to', 'relay-1', '--port', '5223'],
      ...['--for', '10m', '--set', 'bytes=20KiB'],
    );
    expect(squall('status'))
      .to.match(/blackhole-after/)
      .and.not.match(STUCK);
    ask('app-1', '/send', { connection: 'c1', count: 1 });
    until('what is stuck in `squall status`', 60_000, () => STUCK.test(squall('status')));
  }

  const arrives = (): void =>
    until('the message', 120_000, () => stateOf('contact-1').connections[0]?.received === 1);

  afterEach(() => {
    if (isUp) squall('down');
    isUp = false;
  });

  it('keeps the old agent stuck for status to show, until it is lifted', () => {
    stuckBehindTheHole('master');
    expect(stateOf('contact-1').connections[0]?.received).to.equal(0);
    squall('lift', '--all');
    arrives();
    expect(squall('status')).to.not.match(STUCK);
    expect(stateOf('app-1').choices['relay-1']?.proxy, 'by the proxy that it had').to.equal('proxy-1');
  });

  it('lets the new agent deliver by its re-pick, with the hole in force', () => {
    stuckBehindTheHole('repick');
    arrives();
    expect(squall('status'))
      .to.match(/blackhole-after/)
      .and.not.match(STUCK);
    expect(stateOf('app-1').choices['relay-1']?.proxy).to.equal('proxy-2');
  });
});
