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
    const kinds = Array.from({ length: 400 }, (_, n) => drawInvalid(stream('7', `${n}`)).kind);
    expect(kinds).to.deep.equal(Array.from({ length: 400 }, (_, n) => drawInvalid(stream('7', `${n}`)).kind));
    expect(new Set(kinds).size).to.be.above(50);
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
