import { expect } from 'chai';
import { daemonEnvironment } from '../embedded-start.ts';

describe('the environment of an engine that Squall starts', () => {
  it('has the proxies of ours, as they are written, and nothing else of it', () => {
    const proxies = {
      HTTP_PROXY: 'http://proxy.example:3128',
      https_proxy: 'http://proxy.example:3129',
      NO_PROXY: 'localhost',
    };
    const given = daemonEnvironment({ PATH: '/opt/bin', HOME: '/home/me', TOKEN: 'secret', ...proxies });
    const { PATH, ...rest } = given;
    expect(PATH?.split(':')[0]).to.equal('/opt/bin');
    expect(rest).to.deep.equal({ HOME: '/root', ...proxies });
  });

  it('has no proxy where none is set, or an empty one', () => {
    expect(Object.keys(daemonEnvironment({ HTTP_PROXY: '' }))).to.deep.equal(['PATH', 'HOME']);
  });
});
