import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { checkProblems } from '../../check/index.ts';
import { SquallError } from '../../errors/index.ts';
import type { TrialPort, Tried } from '../../incident/index.ts';
import { checkOf, scenarioOf } from '../../incident/index.ts';
import { FakeTrials, faultsOf } from '../../incident/test/fake-trials.ts';
import { requireScenario } from '../../scenario/index.ts';
import { checkFaults, makePlan } from '../../session/index.ts';
import { useSuite } from '../../suite/index.ts';
import {
  asIncident,
  drawSchedule,
  type ExploreOptions,
  explore,
  type Finding,
  parseExploration,
  readExploration,
} from '../index.ts';

const MEMBERS = new URL('../../../suites/memberlist/members.explore.yaml', import.meta.url);
const TEXT = readFileSync(MEMBERS, 'utf8');
const members = () => parseExploration(TEXT, 'suites/memberlist/members.explore.yaml');
const [DEAD, CRASHED] = members().invariants.map(({ title }) => title) as [string, string];

/** A bed that breaks the first invariant where three members are held for 30 s and more, and the second by long pauses. */
class LeakyTrials extends FakeTrials {
  constructor() {
    super((spec) => this.brokenBy(spec).length > 0);
  }

  brokenBy(spec: Parameters<typeof faultsOf>[0]): string[] {
    const faults = faultsOf(spec);
    return [
      ...(faults.some(({ kind, seconds, nodes }) => kind === 'hold' && seconds >= 30 && nodes >= 3)
        ? [DEAD]
        : []),
      ...(faults.some(({ kind, seconds }) => kind === 'pause' && seconds >= 18) ? [CRASHED] : []),
    ];
  }

  override readonly tryAll: TrialPort['tryAll'] = async (tryings, { checks }) =>
    tryings.map(({ spec, trials }): Tried => {
      const titles = checks.symptoms.map(({ title }) => title);
      const failed = this.brokenBy(spec).filter((title) => titles.includes(title));
      const shows = checks.need === 'any' ? failed.length > 0 : failed.length === titles.length;
      this.trials += trials;
      return { shown: shows ? trials : 0, counted: trials, voids: 0, failed };
    });
}

async function explored(changes: Partial<ExploreOptions> = {}) {
  const findings: Finding[] = [];
  let batches = 0;
  const result = await explore({
    exploration: members(),
    port: new LeakyTrials(),
    seed: '7',
    from: 0,
    known: [],
    batch: 4,
    confirm: 3,
    shrinkTrials: 200,
    hasTime: () => {
      batches += 1;
      return batches < 4_000 && findings.length < 2;
    },
    onFinding: async (finding) => void findings.push(finding),
    onProgress: () => undefined,
    signal: new AbortController().signal,
    ...changes,
  });
  return { ...result, told: findings };
}

describe('exploring', () => {
  it('finds each way to break an invariant by itself, and shrinks it to what is needed', async () => {
    const { findings, told } = await explored();
    expect(told).to.deep.equal(findings);
    const dead = findings.find(({ broken }) => broken.join() === DEAD);
    expect(dead?.smallest.happenings).to.have.length(1);
    const [cut] = dead!.smallest.happenings;
    expect(cut!.action).to.have.nested.property('fault.kind', 'hold');
    expect(cut!.action).to.have.nested.property('fault.on', 'pick(3,member)');
    expect((cut!.action as { forMs: number }).forMs).to.be.within(30_000, 31_000);
    expect(dead?.frequency).to.include({ shown: 3, counted: 3 });
  });

  it('reports what is known already no second time, and counts it', async () => {
    let batches = 0;
    const { findings, again, next } = await explored({
      known: [[DEAD], [CRASHED], [DEAD, CRASHED]],
      from: 100,
      hasTime: () => {
        batches += 1;
        return batches <= 30;
      },
    });
    expect(findings).to.deep.equal([]);
    expect(next).to.equal(220);
    expect(Object.values(again).reduce((sum, count) => sum + count, 0)).to.be.above(3);
  });

  it('does not let what was seen once, and in no fresh trial, hide what is broken for good', async () => {
    const leaky = new LeakyTrials();
    let first = true;
    const port: TrialPort = {
      rolesOf: (spec) => leaky.rolesOf(spec),
      tryAll: async (tryings, how) => {
        const tried = await leaky.tryAll(tryings, how);
        if (!first) return tried;
        first = false;
        const chance = { shown: 1, counted: 1, voids: 0, failed: [DEAD] };
        return [chance, ...tried.slice(1).map((one) => ({ ...one, shown: 0, failed: [] }))];
      },
    };
    // The first schedule of this seed breaks nothing by itself.
    const { findings, unconfirmed } = await explored({ port, seed: '11' });
    expect(unconfirmed).to.deep.equal([{ broken: [DEAD], schedule: 0, counted: 3 }]);
    expect(findings.map(({ broken }) => broken.join())).to.include(DEAD);
  });

  it('draws the same schedules from the same seed, within what the file says', () => {
    const exploration = members();
    const schedules = Array.from({ length: 60 }, (_, number) => drawSchedule(exploration, '7', number));
    expect(schedules).to.deep.equal(
      Array.from({ length: 60 }, (_, number) => drawSchedule(exploration, '7', number)),
    );
    for (const { happenings } of schedules) {
      expect(happenings.length).to.be.within(1, 4);
      expect(Math.min(...happenings.map(({ atMs }) => atMs))).to.equal(0);
      for (const { action, atMs } of happenings) {
        expect(atMs).to.be.within(0, 40_000);
        expect((action as { forMs: number }).forMs).to.be.within(1_000, 60_000);
      }
    }
    const kinds = new Set(
      schedules.flatMap(({ happenings }) =>
        happenings.map(({ action }) => (action as { fault: { kind: string } }).fault.kind),
      ),
    );
    expect([...kinds].sort()).to.deep.equal(['drop', 'hold', 'loss', 'pause']);
  });

  for (const [suite, name] of [
    ['memberlist', 'members'],
    ['smp', 'proxies'],
    ['session', 'swarm'],
    ['ant', 'wave'],
  ] as const) {
    it(`makes scenarios that can be planned on the topology of suites/${suite}/${name}.explore.yaml`, async () => {
      const folder = fileURLToPath(new URL(`../../../suites/${suite}`, import.meta.url));
      const exploration = readExploration(`${folder}/${name}.explore.yaml`);
      for (const word of exploration.uses ?? []) await useSuite(word, folder);
      const selections = Array.from({ length: 12 }, (_, number) => {
        const one = drawSchedule(exploration, '3', number);
        const spec = scenarioOf(asIncident(exploration, name), one, { name: `${name}-${number}` });
        return { scenario: requireScenario(spec, { suite }) };
      });
      checkFaults(makePlan({ selections, command: [] }));
      for (const invariant of exploration.invariants) {
        expect(checkProblems(checkOf(invariant)), invariant.title).to.deep.equal([]);
      }
    });
  }

  it('draws actions and requests beside faults, with what they are given', () => {
    const deeds = TEXT.replace(
      'schedule:',
      "  - {do: {action: member.leaves, parameters: {count: '${leaving}'}}, draw: {leaving: {from: 2, to: 3}}, weight: 9}\n" +
        '  - {admin: {on: member-1, method: POST, path: /leave}, weight: 9}\nschedule:',
    );
    const exploration = parseExploration(deeds, 'x.explore.yaml');
    const drawn = Array.from({ length: 20 }, (_, number) => drawSchedule(exploration, '7', number)).flatMap(
      ({ happenings }) => happenings.map(({ action }) => action),
    );
    const counts = drawn.flatMap((action) => (action.verb === 'do' ? action.do.parameters?.['count'] : []));
    expect([...new Set(counts)].sort()).to.deep.equal([2, 3]);
    expect(drawn.filter(({ verb }) => verb === 'admin')).to.not.be.empty;
  });

  for (const [what, text, problem] of [
    [
      'a range that falls',
      TEXT.replace('{from: 1s, to: 20s}', '{from: 20s, to: 1s}'),
      /faults\[2\]\.for: "from" is above "to"/,
    ],
    [
      'ends of two kinds',
      TEXT.replace('{from: 1s, to: 20s}', '{from: 1, to: 20s}'),
      /one end is a number and the other a duration/,
    ],
    [
      'what is not drawn',
      TEXT.replace('${paused}', '${pausd}'),
      /\$\{pausd\} is not drawn; did you mean "paused"/,
    ],
    ['an invariant that is none', TEXT.replace(/invariants:[\s\S]*/, 'invariants: []\n'), /invariants/],
    [
      'a fault and an action in one',
      TEXT.replace('    weight: 3', '    do: {action: member.leaves}'),
      /faults\[0\]: one of fault, do and admin; found fault and do/,
    ],
    ['an unknown key', TEXT.replace('watch:', 'wach:'), /wach: unknown key; did you mean "watch"/],
  ] as const) {
    it(`refuses ${what}, by line and column`, () => {
      expect(() => parseExploration(text, 'x.explore.yaml'))
        .to.throw(SquallError, problem)
        .with.property('message')
        .that.match(/x\.explore\.yaml:\d+:\d+/);
    });
  }
});

describe('the guide to exploration', () => {
  it('has an example that is one', () => {
    const guide = readFileSync(new URL('../../../docs/exploration.md', import.meta.url), 'utf8');
    const example = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
    expect(parseExploration(example, 'guide.explore.yaml').faults).to.have.length(2);
  });
});
