import { expect } from 'chai';
import { containerBody } from '../container-body.ts';
import { splitTag } from '../docker-images.ts';
import { nanosecondsParameter, sinceParameter } from '../docker-units.ts';
import type { ContainerSpec } from '../types.ts';

const PLAIN: ContainerSpec = { name: 'a', hostname: 'a', image: 'x', environment: {}, labels: {} };

describe('the body of a container', () => {
  const host = (spec: Partial<ContainerSpec>) => containerBody({ ...PLAIN, ...spec }).HostConfig ?? {};

  it('carries every option of the spec', () => {
    expect(containerBody({ ...PLAIN, environment: { A: '1', B: 'x=y' } }).Env).to.deep.equal([
      'A=1',
      'B=x=y',
    ]);
    expect(containerBody({ ...PLAIN, command: ['go'] }).Cmd).to.deep.equal(['go']);
    expect(containerBody({ ...PLAIN, entrypoint: ['/x'] }).Entrypoint).to.deep.equal(['/x']);
    expect(containerBody({ ...PLAIN, user: 'nobody' }).User).to.equal('nobody');
    expect(containerBody({ ...PLAIN, tty: true }).Tty).to.equal(true);
    expect(host({ cpus: 0.5 }).NanoCpus).to.equal(500_000_000);
    expect(host({ pids: 7 }).PidsLimit).to.equal(7);
    expect(host({ tmpfs: { '/d': 'size=1m' } }).Tmpfs).to.deep.equal({ '/d': 'size=1m' });
    expect(host({ pidMode: 'host' }).PidMode).to.equal('host');
    expect(host({ capDrop: ['ALL'], capAdd: ['NET_ADMIN'] })).to.deep.include({
      CapDrop: ['ALL'],
      CapAdd: ['NET_ADMIN'],
    });
    expect(host({ securityOpt: ['apparmor=unconfined'] }).SecurityOpt).to.deep.equal(['apparmor=unconfined']);
    expect(host({ cpuShares: 2_048 }).CpuShares).to.equal(2_048);
    expect(host({ readOnlyRoot: true }).ReadonlyRootfs).to.equal(true);
    expect(host({ autoRemove: true }).AutoRemove).to.equal(true);
    expect(host({ binds: ['/a:/b:ro'] }).Binds).to.deep.equal(['/a:/b:ro']);
    expect(host({ sysctls: { 'net.core.somaxconn': '10' } }).Sysctls).to.deep.equal({
      'net.core.somaxconn': '10',
    });
    expect(host({ logMaxBytes: 1000 }).LogConfig).to.deep.nested.include({ 'Config.max-size': '1000' });
  });

  it('limits memory without giving swap instead', () => {
    expect(host({ memoryBytes: 1000 })).to.include({ Memory: 1000, MemorySwap: 1000 });
  });

  it('puts a node at its address in its network', () => {
    const body = containerBody({ ...PLAIN, network: { id: 'n', address: '198.18.0.5', aliases: ['a'] } });
    expect(body.HostConfig?.NetworkMode).to.equal('n');
    expect(body.NetworkingConfig?.EndpointsConfig?.['n']).to.deep.include({
      IPAMConfig: { IPv4Address: '198.18.0.5' },
      Aliases: ['a'],
    });
    expect(containerBody({ ...PLAIN, network: 'none' }).HostConfig?.NetworkMode).to.equal('none');
  });

  it('gives an attached process end of file when its client goes away', () => {
    expect(containerBody({ ...PLAIN, openStdin: true })).to.include({ OpenStdin: true, StdinOnce: true });
  });

  it('never lets the engine restart a node on its own', () => {
    expect(host({}).RestartPolicy).to.deep.equal({ Name: 'no' });
  });
});

describe("the engine's units", () => {
  it('keep every nanosecond of a time', () => {
    expect(sinceParameter('2026-11-30T01:02:03.123456789Z')).to.equal('1796000523.123456789');
    expect(sinceParameter('2026-11-30T01:02:03Z')).to.equal('1796000523.000000000');
    expect(sinceParameter('2026-11-30T03:02:03.5+02:00')).to.equal('1796000523.500000000');
    expect(nanosecondsParameter(1_796_000_523_000_000_001n)).to.equal('1796000523.000000001');
  });

  it('split a reference into repository and tag', () => {
    expect(splitTag('squall/x:12')).to.deep.equal({ repository: 'squall/x', version: '12' });
    expect(splitTag('host:5000/x')).to.deep.equal({ repository: 'host:5000/x', version: 'latest' });
    expect(splitTag('x@sha256:ab')).to.deep.equal({ repository: 'x@sha256:ab', version: '' });
  });
});
