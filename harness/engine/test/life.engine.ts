import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { SquallError } from '../../errors/index.ts';
import type { SubnetLease } from '../../network/index.ts';
import { leaseSubnet } from '../../network/index.ts';
import type { EngineEvent } from '../types.ts';
import { startTestEngine, type TestEngine, until } from './test-engine.ts';

describe('containers on a real engine', function () {
  this.timeout(60_000);
  let test: TestEngine;
  let lease: SubnetLease;
  let network: string;
  before(async () => {
    test = await startTestEngine();
    lease = await leaseSubnet(test.engine, { prefix: 24, runId: test.label, bedId: 'engine' });
    const { subnet, gateway, autoRange } = lease;
    const [key = '', value = ''] = test.label.split('=');
    network = await test.engine.createNetwork({
      name: test.label.replace('=', '-'),
      subnet,
      gateway,
      autoRange,
      labels: { [key]: value },
    });
  });
  after(async () => {
    await test.end();
    lease.release();
  });

  it('have the address that was asked for, and no IPv6', async () => {
    const address = lease.addressAt(0, 17);
    const id = await test.run(['wait'], { network: { id: network, address, aliases: ['member-1'] } });
    const pid = (await test.engine.inspectContainer(id))?.pid ?? 0;
    expect(readFileSync(`/proc/${pid}/net/fib_trie`, 'utf8')).to.include(address);
    expect(readFileSync(`/proc/${pid}/net/if_inet6`, 'utf8')).to.not.match(/eth0/);
  });

  it('without an address get one from the end of the bed, where no node is', async () => {
    const { stdout } = await test.engine.exec(
      await test.run(['wait'], { network: { id: network, address: lease.addressAt(0, 20), aliases: [] } }),
      ['/talker', 'say', 'here'],
    );
    expect(stdout).to.equal('here');
    const listed = (await test.engine.listNetworks([test.label]))[0];
    expect(listed?.subnets).to.deep.equal([lease.subnet]);
  });

  it('are refused an address that another has', async () => {
    const taken = { id: network, address: lease.addressAt(0, 30), aliases: [] };
    await test.run(['wait'], { network: taken });
    const outcome = await test.run(['wait'], { network: taken }).catch((error: unknown) => error);
    expect(outcome).to.include({ code: 'address-in-use' });
  });

  it('are refused in a network that is gone, by its own code', async () => {
    const { subnet, gateway } = lease;
    const gone = { id: 'f'.repeat(64), address: lease.addressAt(0, 40), aliases: [] };
    const created = await test.engine
      .createContainer(test.talker(['wait'], { network: gone }))
      .catch((error: unknown) => error);
    const outcome =
      typeof created === 'string'
        ? await test.engine.startContainer(created).catch((error: unknown) => error)
        : created;
    expect(outcome).to.include({ code: 'network-not-found' });
    const again = await test.engine
      .createNetwork({ name: 'again', subnet, gateway, labels: {} })
      .catch((error: unknown) => error);
    expect(again).to.include({ code: 'subnet-overlap' });
    expect((again as SquallError).facts['ours']).to.include(test.label.replace('=', '-'));
  });

  it('run a command with its input and give its output and exit code', async () => {
    const id = await test.run(['wait']);
    expect(await test.engine.exec(id, ['/talker', 'echo'], { stdin: 'a\nb\n' })).to.deep.equal({
      exitCode: 7,
      stdout: 'echo a\necho b\ngoodbye',
      stderr: 'end of input',
    });
    expect((await test.engine.exec(id, ['/talker', 'exit', '3'])).exitCode).to.equal(3);
    const missing = await test.engine.exec(id, ['/no/such']);
    expect(missing.exitCode).to.be.within(126, 127);
  });

  it('keep to their limits, also to changed ones', async () => {
    const id = await test.run(['wait'], { memoryBytes: 64 * 1024 * 1024, cpus: 0.5 });
    await test.engine.updateContainer(id, { memoryBytes: 32 * 1024 * 1024, cpus: 0.25 });
    const usage = await test.engine.usage(id);
    expect(usage?.memoryBytes).to.be.within(1, 32 * 1024 * 1024);
    expect(usage?.pids).to.be.at.least(1);
  });

  it('tell of every change by an event with their labels', async () => {
    const seen: EngineEvent[] = [];
    const stop = new AbortController();
    const watching = test.engine.events([test.label, 'watched'], (event) => seen.push(event), stop.signal);
    const id = await test.run(['exit', '5'], { labels: { watched: 'yes' } });
    await test.run(['exit', '5']);
    await until(async () => seen.some((event) => event.action === 'die'));
    stop.abort();
    await watching;
    expect(seen.map((event) => event.action)).to.include.members(['create', 'start', 'die']);
    expect(seen.every((event) => event.containerId === id)).to.equal(true);
    expect(seen.find((event) => event.action === 'die')).to.include({ exitCode: 5 });
  });

  it('are removed once, twice, and by two at once', async () => {
    const id = await test.run(['stubborn']);
    await Promise.all([test.engine.removeContainer(id), test.engine.removeContainer(id)]);
    await test.engine.removeContainer(id);
    expect(await test.engine.inspectContainer(id)).to.equal(undefined);
  });
});

describe('images on a real engine', function () {
  this.timeout(60_000);
  let test: TestEngine;
  before(async () => {
    test = await startTestEngine();
  });
  after(() => test.end());

  it('that no registry has are told apart from a registry that does not answer', async () => {
    const why = await test.engine.whyNotPullable('localhost:9/nothing:1');
    expect(why).to.match(/localhost:9/);
    expect(await test.engine.imageId('localhost:9/nothing:1')).to.equal(undefined);
    const outcome = await test.engine
      .pullImage('localhost:9/nothing:1', () => undefined)
      .catch((error: unknown) => error);
    expect(outcome).to.include({ code: 'registry-unreachable' });
  });
});
