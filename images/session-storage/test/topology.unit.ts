import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { stream } from '../../../harness/random/index.ts';
import {
  type AddressedNode,
  addressNodes,
  type ImageDescription,
  resolveTopologyText,
} from '../../../harness/topology/index.ts';
import { firstNetwork } from '../../session-registry/first-network.ts';

const ROOT = new URL('../../../', import.meta.url);
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8');
const images = ['session-registry', 'session-storage', 'session-client'].map(
  (name) => JSON.parse(read(`images/${name}/image.json`)) as ImageDescription,
);

describe('topologies/session-24.yaml', () => {
  const topology = resolveTopologyText(read('topologies/session-24.yaml'), 'session-24.yaml', {}, { images });
  const nodes: readonly AddressedNode[] = addressNodes(
    topology,
    (slash24, host) => `198.18.${slash24}.${host}`,
  );

  it('labels each storage node with the swarm that the registry puts it into', () => {
    const registry = nodes.find(({ role }) => role === 'registry');
    const network = firstNetwork(
      {
        nodes: (registry?.environment['SQUALL_NODES'] ?? '').split(','),
        reserve: [],
        unproven: [],
        swarmSize: Number(registry?.environment['SQUALL_SWARM_SIZE']),
        swarmIds: 'spread',
        seed: '7',
        facts: { httpsPort: 1, omqPort: 2, version: [2, 12, 0] },
      },
      stream('7', 'ids'),
    );
    const labelled = nodes.filter(({ role }) => role === 'storage');
    expect(labelled).to.have.length(24);
    for (const { name, labels } of labelled) {
      expect(network.swarms().get(labels['swarm'] ?? '')?.members, name).to.include(name);
    }
  });
});
