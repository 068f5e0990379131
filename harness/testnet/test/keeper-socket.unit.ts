import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { connectKeeper, requireBed } from '../keeper-client.ts';
import { bedsDir, listKeepers, socketPath, writeCard } from '../keeper-files.ts';
import { type KeeperOperation, KeeperServer } from '../keeper-server.ts';
import { LineHub } from '../line-hub.ts';
import { currentOwner, formatOwner } from '../owner.ts';
import { rejection } from './test-bed.ts';

function cardOf(bedId: string, owner = formatOwner(currentOwner())) {
  return {
    bedId,
    runId: `run-${bedId}`,
    topology: 't',
    endpoint: 'unix:///x',
    owner,
    startedAt: new Date().toISOString(),
  };
}

describe('a keeper’s socket', () => {
  let home: string;
  let before: string | undefined;
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'squall-keeper-'));
    before = process.env['SQUALL_STATE_HOME'];
    process.env['SQUALL_STATE_HOME'] = home;
  });
  afterEach(() => {
    if (before === undefined) delete process.env['SQUALL_STATE_HOME'];
    else process.env['SQUALL_STATE_HOME'] = before;
    rmSync(home, { recursive: true });
  });

  async function serve(bedId: string, operations: Record<string, KeeperOperation>): Promise<KeeperServer> {
    const server = await KeeperServer.listen(socketPath(bedId), new Map(Object.entries(operations)));
    writeCard(cardOf(bedId));
    return server;
  }

  it('answers, streams before it answers, and carries errors with their blame, hint and facts', async () => {
    const server = await serve('a', {
      add: async ({ x, y }) => Number(x) + Number(y),
      count: async (_params, { chunk }) => {
        for (const value of [1, 2, 3]) chunk(value);
        return 'done';
      },
      fail: async () => {
        throw new SquallError('no such thing', {
          code: 'no-thing',
          blame: 'input',
          hint: 'Look again.',
          facts: { n: 1n },
        });
      },
    });
    using client = await connectKeeper();
    expect(await client.request('add', { x: 1, y: 2 })).to.equal(3);
    const chunks: unknown[] = [];
    expect(await client.request('count', {}, { onChunk: (value) => chunks.push(value) })).to.equal('done');
    expect(chunks).to.deep.equal([1, 2, 3]);
    const error = (await rejection(client.request('fail'))) as SquallError;
    expect(error).to.include({
      message: 'no such thing',
      code: 'no-thing',
      blame: 'input',
      hint: 'Look again.',
    });
    expect(error.facts).to.deep.equal({ n: '1' });
    await server.close();
  });

  it('serves several clients and several requests of one at the same time', async () => {
    const server = await serve('a', { slow: ({ ms }) => sleep(Number(ms), ms) });
    using one = await connectKeeper();
    using other = await connectKeeper();
    const order: unknown[] = [];
    await Promise.all([
      one.request('slow', { ms: 60 }).then((ms) => order.push(ms)),
      one.request('slow', { ms: 1 }).then((ms) => order.push(ms)),
      other.request('slow', { ms: 30 }).then((ms) => order.push(ms)),
    ]);
    expect(order).to.deep.equal([1, 30, 60]);
    await server.close();
  });

  it('aborts what a client asked for when the client goes away', async () => {
    let aborted = false;
    const server = await serve('a', {
      hang: (_params, { signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            aborted = true;
            resolve(undefined);
          });
        }),
    });
    const client = await connectKeeper();
    const asked = rejection(client.request('hang'));
    await sleep(20);
    client.close();
    expect(((await asked) as SquallError).code).to.equal('keeper-gone');
    for (let turn = 0; !aborted && turn < 100; turn += 1) await sleep(10);
    expect(aborted).to.equal(true);
    await server.close();
  });

  it('sends the answer that is under way before it closes', async () => {
    let close: Promise<void> | undefined;
    const server = await serve('a', {
      down: async () => {
        close = server.close();
        await sleep(20);
        return 'removed';
      },
    });
    using client = await connectKeeper();
    expect(await client.request('down')).to.equal('removed');
    await close;
  });

  it('rejects everything pending when the keeper goes', async () => {
    const server = await serve('a', { hang: () => new Promise(() => undefined) });
    using client = await connectKeeper();
    const asked = rejection(client.request('hang'));
    await sleep(20);
    await server.close();
    expect(((await asked) as SquallError).code).to.equal('keeper-gone');
    expect(((await rejection(client.request('hang'))) as SquallError).code).to.equal('keeper-gone');
  });

  it('outlives a client that does not speak its language', async () => {
    const server = await serve('a', { add: async () => 3 });
    const rude = connect(socketPath('a'));
    rude.write('GET / HTTP/1.1\r\n\r\n');
    await new Promise((resolve) => rude.once('close', resolve));
    using client = await connectKeeper();
    expect(await client.request('add')).to.equal(3);
    await server.close();
  });

  it('is for its user alone, in a folder for its user alone', async () => {
    const server = await serve('a', {});
    expect(statSync(socketPath('a')).mode & 0o777).to.equal(0o600);
    expect(statSync(bedsDir()).mode & 0o777).to.equal(0o700);
    await server.close();
  });

  it('is chosen by name, or without one when only one is up; a dead keeper’s card does not count', () => {
    expect(() => requireBed()).to.throw(/none is up/);
    writeCard(
      cardOf('dead', 'h/b/1/999999/1'.replace('h', currentOwner().host).replace('b', 'another-boot')),
    );
    expect(() => requireBed()).to.throw(/none is up/);
    writeCard(cardOf('a'));
    expect(requireBed().bedId).to.equal('a');
    writeCard(cardOf('b'));
    expect(() => requireBed()).to.throw(/2 are up \(a, b\)/);
    expect(requireBed('b').bedId).to.equal('b');
    expect(() => requireBed('c')).to.throw(/bed "c": is not up; up: a, b/);
  });

  it('passes over files that are no cards', () => {
    writeFileSync(join(bedsDir(), 'x.json'), 'not json');
    writeFileSync(join(bedsDir(), 'y.json'), '{"bedId":1}');
    expect(listKeepers()).to.deep.equal([]);
  });
});

describe('line hub', () => {
  it('gives a reader the last lines and then every line to come, of the nodes it asked for', async () => {
    const hub = new LineHub();
    for (let line = 0; line < 5; line += 1) hub.accept('a-1', 'stdout', `${line}`);
    hub.accept('a-2', 'stderr', 'other');
    const stop = new AbortController();
    const lines = hub.last(['a-1'], 2).map(({ line }) => line);
    const following = hub.follow(['a-1'], ({ line }) => lines.push(line), stop.signal);
    hub.accept('a-1', 'stdout', '5');
    hub.accept('a-2', 'stdout', 'other');
    stop.abort();
    await following;
    hub.accept('a-1', 'stdout', '6');
    expect(lines).to.deep.equal(['3', '4', '5']);
  });

  it('remembers a bounded number of lines, each cut', () => {
    const hub = new LineHub();
    for (let line = 0; line < 5_000; line += 1) hub.accept('a-1', 'stdout', 'x'.repeat(20_000));
    const last = hub.last(['a-1'], Number.MAX_SAFE_INTEGER);
    expect(last).to.have.length(1_000);
    expect(last[0]?.line).to.have.length(16_384);
  });
});
