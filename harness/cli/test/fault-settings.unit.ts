import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { givenSettings, settingOptions } from '../fault-settings.ts';

describe('settings of a fault on the command line', () => {
  it('are options of their own, or come by --set, which wins', () => {
    expect(settingOptions('storm-421')).to.include.members(['redirect', 'ratio', 'echo']);
    const args = { redirect: 'bounce', ratio: '30%', echo: undefined, set: ['ratio=50%', 'at=direct'] };
    expect(givenSettings('storm-421', args)).to.deep.equal({
      redirect: 'bounce',
      ratio: '50%',
      at: 'direct',
    });
    expect(givenSettings('pause', { redirect: 'bounce' })).to.deep.equal({});
  });

  it('leave the options of the command alone', () => {
    for (const name of ['on', 'for', 'seed', 'port'])
      expect(settingOptions('storm-421')).not.to.include(name);
    expect(() => givenSettings('hold', { set: ['tcp'] })).to.throw(SquallError, 'expected name=value');
  });
});
