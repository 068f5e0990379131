import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { isLocalEndpoint, parseEndpoint } from '../endpoint.ts';

function refusal(text: string): SquallError {
  try {
    parseEndpoint(text);
  } catch (error) {
    if (error instanceof SquallError) return error;
    throw error;
  }
  throw new Error(`${text} was taken`);
}

describe('an endpoint', () => {
  it('may be a unix socket, with or without its scheme', () => {
    expect(parseEndpoint('unix:///run/user/1000/docker.sock')).to.deep.include({
      kind: 'unix',
      path: '/run/user/1000/docker.sock',
    });
    expect(parseEndpoint('/run/x.sock')).to.deep.include({ kind: 'unix', path: '/run/x.sock' });
    expect(parseEndpoint('unix://')).to.deep.include({ path: '/var/run/docker.sock' });
  });

  it('may be a TCP address, with the usual ports', () => {
    expect(parseEndpoint('tcp://127.0.0.1:2375')).to.deep.include({
      kind: 'tcp',
      host: '127.0.0.1',
      port: 2375,
    });
    expect(parseEndpoint('engine.lab')).to.deep.include({ kind: 'tcp', host: 'engine.lab', port: 2375 });
    expect(parseEndpoint('tcp://[::1]:4000')).to.deep.include({ host: '::1', port: 4000 });
  });

  it('is refused at once, with one reason and what to do, where it cannot work', () => {
    const cases: readonly (readonly [string, RegExp])[] = [
      ['ssh://user@host', /network namespaces, addresses and kernel limits cannot be reached over ssh/],
      ['npipe:////./pipe/docker_engine', /another kernel/],
      ['fd://', /how the daemon is given its socket/],
      ['ftp://host', /scheme ftp:\/\/ is unknown/],
      ['unix://relative.sock', /not absolute/],
      ['tcp://', /not an address|names no host/],
    ];
    for (const [text, reason] of cases) {
      const error = refusal(text);
      expect(error.message, text).to.match(reason);
      expect(error.blame).to.equal('input');
      expect(error.hint).to.be.a('string');
    }
  });

  it('with TLS needs certificates that can be read', () => {
    expect(refusal('tcp://engine.lab:2376').message).to.match(/TLS is asked for without certificates/);
    expect(() => parseEndpoint('tcp://engine.lab:2376', { certificatesDir: '/nowhere' })).to.throw(
      /\/nowhere\/ca\.pem cannot be read/,
    );
  });

  it('is local when it can only lead to this machine', () => {
    expect(isLocalEndpoint(parseEndpoint('unix:///x.sock'))).to.equal(true);
    expect(isLocalEndpoint(parseEndpoint('tcp://127.0.0.1:1'))).to.equal(true);
    expect(isLocalEndpoint(parseEndpoint('tcp://engine.lab:1'))).to.equal(false);
  });
});
