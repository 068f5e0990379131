import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import type { DoctorReport } from '../../host/index.ts';

const SQUALL = fileURLToPath(new URL('../squall.mjs', import.meta.url));

interface Called {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function squall(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Called> {
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [SQUALL, ...args],
      { env: { ...process.env, ...environment } },
      (error, stdout, stderr) => {
        resolve({ code: error ? Number(error.code) : 0, stdout, stderr });
      },
    );
  });
}

describe('the commands about this machine', function () {
  this.timeout(120_000);

  it('doctor reports engine, kernel, faults and what to do, and changes nothing', async () => {
    const { code, stdout } = await squall(['doctor', '--json']);
    const report = JSON.parse(stdout) as DoctorReport;
    expect(code).to.equal(0);
    expect(report.engine.trace.at(-1)?.outcome).to.equal('found');
    expect(report.faults.find((fault) => fault.fault === 'kill')?.available).to.equal('yes');
    expect(report.host.cpus).to.be.at.least(1);
    const text = await squall(['doctor']);
    for (const title of ['Engine: what was tried', 'Host', 'What this host can do', 'Faults']) {
      expect(text.stdout).to.include(`${title}\n`);
    }
  });

  it('doctor shows why a named engine cannot be used, and exits 4', async () => {
    const { code, stdout } = await squall(['doctor'], { DOCKER_HOST: 'ssh://me@lab' });
    expect(code).to.equal(4);
    expect(stdout).to.match(/problem: +engine: engine ssh:\/\/me@lab: cannot be used/);
  });

  it('any command with a named engine that cannot be used exits 3 at once, with the reason', async () => {
    const { code, stderr } = await squall(['images', 'list'], { DOCKER_HOST: 'ssh://me@lab' });
    expect(code).to.equal(3);
    expect(stderr).to.match(/cannot be reached over ssh/);
  });

  it('images build says of each image how it came, and the second time that it was there', async () => {
    await squall(['images', 'build', 'toxiproxy']);
    const { code, stdout } = await squall(['images', 'build', 'toxiproxy', '--json']);
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.have.nested.property('[0].outcome', 'cached');
    const listed = await squall(['images', 'list', 'toxiproxy']);
    expect(listed.stdout).to.match(
      /^IMAGE +BUILD +SIZE +TAG +STATE\ntoxiproxy +go +\d+ MiB +squall\/toxiproxy:[0-9a-f]{12} +ready/,
    );
  });

  it('images refuses a name that is none, with the one that was meant', async () => {
    const { code, stderr } = await squall(['images', 'build', 'toxyproxy']);
    expect(code).to.equal(3);
    expect(stderr).to.match(/did you mean "toxiproxy"/);
  });

  it('engine status tells whether our own engine runs', async () => {
    const elsewhere = { SQUALL_ENGINE_HOME: '/nonexistent/squall' };
    expect((await squall(['engine', 'status'], elsewhere)).stdout).to.match(/our engine does not run/);
    const { code, stdout } = await squall(['engine', 'status', '--json'], elsewhere);
    expect(code).to.equal(0);
    expect(JSON.parse(stdout)).to.include({ running: false, socket: '/nonexistent/squall/engine.sock' });
  });
});
