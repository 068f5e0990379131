import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { outputOf, startTestEngine, type TestEngine, until } from './test-engine.ts';

describe('what containers say', function () {
  this.timeout(60_000);
  let test: TestEngine;
  before(async () => {
    test = await startTestEngine();
  });
  after(() => test.end());

  it('arrives line by line, apart by stream, from the first line on', async () => {
    const id = await test.run(['say', 'one', 'err:two', '', 'three']);
    expect(await outputOf(test.engine, id)).to.deep.equal({ stdout: ['one', '', 'three'], stderr: ['two'] });
  });

  it('includes a last line without newline', async () => {
    expect((await outputOf(test.engine, await test.run(['unfinished']))).stdout).to.deep.equal([
      'no newline at the end',
    ]);
  });

  it('keeps a line over 16 KiB whole, with the characters that the engine cut', async () => {
    const { stdout } = await outputOf(test.engine, await test.run(['long', '20000']));
    expect(stdout).to.deep.equal([`a${'€'.repeat(20_000)}`]);
  });

  it('marks a line over 1 MiB as cut, and goes on after it', async () => {
    const { stdout } = await outputOf(test.engine, await test.run(['long', '400000']));
    expect(stdout).to.have.length(1);
    expect(stdout[0]).to.match(/€ …\[truncated: \d+ more bytes\]$/);
  });

  it('is read raw from a terminal, without carriage returns', async () => {
    const id = await test.run(['say', 'one', 'two'], { tty: true });
    expect((await outputOf(test.engine, id)).stdout).to.deep.equal(['one', 'two']);
  });

  it('loses no line at 20,000 a second', async () => {
    const id = await test.run(['paced', '60000', '20000']);
    const { stdout } = await outputOf(test.engine, id);
    const numbers = stdout.map((line) => Number(line.split(' ')[1]));
    expect(numbers.length).to.equal(60_000);
    expect(numbers.every((number, index) => number === index)).to.equal(true);
  });

  it('can be followed from the start of the process, without what earlier ones said', async () => {
    const id = await test.run(['say', 'hello']);
    await outputOf(test.engine, id);
    const since = { since: new Date().toISOString() };
    await test.engine.startContainer(id);
    const lines: string[] = [];
    await test.engine.followLogs(id, (_stream, line) => lines.push(line), AbortSignal.timeout(10_000), since);
    expect(lines).to.deep.equal(['hello']);
    expect(await test.engine.readLogs(id, 10)).to.deep.equal(['hello', 'hello']);
    expect(await test.engine.readLogs(id, 1)).to.deep.equal(['hello']);
  });

  it('stops being followed when the signal says so, while the container lives on', async () => {
    const id = await test.run(['wait']);
    const controller = new AbortController();
    const lines: string[] = [];
    const following = test.engine.followLogs(
      id,
      (_stream, line) => {
        lines.push(line);
        controller.abort();
      },
      controller.signal,
    );
    await following;
    expect(lines).to.deep.equal(['waiting']);
    expect((await test.engine.inspectContainer(id))?.running).to.equal(true);
  });

  it('is an error, not an empty log, when there is no such container', async () => {
    const outcome = await outputOf(test.engine, 'nobody').catch((error: unknown) => error);
    expect(outcome).to.include({ code: 'container-not-found' });
  });
});

describe('an attached process', function () {
  this.timeout(60_000);
  let test: TestEngine;
  before(async () => {
    test = await startTestEngine();
  });
  after(() => test.end());

  async function attachEcho() {
    const id = await test.engine.createContainer(test.talker(['echo'], { openStdin: true }));
    const attached = await test.engine.attach(id);
    await test.engine.startContainer(id);
    return { id, attached, lines: attached.lines[Symbol.asyncIterator]() };
  }

  it('answers what it is told, however long', async () => {
    const { attached, lines } = await attachEcho();
    const long = '€'.repeat(30_000);
    for (const word of ['one', 'two', long]) {
      attached.write(word);
      expect((await lines.next()).value).to.equal(`echo ${word}`);
    }
    attached.close();
  });

  it('reads nothing that we did not write', async () => {
    const { attached, lines } = await attachEcho();
    attached.endInput();
    expect((await lines.next()).value).to.equal('goodbye');
  });

  it('reads end of file when we half-close, and its last words arrive', async () => {
    const { id, attached, lines } = await attachEcho();
    attached.write('last');
    attached.endInput();
    expect((await lines.next()).value).to.equal('echo last');
    expect((await lines.next()).value).to.equal('goodbye');
    expect((await lines.next()).done).to.equal(true);
    await attached.ended;
    const errors: string[] = [];
    for await (const line of attached.errorLines) errors.push(line);
    expect(errors).to.deep.equal(['end of input']);
    const state = await until(async () => {
      const found = await test.engine.inspectContainer(id);
      return found?.running === false && found;
    });
    expect(state.exitCode).to.equal(7);
    expect(() => attached.write('too late')).to.throw(/its input is closed/);
  });

  it('reads end of file when the process that attached is killed', async () => {
    const id = await test.engine.createContainer(test.talker(['echo'], { openStdin: true }));
    const script = fileURLToPath(new URL('./attach-and-hang.ts', import.meta.url));
    const child = spawn(process.execPath, ['--import', 'tsx', script, test.engine.info.endpoint, id], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    expect((await test.engine.inspectContainer(id))?.running).to.equal(true);
    child.kill('SIGKILL');
    const state = await until(async () => {
      const found = await test.engine.inspectContainer(id);
      return found?.running === false && found;
    });
    expect(state.exitCode).to.equal(7);
  });

  it('tells that it is gone by the end of its lines', async () => {
    const { id, attached, lines } = await attachEcho();
    await test.engine.killContainer(id, 'SIGKILL');
    expect((await lines.next()).done).to.equal(true);
    await attached.ended;
  });

  it('cannot flood us: its pipe fills while nobody reads, and nothing is lost', async () => {
    const id = await test.engine.createContainer(
      test.talker(['paced', '300000', '300000'], { openStdin: true }),
    );
    const attached = await test.engine.attach(id);
    await test.engine.startContainer(id);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const before = process.memoryUsage().rss;
    let count = 0;
    for await (const line of attached.lines) {
      expect(line.startsWith(`line ${count} `)).to.equal(true);
      count += 1;
    }
    expect(count).to.equal(300_000);
    expect(process.memoryUsage().rss - before).to.be.below(200e6);
  });
});
