import { expect } from 'chai';
import { FakeEngine } from '../../engine/index.ts';
import { readImages } from '../../image/index.ts';
import { stream } from '../../random/index.ts';
import { parseScenario } from '../../scenario/index.ts';
import { resolveTopologyText } from '../../topology/index.ts';
import { drawInvalid, VALID } from '../invalid-documents.ts';
import { invalidInputs } from '../parts/invalid-inputs.ts';
import { inWorld } from '../world.ts';

describe('generated documents', () => {
  it('begin valid, so that a refusal is one of what was done to them', () => {
    const topology = resolveTopologyText(VALID.topology, 'invalid.yaml', {}, { images: readImages() });
    expect(topology.nodes).to.have.length(4);
    const scenario = parseScenario(VALID.scenario, 'invalid.scenario.yaml', { suite: 'torture' });
    expect(scenario.checks[0]?.title).to.equal('nobody dies');
  });

  it('are the same for the same seed, and of many kinds', () => {
    const draw = (count: number) => Array.from({ length: count }, (_, n) => drawInvalid(stream('7', `${n}`)));
    const drawn = draw(400);
    expect(drawn.slice(0, 100)).to.deep.equal(draw(100));
    expect(new Set(drawn.map(({ kind }) => kind)).size).to.be.above(50);
  });

  it('are refused with a place, and no engine is called', async () => {
    const { signal } = new AbortController();
    for (const n of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const attempt = await inWorld(new FakeEngine(), signal, (world) =>
        invalidInputs.attempt(world, stream('unit', `${n}`)),
      );
      expect(attempt.problems, JSON.stringify(attempt.facts)).to.deep.equal([]);
    }
  });
});
