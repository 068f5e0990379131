import type { Engine } from '../../engine/index.ts';

/** The lines that a container of an image says, without a network, until it ends. */
export async function outputOf(engine: Engine, image: string, command: readonly string[]): Promise<string[]> {
  const id = await engine.createContainer({
    name: `image-test-${process.pid}-${performance.now().toFixed(0)}`,
    hostname: 'x',
    image,
    command,
    environment: {},
    labels: { 'squall.test': 'image' },
    network: 'none',
  });
  try {
    await engine.startContainer(id);
    const lines: string[] = [];
    await engine.followLogs(id, (_stream, line) => lines.push(line), AbortSignal.timeout(20_000));
    return lines;
  } finally {
    await engine.removeContainer(id);
  }
}
