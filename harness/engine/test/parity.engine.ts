import { Readable } from 'node:stream';
import { expect } from 'chai';
import { extract, pack } from 'tar-stream';
import type { FakeProgram } from '../fake-container.ts';
import { FakeEngine } from '../fake-engine.ts';
import type { ContainerSpec, Engine, EngineEvent } from '../types.ts';
import { outputOf, startTestEngine, until } from './test-engine.ts';

/** What the talker image does, for the fake engine. */
const talker: FakeProgram = async (process) => {
  const [word, ...rest] = process.arguments;
  if (word === 'say') {
    for (const text of rest) {
      if (text.startsWith('err:')) process.stderr(text.slice(4));
      else process.stdout(text);
    }
    return 0;
  }
  if (word === 'exit') return Number(rest[0]);
  if (word === 'echo') {
    for await (const line of process.stdin) process.stdout(`echo ${line}`);
    process.stderr('end of input');
    process.stdout('goodbye');
    return 7;
  }
  if (word === 'wait') process.stdout('waiting');
  while (word === 'stubborn') await process.nextSignal();
  await process.nextSignal();
  return 0;
};

interface Side {
  readonly engine: Engine;
  readonly label: string;
  spec(words: readonly string[], more?: Partial<ContainerSpec>): ContainerSpec;
  end(): Promise<void>;
}

async function fakeSide(): Promise<Side> {
  let made = 0;
  const spec = (words: readonly string[], more: Partial<ContainerSpec> = {}): ContainerSpec => {
    made += 1;
    const labels = { 'squall.test': 'parity', ...more.labels };
    return {
      name: `parity-${made}`,
      hostname: 'talker',
      image: 'talker',
      command: words,
      environment: {},
      network: 'none',
      ...more,
      labels,
    };
  };
  const engine = new FakeEngine({ programs: { talker } });
  return { engine, label: 'squall.test=parity', spec, end: async () => engine.close() };
}

async function realSide(): Promise<Side> {
  const test = await startTestEngine();
  return { engine: test.engine, label: test.label, spec: test.talker, end: test.end };
}

for (const [name, open] of [
  ['the fake engine', fakeSide],
  ['the real engine', realSide],
] as const) {
  describe(`${name}, held to the same cases`, function () {
    this.timeout(60_000);
    let side: Side;
    const run = async (words: readonly string[], more?: Partial<ContainerSpec>): Promise<string> => {
      const id = await side.engine.createContainer(side.spec(words, more));
      await side.engine.startContainer(id);
      return id;
    };
    const codeOf = (action: Promise<unknown>) =>
      action.then(
        () => 'no error',
        (error: { code?: string }) => error.code,
      );
    const ended = (id: string) =>
      until(async () => {
        const state = await side.engine.inspectContainer(id);
        return state && !state.running && state;
      });

    before(async () => {
      side = await open();
    });
    after(() => side.end());

    it('creates, starts and shows a container', async () => {
      const spec = side.spec(['wait']);
      const id = await side.engine.createContainer(spec);
      expect((await side.engine.listContainers([side.label])).find((one) => one.id === id)).to.include({
        name: spec.name,
        state: 'created',
      });
      await side.engine.startContainer(id);
      await side.engine.startContainer(id);
      const state = await side.engine.inspectContainer(id);
      expect(state).to.include({
        name: spec.name,
        running: true,
        paused: false,
        oomKilled: false,
        tty: false,
      });
      expect(state?.pid).to.be.above(0);
      expect(await side.engine.listContainers(['squall.test=nobody'])).to.deep.equal([]);
    });

    it('gives logs by stream, after the end as well', async () => {
      const id = await run(['say', 'one', 'err:two']);
      expect(await outputOf(side.engine, id)).to.deep.equal({ stdout: ['one'], stderr: ['two'] });
      await ended(id);
      expect(await outputOf(side.engine, id)).to.deep.equal({ stdout: ['one'], stderr: ['two'] });
      expect((await side.engine.readLogs(id, 1)).length).to.equal(1);
    });

    it('tells exit codes: its own, of a kill, of a stop that was heeded and of one that was not', async () => {
      expect((await ended(await run(['exit', '4']))).exitCode).to.equal(4);
      const killed = await run(['wait']);
      await side.engine.killContainer(killed, 'SIGKILL');
      expect((await ended(killed)).exitCode).to.equal(137);
      const heeded = await run(['wait']);
      await until(async () => (await side.engine.readLogs(heeded, 1)).length > 0);
      await side.engine.stopContainer(heeded, 10);
      expect((await ended(heeded)).exitCode).to.equal(0);
      const stubborn = await run(['stubborn']);
      await side.engine.stopContainer(stubborn, 1);
      expect((await ended(stubborn)).exitCode).to.equal(137);
      await side.engine.stopContainer(stubborn, 1);
    });

    it('takes files out of a container that has ended and lays them into one that has not begun', async () => {
      const [first, second] = [
        await run(['exit', '0']),
        await side.engine.createContainer(side.spec(['wait'])),
      ];
      const tar = pack();
      tar.entry({ name: 'kept/deep/chunk' }, 'what was kept');
      tar.finalize();
      await side.engine.writeFiles(first, '/', Readable.from(tar));
      await ended(first);
      await side.engine.writeFiles(second, '/', await side.engine.readFiles(first, '/kept'));
      const found: string[] = [];
      const entries = (await side.engine.readFiles(second, '/kept/deep')).pipe(extract());
      for await (const entry of entries) {
        const parts: Buffer[] = [];
        for await (const part of entry) parts.push(Buffer.from(part as Uint8Array));
        if (entry.header.type === 'file') found.push(`${entry.header.name}: ${Buffer.concat(parts)}`);
      }
      expect(found).to.deep.equal(['deep/chunk: what was kept']);
      expect(await codeOf(side.engine.readFiles(second, '/nowhere'))).to.equal('path-not-found');
      expect(await codeOf(side.engine.readFiles('f'.repeat(64), '/kept'))).to.equal('container-not-found');
    });

    it('pauses and goes on', async () => {
      const id = await run(['wait']);
      await side.engine.pauseContainer(id);
      expect(await side.engine.inspectContainer(id)).to.include({ running: true, paused: true });
      await side.engine.unpauseContainer(id);
      expect(await side.engine.inspectContainer(id)).to.include({ running: true, paused: false });
    });

    it('attaches: lines both ways, half-close, end', async () => {
      const id = await side.engine.createContainer(side.spec(['echo'], { openStdin: true }));
      const attached = await side.engine.attach(id);
      await side.engine.startContainer(id);
      attached.write('hello');
      attached.endInput();
      const lines: string[] = [];
      for await (const line of attached.lines) lines.push(line);
      await attached.ended;
      expect(lines).to.deep.equal(['echo hello', 'goodbye']);
      expect((await ended(id)).exitCode).to.equal(7);
    });

    it('runs a command in a container', async () => {
      const id = await run(['wait']);
      const said = await side.engine.exec(id, ['/talker', 'say', 'a', 'err:b']);
      expect(said).to.deep.equal({ exitCode: 0, stdout: 'a', stderr: 'b' });
      expect((await side.engine.exec(id, ['/talker', 'echo'], { stdin: 'x\n' })).stdout).to.equal(
        'echo x\ngoodbye',
      );
    });

    it('refuses with the same codes', async () => {
      const spec = side.spec(['wait']);
      await side.engine.createContainer(spec);
      expect(await codeOf(side.engine.createContainer(spec))).to.equal('name-conflict');
      expect(await codeOf(side.engine.createContainer(side.spec([], { image: 'squall/none:1' })))).to.equal(
        'image-not-found',
      );
      expect(await codeOf(side.engine.startContainer('nobody'))).to.equal('container-not-found');
      const over = await run(['exit', '0']);
      await ended(over);
      expect(await codeOf(side.engine.killContainer(over, 'SIGKILL'))).to.equal('container-not-running');
      expect(await codeOf(side.engine.exec(over, ['/talker', 'say']))).to.equal('container-not-running');
      expect(await side.engine.inspectContainer('nobody')).to.equal(undefined);
      await side.engine.removeContainer('nobody');
      await side.engine.removeNetwork('nobody');
      await side.engine.removeVolume('nobody');
      await side.engine.removeImage('squall/none:1');
    });

    it('keeps a network while a container runs in it', async () => {
      const [key = '', value = ''] = side.label.split('=');
      const [subnet, gateway] = ['198.19.255.0/28', '198.19.255.14'];
      const network = await side.engine.createNetwork({
        name: `parity-${value}`,
        subnet,
        gateway,
        labels: { [key]: value },
      });
      expect((await side.engine.listNetworks([side.label]))[0]).to.deep.include({
        id: network,
        subnets: [subnet],
      });
      const id = await run(['wait'], { network: { id: network, address: '198.19.255.3', aliases: [] } });
      expect(await codeOf(side.engine.removeNetwork(network))).to.equal('network-in-use');
      await side.engine.leaveNetwork(network, id);
      await side.engine.leaveNetwork(network, id);
      await side.engine.leaveNetwork(network, 'nobody');
      await side.engine.leaveNetwork('nobody', id);
      await side.engine.removeNetwork(network);
      await side.engine.removeContainer(id);
      expect(await side.engine.listNetworks([side.label])).to.deep.equal([]);
    });

    it('removes a container that ends when it was asked to', async () => {
      const id = await run(['exit', '0'], { autoRemove: true });
      await until(async () => (await side.engine.inspectContainer(id)) === undefined);
      const running = await run(['stubborn']);
      await side.engine.removeContainer(running);
      expect(await side.engine.inspectContainer(running)).to.equal(undefined);
    });

    it('tells of changes by events', async () => {
      const seen: EngineEvent[] = [];
      const stop = new AbortController();
      const watching = side.engine.events(['seen'], (event) => seen.push(event), stop.signal);
      // The subscription of a real engine stands when its first event arrives.
      const id = await until(async () => {
        const made = await run(['exit', '6'], { labels: { seen: 'yes' } });
        await ended(made);
        return seen.some((event) => event.containerId === made && event.action === 'die') && made;
      });
      stop.abort();
      await watching;
      expect(seen.find((event) => event.containerId === id && event.action === 'die')).to.deep.include({
        exitCode: 6,
      });
    });
  });
}
