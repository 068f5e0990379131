import { randomUUID } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { ensureImage } from '../../image/index.ts';
import { findEngine } from '../find-engine.ts';
import type { ContainerSpec, Engine } from '../types.ts';

const IMAGES = fileURLToPath(new URL('./images/', import.meta.url));

/** A real engine with the talker image, and a label of its own for everything that a test makes. */
export interface TestEngine {
  readonly engine: Engine;
  readonly label: string;
  /** The spec of a talker that says what its words ask for. */
  talker(words: readonly string[], more?: Partial<ContainerSpec>): ContainerSpec;
  /** Creates and starts one. */
  run(words: readonly string[], more?: Partial<ContainerSpec>): Promise<string>;
  /** Removes everything with the label, and closes the engine. */
  end(): Promise<void>;
}

export async function startTestEngine(): Promise<TestEngine> {
  const engine = await findEngine({});
  const { reference } = await ensureImage(engine, { kind: 'ours', name: 'talker' }, { imagesDir: IMAGES });
  const id = randomUUID().slice(0, 8);
  let made = 0;
  const talker = (words: readonly string[], more: Partial<ContainerSpec> = {}): ContainerSpec => {
    made += 1;
    const name = `engine-test-${id}-${made}`;
    const labels = { 'squall.test': id, ...more.labels };
    return {
      name,
      hostname: 'talker',
      image: reference,
      command: words,
      environment: {},
      network: 'none',
      ...more,
      labels,
    };
  };
  return {
    engine,
    label: `squall.test=${id}`,
    talker,
    run: async (words, more) => {
      const container = await engine.createContainer(talker(words, more));
      await engine.startContainer(container);
      return container;
    },
    end: async () => {
      const left = await engine.listContainers([`squall.test=${id}`]);
      await Promise.all(left.map((container) => engine.removeContainer(container.id)));
      for (const network of await engine.listNetworks([`squall.test=${id}`]))
        await engine.removeNetwork(network.id);
      engine.close();
    },
  };
}

/** Everything that a container says until it ends, by stream. */
export async function outputOf(engine: Engine, id: string): Promise<{ stdout: string[]; stderr: string[] }> {
  const said = { stdout: [] as string[], stderr: [] as string[] };
  await engine.followLogs(id, (stream, line) => said[stream].push(line), AbortSignal.timeout(60_000));
  return said;
}

/** Looks again until it is so, or the mocha timeout says that it never was. */
export async function until<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const found = await look();
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
