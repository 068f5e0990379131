/** A node that does next to nothing, for the kit's own tests. */
import { runNode } from '../index.ts';

const IMAGE = {
  name: 'small-node',
  settings: [
    { name: 'beatMs', env: 'SQUALL_BEAT_MS', type: 'duration', unit: 'ms', minimum: 1, default: 60_000 },
    {
      name: 'mode',
      env: 'SQUALL_MODE',
      type: 'choice',
      choices: ['plain', 'fails', 'throws'],
      default: 'plain',
    },
    { name: 'slots', env: 'SQUALL_SLOTS', type: 'integer', minimum: 1, default: 3 },
    { name: 'sticky', env: 'SQUALL_STICKY', type: 'boolean', default: false },
    { name: 'peers', env: 'SQUALL_PEERS', type: 'list', default: '' },
  ],
  variants: { shipped: { settings: {} }, sticky: { settings: { sticky: true, slots: 7 } } },
  mutants: {},
};

let lives = 0;

await runNode(IMAGE, import.meta.url, async (node) => {
  lives += 1;
  if (node.settings.text('mode') === 'fails') throw new Error('refuses to start');
  node.clock.every(node.settings.number('beatMs'), () => {
    if (node.settings.text('mode') === 'throws') throw new Error('broke while it ran');
    node.emit('beat', { nowMs: node.clock.nowMs() });
  });
  node.log('free text <b>for people</b>');
  return {
    state: () => ({ lives, firstChance: node.chance('first').next() }),
    handlers: {
      'POST /flood': (body) => {
        const { count } = body as { count: number };
        for (let index = 0; index < count; index += 1) node.emit('flooded', { index, text: 'x'.repeat(80) });
        return { status: 200, body: { count } };
      },
      'POST /shout': (body) => {
        node.emit('shouted', body as Record<string, unknown>);
        return { status: 200, body: {} };
      },
      'POST /spin': () => {
        for (;;);
      },
    },
    stop: async () => node.emit('goodbye', {}),
  };
});
