import type { ContainerState, Engine } from '../engine/index.ts';
import { SquallError } from '../errors/index.ts';
import type { AgentClient } from '../fault/index.ts';
import type { DiagnosisAsk } from '../topology/index.ts';
import { adminRequest } from './admin-request.ts';
import { shortError } from './event-log.ts';
import type { LiveNode } from './live-node.ts';

/** What can be said of a node before it is torn down. */
export interface Diagnosis {
  readonly node: string;
  readonly container: ContainerState | undefined;
  /** Body of the node's own `/state`, when it has one. */
  readonly state: string | undefined;
  /** What it answered to each thing that its group in the topology names, in that order; absent ones stand in `problems`. */
  readonly answers: readonly { readonly asked: string; readonly text: string }[];
  readonly lastLines: readonly string[];
  /** What could not be learned, and why. */
  readonly problems: readonly string[];
}

const STATE_TIMEOUT_MS = 3_000;
const STATE_CHARACTERS = 65_536;
/** Of a refusal. */
const SAID_CHARACTERS = 300;

/**
 * Asks a node what every node is asked, and what the topology says of its role. Never throws: what could not be learned is said.
 * A role's hook is `diagnosis` of its group: a GET on the node's loopback, or a command inside it.
 */
export async function diagnoseNode(engine: Engine, agent: AgentClient, node: LiveNode): Promise<Diagnosis> {
  const problems: string[] = [];
  const note = (what: string) => (error: unknown) => {
    problems.push(`${what}: ${shortError(error)}`);
    return undefined;
  };
  const [container, state, answers] = await Promise.all([
    engine.inspectContainer(node.containerId).catch(note('container')),
    node.plan.adminPort === undefined
      ? undefined
      : adminRequest(agent, node, { method: 'GET', path: '/state', timeoutMs: STATE_TIMEOUT_MS })
          .then(({ body }) => body.slice(0, STATE_CHARACTERS))
          .catch(note('/state')),
    Promise.all(
      (node.plan.diagnosis ?? []).map(async (ask) => {
        const asked = describeAsk(ask);
        const text = await answerOf(engine, agent, node, ask).catch(note(asked));
        return text === undefined ? [] : [{ asked, text: text.slice(0, STATE_CHARACTERS) }];
      }),
    ),
  ]);
  const lastLines = node.log.tail();
  return { node: node.name, container, state, answers: answers.flat(), lastLines, problems };
}

const describeAsk = (ask: DiagnosisAsk): string =>
  ask.kind === 'http' ? `GET :${ask.port}${ask.path}` : ask.command.join(' ');

/** @throws SquallError `diagnosis-refused` when the answer is no success, with what it said */
async function answerOf(
  engine: Engine,
  agent: AgentClient,
  node: LiveNode,
  ask: DiagnosisAsk,
): Promise<string> {
  if (ask.kind === 'http') {
    const { port, path } = ask;
    const { status, body } = await agent.http({
      node: node.name,
      port,
      method: 'GET',
      path,
      timeoutMs: STATE_TIMEOUT_MS,
    });
    if (status >= 200 && status <= 299) return body;
    throw refused(`answered ${status}; expected 2xx`, body);
  }
  const signal = AbortSignal.timeout(STATE_TIMEOUT_MS);
  const { exitCode, stdout, stderr } = await engine.exec(node.containerId, ask.command, { signal });
  if (exitCode === 0) return stdout;
  throw refused(`ended with code ${exitCode}; expected 0`, stderr || stdout);
}

const refused = (what: string, said: string): SquallError =>
  new SquallError(`${what}. ${said.slice(0, SAID_CHARACTERS)}`.trim(), { code: 'diagnosis-refused' });
