import { expect } from 'chai';
import { faultStepsAt } from '../../../harness/scenario/index.ts';
import { checkFaults, makePlan, planCosts, planRehearsal } from '../../../harness/session/index.ts';
import { loadSuite } from '../../../harness/suite/index.ts';
import { readRehearsal } from '../../../harness/topology/index.ts';

const WHERE = [
  ['join-wave', 'ant-join-smoke'],
  ['join-wave', 'ant-join-wave'],
  ['join-wave', 'fetch-join-smoke'],
  ['join-wave', 'fetch-join-busy'],
  ['agreement', 'join-agreement'],
] as const;

async function plannedOn(name: string, topology: string) {
  const { scenarios } = await loadSuite('suites/ant');
  const scenario = scenarios.find((one) => one.name === name);
  if (!scenario) throw new Error(`no scenario "${name}"`);
  const plan = makePlan({
    selections: [{ scenario: { ...scenario, topology }, grid: 'faults' }],
    command: [],
  });
  return { scenario, plan };
}

describe('disturbances of a join wave', () => {
  for (const [name, topology] of WHERE) {
    it(`can be done on ${topology}, every one that ${name} names`, async () => {
      const { scenario, plan } = await plannedOn(name, topology);
      const named = scenario.parameters['fault']?.choices ?? [];
      expect([...new Set(plan.points.map(({ point }) => point['fault']))]).to.have.members([...named]);
      checkFaults(plan);
    });

    it(`on ${topology} reach what they are to disturb`, async () => {
      const { plan } = await plannedOn(name, topology);
      for (const { scenario, point, pointId, topology: bed } of plan.points) {
        const [step] = faultStepsAt(scenario, point);
        if (point['fault'] === 'none') {
          expect(step, pointId).to.equal(undefined);
          continue;
        }
        // Real nodes speak UDP, stand-ins TCP.
        expect([undefined, 'all'], pointId).to.include(step?.['protocol']);
        if (step?.kind !== 'disk-full') continue;
        const role = point['fault'] === 'disk-full' ? 'holder' : 'joiner';
        expect(step.on, pointId).to.equal(`pick(1,${role})`);
        const nodes = bed.nodes.filter((node) => node.role === role);
        expect(nodes, pointId).not.to.deep.equal([]);
        for (const { resources, environment, image } of nodes) {
          expect(resources.tmpfsBytes, pointId).to.be.greaterThan(0);
          // What is filled is where chunks are kept, and a node that leaves more free than there is would store nothing at all.
          if (image.kind === 'ours' && image.name === 'fetch-node')
            expect(environment['SQUALL_STORE_PATH'], pointId).to.equal('/data');
          else
            expect(Number(environment['SQUALL_DISK_RESERVE_BYTES']), pointId).to.be.lessThan(
              (resources.tmpfsBytes ?? 0) / 2,
            );
        }
      }
    });
  }

  it('leave real holders their disk through a restart', async () => {
    const { plan } = await plannedOn('join-wave', 'ant-join-smoke');
    const restarted = plan.points.find(({ point }) => point['fault'] === 'restart');
    const holders = restarted?.topology.nodes.filter(({ role }) => role === 'holder') ?? [];
    expect(holders).to.have.length(8);
    expect(holders.every(({ resources }) => resources.tmpfsBytes === undefined)).to.equal(true);
  });
});

describe('waves that take the host from each other', () => {
  for (const [name, topology] of [
    ['join-wave', 'ant-join-wave'],
    ['agreement', 'join-agreement'],
  ] as const) {
    it(`are played one bed at a time: ${name}`, async () => {
      const { plan } = await plannedOn(name, topology);
      const { parallelBeds, why } = await planCosts(plan, undefined, 'reports/none');
      expect([parallelBeds, why]).to.deep.equal([1, `${name} wants the host to itself`]);
      expect((await planCosts(plan, 2, 'reports/none')).parallelBeds).to.equal(2);
    });
  }
});

describe('rehearsals of fetch nodes', () => {
  it('are the same but for the holders', () => {
    const [smoke, busy] = ['fetch-join-smoke', 'fetch-join-busy'].map((name) => {
      const { baseline: _, ...rest } = readRehearsal(`topologies/${name}.yaml`);
      return rest;
    });
    expect(busy).to.deep.equal(smoke);
  });

  for (const [topology, holders] of [
    ['fetch-join-smoke', ['before', 'before']],
    ['fetch-join-busy', ['share+busy', 'share+busy']],
  ] as const) {
    it(`have holders of ${holders[0]} on both sides of ${topology}`, async () => {
      const { scenarios } = await loadSuite('suites/ant');
      const scenario = scenarios.find((one) => one.name === 'join-wave');
      if (!scenario) throw new Error('no scenario "join-wave"');
      const file = `topologies/${topology}.yaml`;
      const { plan } = await planRehearsal({
        topology: file,
        spec: readRehearsal(file),
        scenario,
        baseline: 'fetch-node@before',
        candidates: ['fetch-node@busy'],
        command: [],
        reportsDir: 'reports',
        nowMs: () => 0,
        room: () => ({ diskFreeBytes: 0, memoryFreeBytes: 0 }),
        signal: new AbortController().signal,
      });
      const variantsOf = (role: string): unknown[] =>
        plan.points.map(({ topology: { nodes } }) => {
          const image = nodes.find((node) => node.role === role)?.image;
          return image?.kind === 'ours' ? image.variant : image;
        });
      expect(variantsOf('holder')).to.deep.equal(holders);
      expect(variantsOf('joiner')).to.deep.equal(['before', 'busy']);
    });
  }
});
