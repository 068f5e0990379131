import { expect } from 'chai';
import { engineAddress, FakeEngine } from '../../engine/index.ts';
import { watchdogOrder } from '../watchdog-protocol.ts';

describe('the order of a watchdog', () => {
  const { info } = new FakeEngine();
  const orderFor = (more: object) => ({
    ...engineAddress({ ...info, ...more }),
    labels: ['squall.run=r'],
    parentPid: 1,
  });

  it('keeps the certificates by which its engine is reached', () => {
    const order = orderFor({ endpoint: 'tcp://engine.lab:2376', certificatesDir: '/home/me/tls' });
    expect(watchdogOrder.parse(JSON.parse(JSON.stringify(order)))).to.deep.equal(order);
    expect(order).to.include({ certificatesDir: '/home/me/tls' });
  });

  it('has none for a socket', () => {
    expect(watchdogOrder.parse(orderFor({}))).to.not.have.property('certificatesDir');
  });
});
