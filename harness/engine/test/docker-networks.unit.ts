import { expect } from 'chai';
import Dockerode from 'dockerode';
import { DockerNetworks } from '../docker-networks.ts';
import { FakeDaemon, HeldDeadlines, json } from './fake-daemon.ts';

/** A daemon with one network, which it lets go once nobody is in it. Containers have their id as key, stale endpoints do not. */
async function daemonWith(inside: Record<string, { readonly Name: string }>, { losesCount = false } = {}) {
  const left = new Map(Object.entries(inside));
  const taken: unknown[] = [];
  const daemon = await new FakeDaemon(async (request, response) => {
    if (request.method === 'GET') return json(response, 200, { Containers: Object.fromEntries(left) });
    if (request.method === 'DELETE') {
      if (left.size === 0 && !losesCount) return void response.writeHead(204).end();
      return json(response, 403, {
        message: 'error while removing network: network n1 has active endpoints',
      });
    }
    let body = '';
    for await (const chunk of request) body += String(chunk);
    const { Container: name, Force: force } = JSON.parse(body) as { Container: string; Force: boolean };
    taken.push({ name, force });
    for (const [key, { Name }] of left) if (Name === name) left.delete(key);
    return void response.writeHead(200).end();
  }).start();
  return { daemon, taken, networks: new DockerNetworks(new Dockerode({ socketPath: daemon.socket })) };
}

describe('removing a network', () => {
  it('takes out endpoints that belong to no container, which an engine that crashed has kept', async () => {
    const { daemon, taken, networks } = await daemonWith({
      'ep-1': { Name: 'squall-b-member-1' },
      'ep-2': { Name: 'squall-b-member-2' },
    });
    await using _ = daemon;
    await networks.remove('n1');
    expect(taken).to.deep.equal([
      { name: 'squall-b-member-1', force: true },
      { name: 'squall-b-member-2', force: true },
    ]);
  });

  it('is refused, and takes nobody out, while a container is in it', async () => {
    const { daemon, taken, networks } = await daemonWith({ abc: { Name: 'somebody' } });
    await using _ = daemon;
    const failure = await networks.remove('n1').catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'network-in-use');
    expect(taken).to.deep.equal([]);
  });

  it('says what helps when the engine has lost count of who is in it', async () => {
    const { daemon, taken, networks } = await daemonWith({}, { losesCount: true });
    await using _ = daemon;
    const failure = await networks.remove('n1').catch((error: unknown) => error);
    expect(failure).to.have.property('code', 'network-in-use');
    expect(String(failure)).to.include('though nothing is in it');
    expect(failure).to.have.property('hint').that.includes('Start the engine again');
    expect(taken).to.deep.equal([]);
  });

  it('takes an engine that does not answer for an error, not for a hang', async () => {
    const deadlines = new HeldDeadlines();
    await using daemon = await new FakeDaemon(() => deadlines.pass()).start();
    const patience = { answerMs: 1, leaveMs: 1, startDeadline: deadlines.start };
    const networks = new DockerNetworks(new Dockerode({ socketPath: daemon.socket }), patience);
    for (const work of [() => networks.remove('n1'), () => networks.leave('n1', 'c1')]) {
      const failure = await work().catch((error: unknown) => error);
      expect(failure).to.have.property('code', 'engine-timeout');
    }
  });
});
