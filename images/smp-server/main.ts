/** An SMP server; relay or proxy is only what a topology calls it. */
import { runNode } from '../node-kit/index.ts';
import { serverIdentity } from '../smp-kit/index.ts';
import { readAnswers } from './answer-script.ts';
import { heldMemory } from './held-memory.ts';
import image from './image.json' with { type: 'json' };
import { readRules } from './server-options.ts';
import { startSmpServer } from './start-server.ts';

await runNode(image, import.meta.url, async (node) => {
  const server = await startSmpServer({
    identity: serverIdentity(node.seed, node.name),
    host: node.address,
    port: node.settings.number('port'),
    rules: readRules(node.settings),
    clock: node.clock,
    emit: node.emit,
  });
  const handlers = {
    'POST /answers': (body: unknown) => {
      const answers = readAnswers(body);
      if (typeof answers === 'string') return { status: 400, body: { error: answers } };
      server.script.begin(answers);
      return { status: 200, body: { answers: answers.length } };
    },
    'POST /collect': async () => ({ status: 200, body: await heldMemory() }),
  };
  return { state: server.state, handlers, stop: server.close };
});
