import { expect } from 'chai';
import Dockerode from 'dockerode';
import { DockerContainers } from '../docker-containers.ts';
import { FakeDaemon, json } from './fake-daemon.ts';

const ENDED = 'Could not kill running container c1, cannot remove - Container c1 is not running';

/** A daemon that answers the removals with these in turn, and every wait at once. */
async function removingDaemon(...answers: readonly { readonly status: number; readonly message: string }[]) {
  const left = [...answers];
  return await new FakeDaemon((request, response) => {
    const next = request.method === 'DELETE' ? left.shift() : { status: 200, message: '' };
    if (next?.status === 200) return json(response, 200, { StatusCode: 0 });
    if (next) return json(response, next.status, { message: next.message });
    response.writeHead(204).end();
  }).start();
}

const containersOf = (daemon: FakeDaemon) =>
  new DockerContainers(new Dockerode({ socketPath: daemon.socket }));
const verbs = ({ asked }: FakeDaemon) =>
  asked.map((line) => /^(\w+) \/containers\/c1(\/wait\?condition=[a-z-]+)?/.exec(line)?.[0]);

describe('removing a container', () => {
  it('waits for the end of one that ended while the engine was about to kill it', async () => {
    await using daemon = await removingDaemon({ status: 500, message: ENDED });
    await containersOf(daemon).remove('c1');
    expect(verbs(daemon)).to.deep.equal([
      'DELETE /containers/c1',
      'POST /containers/c1/wait?condition=not-running',
      'DELETE /containers/c1',
    ]);
  });

  it('says so when the engine refuses it again', async () => {
    await using daemon = await removingDaemon(
      { status: 500, message: ENDED },
      { status: 500, message: ENDED },
    );
    const failure = await containersOf(daemon)
      .remove('c1')
      .catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'container-not-running');
  });

  it('waits for a removal that somebody else began', async () => {
    await using daemon = await removingDaemon({
      status: 409,
      message: 'removal of container c1 is already in progress',
    });
    await containersOf(daemon).remove('c1');
    expect(verbs(daemon)).to.deep.equal([
      'DELETE /containers/c1',
      'POST /containers/c1/wait?condition=removed',
    ]);
  });
});
