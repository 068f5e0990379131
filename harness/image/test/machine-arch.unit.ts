import { expect } from 'chai';
import { FakeEngine } from '../../engine/index.ts';
import { goEnvironmentFor } from '../go-toolchain.ts';
import { hostArch, whyOtherMachine } from '../machine-arch.ts';

const engineOf = (arch: string) => new FakeEngine({ info: { arch } });

describe('images for a machine of another kind', () => {
  it('are made for the engine’s, in its own words', () => {
    expect(goEnvironmentFor('arm64')).to.include({ GOOS: 'linux', GOARCH: 'arm64', CGO_ENABLED: '0' });
    expect([hostArch('x64'), hostArch('arm64'), hostArch('riscv64')]).to.deep.equal([
      'amd64',
      'arm64',
      'riscv64',
    ]);
  });

  it('are not made by compilers that only know this one', () => {
    expect(whyOtherMachine(engineOf('amd64'), 'x64')).to.equal(undefined);
    expect(whyOtherMachine(engineOf('arm64'), 'arm64')).to.equal(undefined);
    expect(whyOtherMachine(engineOf('arm64'), 'x64')).to.match(
      /engine's machine is arm64, and this one is amd64/,
    );
  });
});
