import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { FakeEngine } from '../../engine/index.ts';
import { checkBridgePorts } from '../bridge-ports.ts';
import { parseRoutes } from '../host-routes.ts';
import { formatAddress, formatBlock, overlaps, parseAddress, parseBlock } from '../ipv4.ts';
import { leaseSubnet, listSubnetLeases } from '../lease-subnet.ts';
import { candidateBlocks, ENGINE_RANGE, layoutSubnet } from '../subnet-plan.ts';

const byte = fc.integer({ min: 0, max: 255 });

describe('addresses', () => {
  it('read as they are written', () => {
    fc.assert(
      fc.property(byte, byte, byte, byte, (a, b, c, d) => {
        const text = `${a}.${b}.${c}.${d}`;
        expect(formatAddress(parseAddress(text))).to.equal(text);
      }),
    );
    expect(formatBlock(parseBlock('198.18.17.9/20'))).to.equal('198.18.16.0/20');
    for (const bad of ['', '1.2.3', '1.2.3.256', '1.2.3.4.5', 'a.b.c.d'])
      expect(() => parseAddress(bad)).to.throw(/not an IPv4/);
    expect(() => parseBlock('1.2.3.4')).to.throw(/expected ADDRESS\/PREFIX/);
    expect(() => parseBlock('1.2.3.4/33')).to.throw(/not an IPv4 subnet/);
  });

  it("of routes are read from the kernel's table, default route aside", () => {
    const table = [
      'Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT',
      'eth0\t00000000\t010200C0\t0003\t0\t0\t0\t00000000\t0\t0\t0',
      'br-1\t001012C6\t00000000\t0001\t0\t0\t0\t00F0FFFF\t0\t0\t0',
      'eth0\t000200C0\t00000000\t0001\t0\t0\t0\t00FFFFFF\t0\t0\t0',
      '',
    ].join('\n');
    expect(parseRoutes(table).map(formatBlock)).to.deep.equal(['198.18.16.0/20', '192.0.2.0/24']);
  });
});

describe("a bed's subnet", () => {
  it('gives every node an address of its own, away from gateway, helpers and broadcasts', () => {
    for (const prefix of [20, 22, 24]) {
      const layout = layoutSubnet(parseBlock(`198.18.32.0/${prefix}`));
      const seen = new Set<string>();
      for (let slash24 = 0; slash24 < layout.slash24Count; slash24 += 1) {
        for (let host = 1; host <= layout.lastHost(slash24); host += 1)
          seen.add(layout.addressAt(slash24, host));
      }
      const block = parseBlock(layout.subnet);
      const auto = parseBlock(layout.autoRange);
      expect(seen.size).to.equal(layout.slash24Count * 254 - 63);
      expect(seen.has(layout.gateway)).to.equal(false);
      for (const address of seen) {
        const one = parseBlock(`${address}/32`);
        expect(overlaps(one, block)).to.equal(true);
        expect(overlaps(one, auto)).to.equal(false);
      }
      expect(overlaps(parseBlock(`${layout.gateway}/32`), auto)).to.equal(true);
    }
  });

  it('refuses addresses outside it, with the range that there is', () => {
    const layout = layoutSubnet(parseBlock('198.18.32.0/20'));
    for (const [slash24, host] of [
      [16, 1],
      [-1, 1],
      [0, 0],
      [0, 255],
      [15, 192],
      [0, 1.5],
    ] as const) {
      expect(() => layout.addressAt(slash24, host)).to.throw(
        /outside 198\.18\.32\.0\/20; expected \/24 0 to 15/,
      );
    }
  });

  it('never lies where the engine gives addresses', () => {
    for (const prefix of [16, 20, 24]) {
      for (const block of candidateBlocks(prefix)) expect(overlaps(block, ENGINE_RANGE)).to.equal(false);
    }
    expect(candidateBlocks(20)).to.have.length(31);
    expect(() => candidateBlocks(25)).to.throw(/expected \/16 to \/24/);
  });
});

describe('leasing a subnet', () => {
  let stateDir: string;
  let engine: FakeEngine;
  const lease = (bedId: string, prefix = 20) => leaseSubnet(engine, { prefix, runId: 'r', bedId, stateDir });

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'squall-lease-'));
    engine = new FakeEngine();
  });
  afterEach(() => {
    rmSync(stateDir, { recursive: true, force: true });
  });

  it('never gives two beds the same addresses, of whatever sizes', async () => {
    const leases = await Promise.all([
      lease('a'),
      lease('b', 24),
      lease('c', 22),
      lease('d'),
      lease('e', 24),
    ]);
    const blocks = leases.map((one) => parseBlock(one.subnet));
    blocks.forEach((block, index) => {
      for (const other of blocks.slice(index + 1)) expect(overlaps(block, other)).to.equal(false);
    });
    expect(
      listSubnetLeases(stateDir)
        .map((holder) => holder.bedId)
        .sort(),
    ).to.deep.equal(['a', 'b', 'c', 'd', 'e']);
  });

  it("passes over what the engine's networks have, also those of beds whose process died", async () => {
    const first = await lease('a');
    first.release();
    await engine.createNetwork({ name: 'left', subnet: first.subnet, gateway: first.gateway, labels: {} });
    expect((await lease('b')).subnet).to.not.equal(first.subnet);
  });

  it('gives a released subnet again', async () => {
    const first = await lease('a');
    first.release();
    first.release();
    expect((await lease('b')).subnet).to.equal(first.subnet);
  });

  it('says who has what when nothing is left', async () => {
    for (const prefix of [17, 17, 18, 19, 20, 21, 22, 23, 24, 24])
      await lease('x', prefix).catch(() => undefined);
    const outcome = await lease('late', 17).catch((error: unknown) => error);
    expect(outcome).to.include({ code: 'no-subnet-left' });
    expect((outcome as { facts: { holders: unknown[] } }).facts.holders).to.not.have.length(0);
    expect((outcome as { hint: string }).hint).to.include('squall sweep');
  });
});

describe('a bridge', () => {
  it('takes a thousand nodes, and says how many networks more would need', () => {
    expect(() => checkBridgePorts('net', 1000)).to.not.throw();
    expect(() => checkBridgePorts('net', 2500)).to.throw(/2500 nodes do not fit on one Linux bridge/);
  });
});
