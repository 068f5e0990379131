import { expect } from 'chai';
import { type AgentClient, capturePackets, connectFakeAgent, FakeAgent } from '../index.ts';

const SIZES = { snapBytes: 2_048, fileBytes: 1_000_000 };

describe('capturing packets', () => {
  let fake: FakeAgent;
  let agent: AgentClient;
  beforeEach(async () => {
    fake = new FakeAgent();
    agent = await connectFakeAgent(fake);
    await agent.enroll(['member-1', 'member-2'].map((name) => ({ name, pid: 1 })));
  });
  const nodes = ['member-1', 'member-2'];
  const reads = (): number => fake.requests.filter(({ op }) => op === 'capture-read').length;

  /** What each node's file would hold, and something to wait for. */
  function files() {
    const bytes = new Map<string, string>();
    let wake: () => void = () => undefined;
    return {
      bytes,
      take: async (node: string, more: Buffer) => {
        bytes.set(node, (bytes.get(node) ?? '') + more.toString('latin1'));
        wake();
      },
      has: async (node: string, text: string): Promise<void> => {
        while (bytes.get(node) !== text) {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      },
    };
  }

  it('hands on what comes while it comes, in order, and what is left at the stop', async () => {
    const { bytes, take, has } = files();
    const capture = await capturePackets(agent, { nodes, ...SIZES, take });
    fake.captured('member-1', Buffer.from('a'));
    await has('member-1', 'a');
    fake.captured('member-1', Buffer.from('b'));
    fake.captured('member-2', Buffer.from([0xff, 0x00, 0x0a]));
    const result = await capture.stop();
    expect(Object.fromEntries(bytes)).to.deep.equal({ 'member-1': 'ab', 'member-2': '\xff\x00\n' });
    expect(result).to.include({ whole: true }).and.to.have.property('problems').that.deep.equals([]);
    expect(result.toNs).to.be.at.least(result.fromNs);
    expect(result.nodes.map(({ name, bytes: size }) => [name, size])).to.deep.equal([
      ['member-1', 2],
      ['member-2', 3],
    ]);
    expect(await capture.stop()).to.equal(result);
  });

  it('asks for no more while what it has is being taken', async () => {
    let taken: () => void = () => undefined;
    let begun: () => void = () => undefined;
    const taking = new Promise<void>((resolve) => {
      begun = resolve;
    });
    const slow = new Promise<void>((resolve) => {
      taken = resolve;
    });
    const capture = await capturePackets(agent, {
      nodes,
      ...SIZES,
      take: () => {
        begun();
        return slow;
      },
    });
    fake.captured('member-1', Buffer.from('a'));
    await taking;
    fake.captured('member-1', Buffer.from('b'));
    // The agent goes on with everything else meanwhile.
    expect(await agent.snapshot()).to.have.property('faults');
    expect(reads()).to.equal(1);
    taken();
    expect((await capture.stop()).whole).to.equal(true);
    expect(reads()).to.be.at.least(2);
  });

  it('is not whole when a piece could not be taken, and says why', async () => {
    const take = () => Promise.reject(new Error('the disk is full'));
    const capture = await capturePackets(agent, { nodes, ...SIZES, take });
    fake.captured('member-1', Buffer.from('a'));
    const { whole, problems } = await capture.stop();
    expect(whole).to.equal(false);
    expect(problems.join()).to.include('the disk is full');
  });

  it('keeps what it has when the agent dies', async () => {
    const { bytes, take, has } = files();
    const capture = await capturePackets(agent, { nodes, ...SIZES, take });
    fake.captured('member-1', Buffer.from('a'));
    await has('member-1', 'a');
    fake.die();
    const { whole, problems, nodes: said } = await capture.stop();
    expect([whole, said, bytes.get('member-1')]).to.deep.equal([false, [], 'a']);
    expect(problems).to.not.deep.equal([]);
  });

  it('gives up what is left when it has no time', async () => {
    const capture = await capturePackets(agent, {
      nodes,
      ...SIZES,
      take: () => new Promise<void>(() => undefined),
    });
    fake.captured('member-1', Buffer.from('a'));
    const hurry = new AbortController();
    const stopped = capture.stop(hurry.signal);
    while (!fake.requests.some(({ op }) => op === 'capture-stop')) await agent.snapshot();
    await agent.snapshot();
    hurry.abort(new Error('interrupted'));
    const { whole, problems } = await stopped;
    expect(whole).to.equal(false);
    expect(problems.join()).to.include('interrupted');
  });

  it('is refused with the agent’s words where it cannot listen, and while another runs', async () => {
    const { take } = files();
    const codeOf = (names: readonly string[]): Promise<string> =>
      capturePackets(agent, { nodes: names, ...SIZES, take }).then(
        () => 'no error',
        (error: { code: string }) => error.code,
      );
    expect(await codeOf(['nobody'])).to.equal('agent-unknown-node');
    const first = await capturePackets(agent, { nodes, ...SIZES, take });
    expect(await codeOf(nodes)).to.equal('agent-capture-running');
    await first.stop();
    expect(await codeOf(nodes)).to.equal('no error');
  });
});
