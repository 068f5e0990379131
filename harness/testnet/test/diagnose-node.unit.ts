import { expect } from 'chai';
import type { Engine } from '../../engine/index.ts';
import { SquallError } from '../../errors/index.ts';
import type { AgentClient } from '../../fault/index.ts';
import type { DiagnosisAsk } from '../../topology/index.ts';
import { diagnoseNode } from '../diagnose-node.ts';
import type { LiveNode } from '../live-node.ts';

const STATE = { running: true, pid: 7 };

interface World {
  readonly adminPort?: number;
  readonly diagnosis?: readonly DiagnosisAsk[];
  /** Answers by `port path`; what is not there does not answer. */
  readonly pages?: Readonly<Record<string, { readonly status: number; readonly body: string }>>;
  readonly exec?: { readonly exitCode: number; readonly stdout: string; readonly stderr: string };
}

async function diagnose({ adminPort, diagnosis, pages = {}, exec }: World) {
  const commands: unknown[] = [];
  const agent = {
    http: async ({ port, path }: { port: number; path: string }) => {
      const page = pages[`${port} ${path}`];
      if (!page) throw new SquallError('nobody listens', { code: 'agent-http' });
      return page;
    },
  } as unknown as AgentClient;
  const engine = {
    inspectContainer: async () => STATE,
    exec: async (id: string, command: readonly string[]) => {
      commands.push([id, ...command]);
      return exec;
    },
  } as unknown as Engine;
  const node = {
    name: 'server-1',
    containerId: 'c1',
    plan: { adminPort, diagnosis },
    log: { tail: () => ['the last line'] },
  } as unknown as LiveNode;
  return { diagnosis: await diagnoseNode(engine, agent, node), commands };
}

describe('the diagnosis of a node', () => {
  it('has the state of its container, its own state and its last lines, whatever its role', async () => {
    const { diagnosis } = await diagnose({
      adminPort: 7100,
      pages: { '7100 /state': { status: 200, body: '{"peers":3}' } },
    });
    expect(diagnosis).to.deep.equal({
      node: 'server-1',
      container: STATE,
      state: '{"peers":3}',
      answers: [],
      lastLines: ['the last line'],
      problems: [],
    });
  });

  it('has what the topology asks of its role, in that order', async () => {
    const { diagnosis, commands } = await diagnose({
      diagnosis: [
        { kind: 'http', port: 9000, path: '/debug/peers' },
        { kind: 'command', command: ['server', 'status', '--long'] },
      ],
      pages: { '9000 /debug/peers': { status: 200, body: 'x'.repeat(100_000) } },
      exec: { exitCode: 0, stdout: 'leader: none', stderr: 'a warning' },
    });
    expect(diagnosis.answers.map(({ asked, text }) => [asked, text.length])).to.deep.equal([
      ['GET :9000/debug/peers', 65_536],
      ['server status --long', 12],
    ]);
    expect(commands).to.deep.equal([['c1', 'server', 'status', '--long']]);
    expect(diagnosis.state).to.equal(undefined);
    expect(diagnosis.problems).to.deep.equal([]);
  });

  it('says what could not be learned, and has the rest', async () => {
    const { diagnosis } = await diagnose({
      adminPort: 7100,
      diagnosis: [
        { kind: 'http', port: 9000, path: '/gone' },
        { kind: 'http', port: 9000, path: '/busy' },
        { kind: 'command', command: ['status'] },
        { kind: 'http', port: 9000, path: '/ok' },
      ],
      pages: { '9000 /ok': { status: 204, body: '' }, '9000 /busy': { status: 503, body: 'starting' } },
      exec: { exitCode: 2, stdout: '', stderr: 'no such server' },
    });
    expect(diagnosis.answers).to.deep.equal([{ asked: 'GET :9000/ok', text: '' }]);
    expect(diagnosis.problems).to.have.members([
      '/state: nobody listens',
      'GET :9000/gone: nobody listens',
      'GET :9000/busy: answered 503; expected 2xx. starting',
      'status: ended with code 2; expected 0. no such server',
    ]);
    expect(diagnosis.lastLines).to.deep.equal(['the last line']);
  });
});
