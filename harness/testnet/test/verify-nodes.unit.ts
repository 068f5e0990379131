import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import type { AgentClient } from '../../fault/index.ts';
import { addressNodes } from '../../topology/index.ts';
import { LiveNode } from '../live-node.ts';
import { nowNs } from '../monotonic.ts';
import { verifyNodes } from '../verify-nodes.ts';
import { memberTopology } from './test-bed.ts';

/** The two that are asked, of a bed whose only node answers as given, one answer a request; the last one stays. */
function bedThatAnswers(...answers: readonly (number | Error)[]) {
  const [plan] = addressNodes(memberTopology(2, 'shipped'), (slash24, host) => `198.18.${slash24}.${host}`);
  if (!plan) throw new Error('no node');
  const node = new LiveNode({
    plan,
    image: { reference: 'r', imageId: 'i' },
    onEvent: () => undefined,
    onLine: () => undefined,
  });
  node.containerId = 'c1';
  node.pid = 42;
  let asked = 0;
  const agent: Pick<AgentClient, 'lost' | 'snapshot' | 'http'> = {
    lost: undefined,
    snapshot: async () => ({ atNs: 0, nodes: [], faults: [], redirects: [] }),
    http: async () => {
      const answer = answers[Math.min(asked, answers.length - 1)];
      asked += 1;
      if (typeof answer !== 'number') throw answer;
      return { status: answer, body: '', headers: {}, encoding: 'utf8' };
    },
  };
  const engine = {
    listContainers: async () => [{ id: 'c1', name: plan.name, state: 'running' }],
    inspectContainer: async () => ({ pid: 42 }),
  };
  return {
    node,
    asked: () => asked,
    verify: (signal?: AbortSignal) =>
      verifyNodes({
        engine: engine as unknown as Engine,
        agent: agent as AgentClient,
        nodeLabels: ['squall.bed=bed', 'squall.kind=node'],
        nodes: [node],
        standingRedirects: 0,
        ...(signal && { signal }),
      }),
  };
}

const REFUSED = new Error('connect: connection refused');

describe('a bed that is verified', () => {
  it('is clean when a node that was just started again answers after a moment', async () => {
    const bed = bedThatAnswers(REFUSED, REFUSED, 200);
    expect(await bed.verify()).to.deep.equal({ clean: true, problems: [] });
    expect(bed.asked()).to.equal(3);
  });

  it('is dirty when a node answers that it is not well, and is not asked again', async () => {
    const bed = bedThatAnswers(503, 200);
    const { clean, problems } = await bed.verify();
    expect(clean).to.equal(false);
    expect(problems.join()).to.include('answers 503 to /healthz');
  });

  it('is clean when a node that was just started again says for a moment that it is not ready', async () => {
    const bed = bedThatAnswers(REFUSED, 503, 200);
    bed.node.startedNs = nowNs();
    expect(await bed.verify()).to.deep.equal({ clean: true, problems: [] });
    expect(bed.asked()).to.equal(3);
  });

  it('is dirty when a node that was started long ago is not ready', async () => {
    const bed = bedThatAnswers(503, 200);
    bed.node.startedNs = nowNs() - 60e9;
    expect((await bed.verify()).clean).to.equal(false);
    expect(bed.asked()).to.equal(1);
  });

  it('stops asking when nobody waits for the answer', async () => {
    const stop = new AbortController();
    const bed = bedThatAnswers(REFUSED);
    const verified = bed.verify(stop.signal).catch((error: unknown) => error);
    stop.abort(new Error('given up'));
    expect(String(await verified)).to.match(/given up|abort/i);
  });
});
