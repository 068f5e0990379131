import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { Ledger } from '../../state/index.ts';
import { installEngine, type ProgramPort } from '../embedded-install.ts';

/** A machine with apt: what is asked of it, and what becomes of it. */
class FakeMachine implements ProgramPort {
  readonly ran: string[] = [];
  readonly installed = new Set<string>();
  installFails = 0;

  find(name: string): string | undefined {
    const brings: Record<string, string> = { dockerd: 'docker.io', iptables: 'iptables' };
    return this.installed.has(brings[name] ?? name) ? `/usr/sbin/${name}` : undefined;
  }

  run: ProgramPort['run'] = async (command, options = {}) => {
    const text = command.filter((word) => !word.includes('Timeout') && word !== '-o').join(' ');
    if (command[0] === 'dpkg-query') {
      if (this.installed.has(command.at(-1) ?? '')) options.onLine?.('installed');
      return { exitCode: 0, tail: [] };
    }
    this.ran.push(text);
    if (text.includes('install') && this.installFails > 0) {
      this.installFails -= 1;
      return { exitCode: 100, tail: ['E: Unable to locate package docker.io'] };
    }
    if (text.includes('install')) {
      options.onLine?.('Setting up docker.io');
      for (const name of ['docker.io', 'iptables']) if (text.includes(name)) this.installed.add(name);
    }
    return { exitCode: 0, tail: [] };
  };
}

describe('installing an engine', () => {
  let state: string;
  const said: string[] = [];
  const install = (machine: FakeMachine) =>
    installEngine({ SQUALL_STATE_HOME: state }, (text) => said.push(text), undefined, machine);

  beforeEach(() => {
    state = mkdtempSync(join(tmpdir(), 'squall-state-'));
    said.length = 0;
  });
  afterEach(() => {
    rmSync(state, { recursive: true, force: true });
  });

  it('asks apt for the packages that are missing, announces it, and enters it in the ledger', async () => {
    const machine = new FakeMachine();
    machine.installed.add('iptables');
    await install(machine);
    expect(machine.ran).to.deep.equal(['apt-get install -y --no-install-recommends docker.io']);
    expect(said).to.deep.equal([
      'installing docker.io with apt-get (undone by `squall doctor --restore`)',
      'Setting up docker.io',
    ]);
    const [entry] = new Ledger(state).entries();
    expect(entry).to.deep.include({ kind: 'packages-installed', packages: ['docker.io'] });
  });

  it('does nothing where a daemon is here already', async () => {
    const machine = new FakeMachine();
    machine.installed.add('docker.io').add('iptables');
    await install(machine);
    expect(machine.ran).to.deep.equal([]);
    expect(new Ledger(state).entries()).to.deep.equal([]);
  });

  it('updates the package lists and tries again when apt does not know the package', async () => {
    const machine = new FakeMachine();
    machine.installFails = 1;
    await install(machine);
    expect(machine.ran).to.deep.equal([
      'apt-get install -y --no-install-recommends docker.io iptables',
      'apt-get update',
      'apt-get install -y --no-install-recommends docker.io iptables',
    ]);
  });

  it('gives up with the last lines of apt', async () => {
    const machine = new FakeMachine();
    machine.installFails = 9;
    const outcome = await install(machine).catch((error: unknown) => error);
    expect(outcome).to.include({ code: 'engine-install-failed' });
    expect((outcome as { hint: string }).hint).to.include('Unable to locate package docker.io');
  });
});
