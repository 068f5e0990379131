import { expect } from 'chai';
import { requestOf } from '../commands/ask.ts';

const ask = (path: string, body?: string, get = false) => requestOf({ nodes: 'app-1', path, body, get });

describe('squall ask', () => {
  it('reads the state, and posts everything else', () => {
    expect(ask('/state')).to.deep.equal({ selector: 'app-1', method: 'GET', path: '/state' });
    expect(ask('/link')).to.deep.equal({ selector: 'app-1', method: 'POST', path: '/link' });
    expect(ask('/counts', undefined, true)).to.include({ method: 'GET' });
    expect(ask('/join', '{"link":"x"}')).to.deep.equal({
      selector: 'app-1',
      method: 'POST',
      path: '/join',
      body: { link: 'x' },
    });
  });

  it('refuses a body that is no JSON', () => {
    expect(() => ask('/join', '{link')).to.throw('squall ask: body "{link" is no JSON');
  });
});
