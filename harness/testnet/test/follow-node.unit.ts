import { expect } from 'chai';
import type { ContainerState, Engine } from '../../engine/index.ts';
import { addressNodes } from '../../topology/index.ts';
import { EventLog } from '../event-log.ts';
import { endedNs, followNode } from '../follow-node.ts';
import { LiveNode } from '../live-node.ts';
import { nowNs } from '../monotonic.ts';
import { memberTopology, until } from './test-bed.ts';

function liveNode(lines: string[]): LiveNode {
  const [plan] = addressNodes(memberTopology(2), (slash24, host) => `198.18.${slash24}.${host}`);
  if (!plan) throw new Error('no node');
  const node = new LiveNode({
    plan,
    image: { reference: 'r', imageId: 'i' },
    onEvent: () => undefined,
    onLine: (_node, _stream, line) => void lines.push(line),
  });
  node.containerId = 'old';
  node.began(1);
  return node;
}

/** Containers by id: what each says before its log ends, and what the engine answers when it is asked about it. */
function engineOf(
  logs: Readonly<Record<string, string>>,
  inspect: (id: string) => ContainerState | undefined,
): Engine {
  const engine: Partial<Engine> = {
    info: { host: 'this' } as Engine['info'],
    followLogs: async (id, onLine, signal) => {
      onLine('stdout', logs[id] ?? '');
      if (id === 'old') return;
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
    inspectContainer: async (id) => inspect(id),
  };
  return engine as Engine;
}

describe('following a node', () => {
  it('takes the moment of an exit from the engine’s stamp, where that can be this life’s and this host’s', () => {
    const agoMs = (ms: number) => ({ finishedAt: new Date(Date.now() - ms).toISOString() });
    const beganNs = nowNs() - 60e9;
    const heardNs = nowNs();
    // Stamps here are cut to milliseconds.
    expect((heardNs - endedNs(agoMs(6_000), 'this', beganNs)) / 1e9).to.be.closeTo(6, 0.5);
    for (const [state, host, sinceNs] of [
      [agoMs(6_000), 'remote', beganNs],
      [agoMs(90_000), 'this', beganNs],
      [agoMs(-5_000), 'this', beganNs],
      [{ finishedAt: '0001-01-01T00:00:00Z' }, 'this', beganNs],
      [undefined, 'this', beganNs],
    ] as const) {
      expect(endedNs(state, host, sinceNs), JSON.stringify(state)).to.be.within(heardNs, nowNs());
    }
  });

  it('goes on with the new container of a node that began anew while the engine was asked about the old one', async () => {
    const lines: string[] = [];
    const node = liveNode(lines);
    const events = new EventLog('nowhere');
    const end = new AbortController();
    const engine = engineOf({ old: 'first', new: 'second' }, () => {
      node.containerId = 'new';
      node.began(2);
      return undefined;
    });
    const following = followNode(engine, node, events, end.signal);
    await until(() => lines.length === 2);
    end.abort(new Error('enough'));
    await following;
    expect(lines).to.deep.equal(['first', 'second']);
    expect(node.exit, 'the new process is not the one that ended').to.equal(undefined);
  });

  it('says once that a node has ended, and follows it again when it begins anew', async () => {
    const lines: string[] = [];
    const node = liveNode(lines);
    const events = new EventLog('nowhere');
    const end = new AbortController();
    const engine = engineOf({ old: 'first', new: 'second' }, () => undefined);
    const following = followNode(engine, node, events, end.signal);
    await until(() => node.exit !== undefined);
    node.containerId = 'new';
    node.began(2);
    await until(() => lines.length === 2);
    end.abort(new Error('enough'));
    await following;
    expect(events.since(0).map(({ event, node: of }) => [event, of])).to.deep.equal([
      ['node.exited', 'member-1'],
    ]);
  });
});
