import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { FakeEngine } from '../../engine/index.ts';
import { FakeDaemon, json } from '../../engine/test/fake-daemon.ts';
import { type DiagnoseInput, diagnose, readHost } from '../../host/index.ts';
import { FakeHost, USUAL } from '../../host/test/fake-host.ts';
import { Ledger } from '../../state/index.ts';
import { fixHost, restoreHost } from '../doctor-actions.ts';
import { doctorText } from '../doctor-text.ts';
import { squallHere } from './in-process.ts';

/** An engine in a virtual machine, whose limits are none of this host's: what it has is listed, and nothing else done. */
const inVm = (): FakeDaemon =>
  new FakeDaemon((request, response) => {
    const path = request.url ?? '';
    if (path.endsWith('/version'))
      json(response, 200, {
        Version: '27.0',
        ApiVersion: '1.41',
        MinAPIVersion: '1.24',
        Os: 'linux',
        Arch: 'amd64',
      });
    else if (path.endsWith('/info'))
      json(response, 200, { OperatingSystem: 'Docker Desktop', NCPU: 2, MemTotal: 8e9 });
    else if (path.includes('/volumes')) json(response, 200, { Volumes: [] });
    else if (path.includes('/json?') || path.includes('/networks')) json(response, 200, []);
    else json(response, 404, { message: 'no such thing' });
  });

describe('squall doctor', function () {
  // The first call loads what it stands on; a busy machine takes its time.
  this.timeout(60_000);
  let home: string;
  let exitCode: typeof process.exitCode;
  const kept = ['SQUALL_STATE_HOME', 'SQUALL_ENGINE_HOME', 'DOCKER_HOST'] as const;
  const environment = Object.fromEntries(kept.map((name) => [name, process.env[name]]));

  beforeEach(() => {
    ({ exitCode } = process);
    home = mkdtempSync(join(tmpdir(), 'squall-doctor-'));
    process.env['SQUALL_STATE_HOME'] = home;
    process.env['SQUALL_ENGINE_HOME'] = join(home, 'engine');
  });
  afterEach(() => {
    for (const name of kept) {
      const value = environment[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    process.exitCode = exitCode;
    rmSync(home, { recursive: true });
  });

  const diagnosisOf = (host: FakeHost, more: Partial<DiagnoseInput> = {}) =>
    diagnose({
      search: { trace: [], info: new FakeEngine().info },
      host: readHost(host),
      kernel: undefined,
      agent: undefined,
      leftovers: [],
      ledger: [],
      ...more,
    });

  describe('--fix', () => {
    it('raises every limit that it warned of, and leaves none of them to a bed of 128', async () => {
      const host = new FakeHost(USUAL);
      expect(diagnosisOf(host).advice.filter(({ fixable }) => fixable)).to.have.length(3);
      const said: string[] = [];
      const how = { files: host, ledger: new Ledger(home), say: (text: string) => void said.push(text) };
      await fixHost(new FakeEngine(), how);
      expect(host.written).to.deep.equal([
        'gc_thresh3=65536',
        'gc_thresh2=32768',
        'gc_thresh1=16384',
        'max_user_instances=512',
        'netdev_max_backlog=65536',
      ]);
      expect(said).to.have.length(host.written.length);
      expect(diagnosisOf(host).advice.filter(({ fixable }) => fixable)).to.deep.equal([]);
    });

    it('raises nothing here for an engine on another kernel', async () => {
      const host = new FakeHost(USUAL);
      const how = { files: host, ledger: new Ledger(home), say: () => undefined };
      await fixHost(new FakeEngine({ info: { host: 'vm' } }), how);
      expect(host.written).to.deep.equal([]);
    });

    it('looks for what dead runs left, and prints the report, as JSON if asked', async () => {
      await using daemon = await inVm().start();
      process.env['DOCKER_HOST'] = daemon.endpoint;
      const { stdout, error } = await squallHere('doctor', '--fix', '--json');
      expect(error).to.equal(undefined);
      expect(JSON.parse(stdout)).to.have.nested.property('engine.info.host', 'vm');
      expect(daemon.asked.filter((one) => /containers\/json/.test(one))).to.not.be.empty;
      expect(new Ledger(home).entries()).to.deep.equal([]);
    });
  });

  describe('--restore', () => {
    async function raised(): Promise<string> {
      const path = join(home, 'limit');
      writeFileSync(path, '2000\n');
      await new Ledger(home).add({ kind: 'limit', path, from: '1000', to: '2000' });
      return path;
    }

    it('undoes what the ledger says, and says so', async () => {
      const path = await raised();
      const { stdout } = await squallHere('doctor', '--restore');
      expect(stdout).to.match(/back from 2000 to 1000\n$/);
      expect(readFileSync(path, 'utf8').trim()).to.equal('1000');
      expect(new Ledger(home).entries()).to.deep.equal([]);
      expect((await squallHere('doctor', '--restore')).stdout).to.equal('Nothing to undo.\n');
    });

    it('prints JSON if asked, and nothing besides', async () => {
      await raised();
      const { stdout } = await squallHere('doctor', '--restore', '--json');
      const { undone } = JSON.parse(stdout) as { undone: string[] };
      expect(undone).to.have.length(1);
      expect(undone[0]).to.match(/back from 2000 to 1000$/);
      expect(JSON.parse((await squallHere('doctor', '--restore', '--json')).stdout)).to.deep.equal({
        undone: [],
      });
    });

    it('leaves the packages of an engine of ours that runs, and tells what it did before', async () => {
      const path = await raised();
      const ledger = new Ledger(home);
      await ledger.add({ kind: 'packages-installed', packages: ['squall-no-such-package'] });
      const undone: string[] = [];
      const outcome = await restoreHost({
        undone: (line) => void undone.push(line),
        say: () => undefined,
        ledger,
        engineRuns: () => true,
      }).catch((error: unknown) => error);
      expect(outcome).to.include({ code: 'engine-in-use', blame: 'input' });
      expect(undone).to.have.length(1);
      expect(readFileSync(path, 'utf8').trim()).to.equal('1000');
      expect(ledger.entries().map(({ kind }) => kind)).to.deep.equal(['packages-installed']);
    });
  });

  it('says of each capability which faults need it', () => {
    const text = doctorText(diagnosisOf(new FakeHost(USUAL)));
    expect(text).to.match(/ok +a container engine .*; for every fault$/m);
    expect(text).to.match(/packet queues .*; for hold, drop, loss, .*blackhole-connect$/m);
    expect(text).to.match(/memory limits .*; for memory-limit$/m);
  });

  it('refuses --fix with --restore', async () => {
    expect((await squallHere('doctor', '--fix', '--restore')).error?.blame).to.equal('input');
    expect(existsSync(join(home, 'host-ledger.json'))).to.equal(false);
  });
});
