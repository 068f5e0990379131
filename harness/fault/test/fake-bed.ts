import type { Engine } from '../../engine/index.ts';
import {
  connectFakeAgent,
  createFaultBoard,
  FakeAgent,
  type FaultBedPort,
  type FaultBoard,
} from '../index.ts';

/** A bed of four pretended members for unit tests. */
export interface FakeBed extends FaultBedPort {
  readonly fake: FakeAgent;
  readonly board: FaultBoard;
}

const NAMES = ['member-1', 'member-2', 'member-3', 'member-4'];

/** Selector of tests: `*`, a node's name, or names joined by commas. */
function select(selector: string): readonly string[] {
  if (selector === '*') return NAMES;
  return NAMES.filter((name) => selector.split(',').includes(name));
}

export async function fakeBed(overrides: Partial<FaultBedPort> = {}): Promise<FakeBed> {
  const fake = new FakeAgent();
  const agent = await connectFakeAgent(fake);
  const nodes = NAMES.map((name, index) => ({
    name,
    containerId: `container-${name}`,
    pid: 100 + index,
    address: `198.18.0.${index + 2}`,
    image: 'squall/test',
    imageKind: 'ours' as const,
  }));
  await agent.enroll(nodes);
  const bed: FaultBedPort = {
    bedId: 'test',
    engine: {} as Engine,
    agent,
    nodes: () => nodes,
    select,
    refreshNode: async (name) => nodes.find((node) => node.name === name)!,
    toxiproxy: () => Promise.reject(new Error('no Toxiproxy on this bed')),
    adminRequest: async () => ({ status: 200, body: '{}' }),
    ...overrides,
  };
  return Object.assign(bed, { fake, board: createFaultBoard(bed) });
}

/** A signal that never aborts. */
export function never(): AbortSignal {
  return new AbortController().signal;
}
