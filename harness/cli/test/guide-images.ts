import { Readable } from 'node:stream';
import { pack } from 'tar-stream';
import type { Engine } from '../../engine/index.ts';
import { ensureImage } from '../../image/index.ts';

/** Images of a user's own, as the guides call them. */
export const GUIDE_IMAGES: readonly string[] = [
  'registry.example/server:1.2',
  'registry.example/app:1.2',
  'app:1.0',
  'app:1.1',
  'app:1.2',
  'app:1.3',
];

/** Says what the guides wait for, and talks to the other nodes of its bed, so that a fault has packets to meet. */
const PROGRAM = `
const { createSocket } = require('node:dgram');
console.log('listening on 7000');
setTimeout(() => console.log('leader elected'), 500);
const socket = createSocket('udp4').bind(7000, () => socket.setBroadcast(true));
setInterval(() => socket.send('here', 7000, '255.255.255.255', () => undefined), 100);
process.on('SIGTERM', () => process.exit(0));
`;

/** Makes them on the engine, all of one program. */
export async function makeGuideImages(engine: Engine): Promise<void> {
  const base = await ensureImage(engine, { kind: 'ours', name: 'node-base' });
  for (const tag of GUIDE_IMAGES) {
    const files = pack();
    files.entry({ name: 'server.cjs' }, PROGRAM);
    files.entry(
      { name: 'Dockerfile' },
      `FROM ${base.reference}\nENV RELEASE=${tag}\nCOPY server.cjs /server.cjs\nENTRYPOINT ["node", "/server.cjs"]\n`,
    );
    files.finalize();
    const labels = { 'squall.test': 'guides' };
    await engine.buildImage(Readable.from(files), { tag, labels, dockerfile: 'Dockerfile' }, () => undefined);
  }
}

export async function removeGuideImages(engine: Engine): Promise<void> {
  for (const tag of GUIDE_IMAGES) await engine.removeImage(tag);
}
