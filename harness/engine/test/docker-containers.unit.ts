import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import Dockerode from 'dockerode';
import { DockerContainers } from '../docker-containers.ts';
import { REMOVAL_PATIENCE, type RemovalPatience } from '../remove-container.ts';
import { FakeDaemon, HeldDeadlines, json } from './fake-daemon.ts';

const ENDED = 'Could not kill running container c1, cannot remove - Container c1 is not running';
const BEGUN = 'removal of container c1 is already in progress';

/** Of a request that is not answered. */
const SILENCE = 'silence';

interface Reply {
  readonly status: number;
  readonly message?: string;
}
interface Script {
  readonly remove: readonly (Reply | typeof SILENCE)[];
  readonly wait?: readonly (Reply | typeof SILENCE)[];
  /** Whether the container is there, look by look; gone when the list is over. */
  readonly look?: readonly boolean[];
  readonly patience?: Partial<RemovalPatience>;
}

/** A daemon with one container that answers each kind of request in turn; what its script does not say is a success. */
async function scriptedDaemon(script: Script) {
  const left = {
    DELETE: [...script.remove],
    POST: [...(script.wait ?? [])],
    GET: (script.look ?? []).map((there) => ({ status: there ? 200 : 404 })),
  };
  const deadlines = new HeldDeadlines();
  const answer = (response: ServerResponse, reply: Reply | typeof SILENCE): void => {
    if (reply === SILENCE) deadlines.pass();
    else if (reply.status === 204) response.writeHead(204).end();
    else json(response, reply.status, { message: reply.message ?? '', StatusCode: 0 });
  };
  const daemon = await new FakeDaemon((request, response) => {
    const method = request.method as keyof typeof left;
    const otherwise = { DELETE: 204, POST: 200, GET: 404 }[method];
    answer(response, left[method].shift() ?? { status: otherwise });
  }).start();
  const patience = { ...REMOVAL_PATIENCE, startDeadline: deadlines.start, ...script.patience };
  return Object.assign(daemon, { containers: containersOf(daemon, patience) });
}

const containersOf = (daemon: FakeDaemon, patience: RemovalPatience) =>
  new DockerContainers(new Dockerode({ socketPath: daemon.socket }), patience);
const verbs = ({ asked }: FakeDaemon) =>
  asked.map((line) => {
    const [, method, condition] = /^(\w+) \/containers\/c1(?:\/wait\?condition=([a-z-]+))?/.exec(line) ?? [];
    return condition ? `wait ${condition}` : { DELETE: 'remove', GET: 'look' }[method ?? ''];
  });
const failureOf = (work: Promise<void>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('removing a container', () => {
  it('waits for the end of one that ended while the engine was about to kill it', async () => {
    await using daemon = await scriptedDaemon({ remove: [{ status: 500, message: ENDED }] });
    await daemon.containers.remove('c1');
    expect(verbs(daemon)).to.deep.equal(['remove', 'wait not-running', 'remove']);
  });

  it('says so when the engine refuses it again', async () => {
    const refused = { status: 500, message: ENDED };
    await using daemon = await scriptedDaemon({ remove: [refused, refused] });
    expect(await failureOf(daemon.containers.remove('c1'))).to.have.property('code', 'container-not-running');
  });

  it('waits for a removal that somebody else began', async () => {
    await using daemon = await scriptedDaemon({ remove: [{ status: 409, message: BEGUN }] });
    await daemon.containers.remove('c1');
    expect(verbs(daemon)).to.deep.equal(['remove', 'wait removed', 'look']);
  });

  it('looks again when the engine never answers that wait', async () => {
    await using daemon = await scriptedDaemon({
      remove: [{ status: 409, message: BEGUN }],
      wait: [SILENCE, SILENCE, SILENCE],
      look: [true, false],
    });
    await daemon.containers.remove('c1');
    expect(verbs(daemon)).to.deep.equal(['remove', 'wait removed', 'look', 'wait removed', 'look']);
  });

  it('removes it itself when that removal ended and left it there', async () => {
    await using daemon = await scriptedDaemon({ remove: [{ status: 409, message: BEGUN }], look: [true] });
    await daemon.containers.remove('c1');
    expect(verbs(daemon)).to.deep.equal(['remove', 'wait removed', 'look', 'remove']);
  });

  it('asks again when no answer comes and it is still there', async () => {
    await using daemon = await scriptedDaemon({ remove: [SILENCE], look: [true] });
    await daemon.containers.remove('c1');
    expect(verbs(daemon)).to.deep.equal(['remove', 'look', 'remove']);
  });

  it('is content when no answer comes and it is gone', async () => {
    await using daemon = await scriptedDaemon({ remove: [SILENCE] });
    await daemon.containers.remove('c1');
    expect(verbs(daemon)).to.deep.equal(['remove', 'look']);
  });

  it('ends with an error when it is still there after all its time', async () => {
    await using daemon = await scriptedDaemon({ remove: [SILENCE], look: [true], patience: { wholeMs: 0 } });
    const failure = await failureOf(daemon.containers.remove('c1'));
    expect(failure).to.have.property('code', 'engine-timeout');
    expect(String(failure)).to.match(/still there; expected it gone within 0 ms/);
  });

  it('ends at once when the engine goes away in the middle of it', async () => {
    await using daemon = await new FakeDaemon((request) => request.socket.destroy()).start();
    const failure = await failureOf(containersOf(daemon, REMOVAL_PATIENCE).remove('c1'));
    expect(failure).to.have.property('code', 'engine-unreachable');
    expect(verbs(daemon)).to.deep.equal(['remove']);
  });
});

describe('files of containers', () => {
  const FILES = new URL('http://engine').origin;
  /** A daemon that gives one container's archive and takes it into another. */
  async function archivingDaemon(archive: Buffer) {
    const taken: { path: string | null; body: Buffer }[] = [];
    const daemon = await new FakeDaemon(async (request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '', FILES);
      const path = searchParams.get('path');
      if (request.method === 'GET' && path !== '/kept') {
        json(response, 404, { message: `Could not find the file ${path} in container c1` });
      } else if (request.method === 'GET' && pathname === '/containers/c1/archive') {
        response.writeHead(200, { 'Content-Type': 'application/x-tar' }).end(archive);
      } else if (request.method === 'PUT' && pathname === '/containers/c2/archive') {
        const parts: Buffer[] = [];
        for await (const part of request) parts.push(part as Buffer);
        taken.push({ path, body: Buffer.concat(parts) });
        response.writeHead(200).end();
      } else json(response, 404, { message: 'No such container: c3' });
    }).start();
    return Object.assign(daemon, { taken, containers: containersOf(daemon, REMOVAL_PATIENCE) });
  }

  it('go out of one and into another byte for byte', async () => {
    const archive = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 251));
    await using daemon = await archivingDaemon(archive);
    await daemon.containers.writeFiles('c2', '/', await daemon.containers.readFiles('c1', '/kept'));
    expect(daemon.taken.map(({ path }) => path)).to.deep.equal(['/']);
    expect(daemon.taken[0]?.body.equals(archive)).to.equal(true);
  });

  it('are told to be not there, apart from a container that is not there', async () => {
    await using daemon = await archivingDaemon(Buffer.alloc(0));
    const read = daemon.containers.readFiles('c1', '/lost').then(() => undefined);
    expect(await failureOf(read)).to.have.property('code', 'path-not-found');
    const written = daemon.containers.writeFiles('c3', '/', Readable.from(['']));
    expect(await failureOf(written)).to.have.property('code', 'container-not-found');
  });
});
