import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { describeError, EXIT, exitCodeOf } from '../../errors/index.ts';
import { executeRun } from '../../session/index.ts';
import { loadSuite } from '../../suite/index.ts';
import { drawInvalid } from '../invalid-documents.ts';
import type { Part } from '../part.ts';
import type { World } from '../world.ts';

/** `file:line:column`, or a path of keys where a document is whole but says what cannot be. */
const PLACE = /\.yaml:\d+:\d+/;

/** An engine that only counts who calls. */
async function withTrap<T>(
  world: World,
  work: () => Promise<T>,
): Promise<{ readonly result: T; readonly calls: number }> {
  let calls = 0;
  const server = createServer((_request, response) => response.writeHead(500).end());
  server.on('connection', () => {
    calls += 1;
  });
  const socket = join(world.folder, 'trap.sock');
  await new Promise<void>((resolve) => server.listen(socket, resolve));
  const before = process.env['DOCKER_HOST'];
  process.env['DOCKER_HOST'] = `unix://${socket}`;
  try {
    return { result: await work(), calls };
  } finally {
    if (before === undefined) delete process.env['DOCKER_HOST'];
    else process.env['DOCKER_HOST'] = before;
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

/** As `squall run FILE` takes it, in this process. @returns the error, or undefined when it was not refused */
async function refusalOf(world: World, scenarioFile: string): Promise<unknown> {
  try {
    const { scenarios } = await loadSuite(scenarioFile);
    await executeRun({
      selections: scenarios.map((scenario) => ({ scenario })),
      command: ['run', scenarioFile],
      reportsDir: join(world.folder, 'reports'),
      signal: world.signal,
    });
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Whatever is wrong with a document is said with its place, before anything is started. */
export const invalidInputs: Part = {
  name: 'invalid-inputs',
  title: 'a generated topology or scenario is invalid',
  times: { whole: 1_000, short: 60 },
  secondsEach: 0.1,
  async attempt(world, chance) {
    const drawn = drawInvalid(chance);
    const scenarioFile = join(world.folder, 'invalid.scenario.yaml');
    writeFileSync(scenarioFile, drawn.scenario);
    writeFileSync(join(world.folder, 'invalid.yaml'), drawn.topology);
    const { result: error, calls } = await withTrap(world, () => refusalOf(world, scenarioFile));
    const message = error === undefined ? '' : describeError(error);
    const problems = [
      ...(error === undefined ? ['it was not refused'] : []),
      ...(error !== undefined && exitCodeOf(error) !== EXIT.usage
        ? [`it ended with exit ${exitCodeOf(error)}`]
        : []),
      ...(error !== undefined && !PLACE.test(message) ? ['the refusal names no place'] : []),
      ...(calls > 0 ? [`the engine was called ${calls} times`] : []),
    ];
    const outcome = problems.length === 0 ? 'refused' : 'not refused rightly';
    return {
      outcome,
      met: true,
      problems,
      facts: { kind: drawn.kind, ...(problems.length > 0 && { message }) },
    };
  },
};
