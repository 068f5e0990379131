import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { type AgentClient, capturePackets, connectFakeAgent, FakeAgent, type WireFault } from '../index.ts';
import { type RealBed, startRealBed } from './real-bed.ts';

/** One agent with two enrolled nodes, and a way to let datagrams leave the first of them. */
interface Side {
  readonly agent: AgentClient;
  send(datagrams: number): Promise<void>;
  close(): Promise<void>;
}

async function realSide(): Promise<Side> {
  const bed: RealBed = await startRealBed({ nodes: 2 });
  return {
    agent: bed.agent,
    send: async (count) => {
      await bed.send('node-1', 'node-2', { count, gapUs: 200 });
    },
    close: () => bed.remove(),
  };
}

async function fakeSide(): Promise<Side> {
  const fake = new FakeAgent();
  const agent = await connectFakeAgent(fake);
  await agent.enroll([
    { name: 'node-1', pid: 1 },
    { name: 'node-2', pid: 2 },
  ]);
  return {
    agent,
    send: async (packets) => {
      fake.traffic({ node: 'node-1', direction: 'out', protocol: 'udp', port: 7000, packets });
      fake.captured('node-1', Buffer.alloc(100));
    },
    close: () => agent.close(),
  };
}

function wire(kind: string, fields: Readonly<Record<string, unknown>> = {}): WireFault {
  const id = `${kind}-${randomBytes(3).toString('hex')}`;
  return { id, kind, nodes: ['node-1'], direction: 'out', protocol: 'udp', seed: 's', ...fields };
}

for (const [name, start] of [
  ['the fake agent', fakeSide],
  ['the real agent', realSide],
] as const) {
  describe(`the agent's protocol, on ${name}`, function () {
    this.timeout(120_000);
    let side: Side;
    const codeOf = (work: Promise<unknown>) =>
      work.then(
        () => 'no error',
        (error: { code: string }) => error.code,
      );
    const countsOf = async (id: string) => (await side.agent.witness([id])).faults[0]?.perNode['node-1'];
    const stateOf = async (id: string) =>
      (await side.agent.snapshot()).faults.find((fault) => fault.id === id)?.state;

    before(async () => {
      side = await start();
    });
    after(() => side.close());

    it('says what it can do', () => {
      for (const need of ['nfqueue', 'nftTable', 'rawSocket']) {
        expect(side.agent.hello.capabilities[need], need).to.include({ ok: true });
      }
    });

    it('lets packets pass while a fault is armed', async () => {
      const fault = wire('drop');
      const armed = await side.agent.arm([fault]);
      expect(armed.nodes.map((node) => node.name)).to.deep.equal(['node-1']);
      await side.send(5);
      expect((await countsOf(fault.id))?.droppedOut ?? 0).to.equal(0);
      expect(await stateOf(fault.id)).to.equal('armed');
      await side.agent.disarm([fault.id]);
      expect(await stateOf(fault.id)).to.equal(undefined);
    });

    it('drops from apply to lift, and says both by event', async () => {
      const fault = wire('drop');
      const events: string[] = [];
      const stop = side.agent.onEvent((event) => {
        if (event.fields.id === fault.id) events.push(event.event);
      });
      await side.agent.arm([fault]);
      const { atNs } = await side.agent.apply([fault.id], {});
      expect(atNs / 1e6).to.be.closeTo(Number(process.hrtime.bigint()) / 1e6, 5_000);
      await side.send(7);
      expect(await stateOf(fault.id)).to.equal('applied');
      await side.agent.lift([fault.id]);
      expect(await countsOf(fault.id)).to.include({ droppedOut: 7 });
      expect(await stateOf(fault.id)).to.equal('lifted');
      await side.agent.disarm([fault.id]);
      stop();
      expect(events).to.deep.equal(['applied', 'lifted']);
    });

    it('holds, and releases all of it at the lift', async () => {
      const fault = wire('hold', { udp: 'hold', tcp: 'drop', other: 'pass' });
      await side.agent.arm([fault]);
      await side.agent.apply([fault.id], {});
      await side.send(9);
      expect(await countsOf(fault.id)).to.include({ heldOut: 9 });
      await side.agent.lift([fault.id]);
      expect(await countsOf(fault.id)).to.include({ heldOut: 9, releasedOut: 9 });
      await side.agent.disarm([fault.id]);
    });

    it('lifts by its own clock when a length was given, and takes a second lift as nothing', async () => {
      const fault = wire('drop');
      await side.agent.arm([fault]);
      const lifted = new Promise<number>((resolve) => {
        const stop = side.agent.onEvent((event) => {
          if (event.event !== 'lifted' || event.fields.id !== fault.id) return;
          stop();
          resolve(event.fields.atNs as number);
        });
      });
      const planned = await side.agent.apply([fault.id], { afterMs: 30, forMs: 60 });
      expect(planned.liftsAtNs! - planned.atNs).to.equal(60e6);
      expect((await lifted) - planned.atNs).to.be.at.least(55e6);
      await side.agent.lift([fault.id]);
      await side.agent.lift([fault.id]);
      await side.agent.disarm([fault.id]);
      await side.agent.disarm([fault.id]);
    });

    it('refuses what it does not know, with the same codes', async () => {
      expect(await codeOf(side.agent.apply(['nobody'], {}))).to.equal('agent-unknown-fault');
      expect(await codeOf(side.agent.witness(['nobody']))).to.equal('agent-unknown-fault');
      expect(await codeOf(side.agent.arm([wire('drop', { nodes: ['node-9'] })]))).to.equal(
        'agent-unknown-node',
      );
      const fault = wire('drop');
      await side.agent.arm([fault]);
      expect(await codeOf(side.agent.arm([fault]))).to.equal('agent-fault-exists');
      await side.agent.apply([fault.id], {});
      expect(await codeOf(side.agent.apply([fault.id], {}))).to.equal('agent-not-armed');
      await side.agent.disarm([fault.id]);
      expect(await codeOf(side.agent.lift(['nobody']))).to.equal('no error');
    });

    it('captures until it is stopped, refuses a second meanwhile, and then makes another', async () => {
      for (let round = 0; round < 2; round += 1) {
        const taken = new Map<string, number>();
        const options = {
          nodes: ['node-1'],
          snapBytes: 2_048,
          fileBytes: 1024 ** 2,
          take: async (node: string, bytes: Buffer) => {
            taken.set(node, (taken.get(node) ?? 0) + bytes.length);
          },
        };
        const capture = await capturePackets(side.agent, options);
        expect(await codeOf(capturePackets(side.agent, options))).to.equal('agent-capture-running');
        await side.send(5);
        const { whole, problems, nodes } = await capture.stop();
        expect([whole, problems]).to.deep.equal([true, []]);
        expect(nodes.map(({ name, bytes }) => [name, bytes])).to.deep.equal([...taken]);
        expect(nodes[0]).to.include({ kernelDropped: 0, unread: 0, overLimit: 0 });
        expect(await codeOf(side.agent.stopCapture())).to.equal('agent-no-capture');
      }
      const nobody = { nodes: ['node-9'], snapBytes: 2_048, fileBytes: 1024 ** 2 };
      expect(await codeOf(side.agent.startCapture(nobody))).to.equal('agent-unknown-node');
    });

    it('redirects, reads its rules back, and takes them away by source and destination', async () => {
      const rule = {
        node: 'node-1',
        dstIp: '198.18.239.1',
        dstPort: 9_000,
        protocol: 'tcp',
        toIp: '198.18.239.2',
        toPort: 9_001,
      } as const;
      await side.agent.redirect([rule]);
      expect((await side.agent.snapshot()).redirects).to.have.lengthOf(1);
      expect((await side.agent.snapshot()).redirects[0]).to.include({ ...rule, connections: 0 });
      await side.agent.unredirect([rule]);
      await side.agent.unredirect([rule]);
      expect((await side.agent.snapshot()).redirects).to.deep.equal([]);
    });
  });
}
