import { expect } from 'chai';
import { LoopbackBed } from './loopback-bed.ts';

describe('clients of real storage nodes, over real onion layers', function () {
  this.timeout(60_000);
  const bed = new LoopbackBed(1);
  before(() => bed.start());
  after(() => bed.stop());
  afterEach(() => bed.storm(bed.names, { on: false }));

  it('store what every member of the swarm then has, and read it once', async () => {
    const client = await bed.client('final');
    expect((await client.send('store'))['status']).to.equal(200);
    await client.send('retrieve');
    await client.send('retrieve');
    expect(client.events('message.received')).to.have.length(1);
    await bed.until('three have it', async () => (await bed.holders(client.anna)).length === 3);
    expect(client.refreshes).to.equal(1);
  });

  it('follow an honest redirect with one more request on every route, which the old client never did', async () => {
    const routes = ['onion', 'proxied', 'direct'];
    const clients = await Promise.all(routes.map((route) => bed.client('final', { SQUALL_ROUTE: route })));
    const old = await Promise.all(['evict-only'].map((name) => bed.client(name)));
    await bed.moveAnna(clients[0]?.anna ?? '');
    for (const [index, client] of clients.entries()) {
      expect((await client.send('retrieve'))['status'], routes[index]).to.equal(200);
      expect(client.events('redirect.followed')[0], routes[index]).to.include({ account: 'anna', known: 3 });
      await client.send('retrieve');
      expect(client.events('request.retried'), routes[index]).to.have.length(1);
      expect(client.refreshes, routes[index]).to.equal(1);
    }
    for (const client of old) {
      for (let turn = 0; turn < 3; turn += 1) expect((await client.send('retrieve'))['status']).to.equal(421);
      expect(client.refreshes).to.equal(1);
    }
  });

  it('fetch the list from three nodes, 51 bytes a node, when a rejection names nobody', async () => {
    const client = await bed.client('final');
    await bed.age();
    await bed.storm(bed.names, { redirect: 'none', at: ['onion'] });
    expect((await client.send('retrieve'))['status']).to.equal(421);
    await bed.until('the refresh is done', () => client.events('refresh.finished').length === 2);
    const finished = client.events('refresh.finished')[1];
    expect(finished).to.include({ reason: 'rejection', requests: 3, bytes: 3 * 9 * 51 });
    expect((await client.send('retrieve'))['status']).to.equal(421);
    expect(client.refreshes, 'too young for another').to.equal(2);
    await bed.storm(bed.names, { on: false });
    expect((await client.send('retrieve'))['status']).to.equal(200);
  });

  it('take a relay’s word for nothing, and a destination’s for what it says', async () => {
    const forged = { at: ['relay'], redirect: 'honest' };
    const [client, mutant] = [await bed.client('final'), await bed.client('onion-plaintext-acts')];
    await bed.age();
    for (const status of [421, 406, 425]) {
      await bed.storm(bed.names, { ...forged, status });
      const answer = await client.send('retrieve');
      expect(answer['error'], String(status)).to.equal('ERROR_UNAUTHENTICATED_RESPONSE');
      expect(answer['message']).to.match(new RegExp(`status ${status}`));
    }
    expect([client.refreshes, client.events('clock.resync-started').length]).to.deep.equal([1, 0]);
    await bed.storm(bed.names, { ...forged, status: 421 });
    await mutant.send('retrieve');
    expect(mutant.events('refresh.asked').length, 'the mutant').to.be.above(0);
  });

  it('fail at once while they are suspended, and come back', async () => {
    const client = await bed.client('final');
    await client.send('retrieve');
    await client.ask('POST /suspend');
    expect((await client.send('retrieve'))['error']).to.equal('ERROR_NETWORK_SUSPENDED');
    await client.ask('POST /resume');
    expect((await client.send('retrieve'))['status']).to.equal(200);
    expect(client.events('strike.added')).to.deep.equal([]);
  });
});
