import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { checkProblems } from '../../check/index.ts';
import { fillOverrides, requireScenario } from '../../scenario/index.ts';
import { checkFaults, makePlan } from '../../session/index.ts';
import { useSuite } from '../../suite/index.ts';
import { checkOf, drawCases, type Incident, readIncident, scenarioOf } from '../index.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

/** Planned as `squall repro` would, every way of it. */
async function requirePlannable(incident: Incident): Promise<void> {
  for (const word of incident.uses ?? []) await useSuite(word, incident.folder);
  for (const one of drawCases(incident, 4, '7')) {
    const spec = scenarioOf(incident, one, { name: incident.name });
    const scenario = requireScenario(spec, { suite: 'incidents', folder: incident.folder });
    checkFaults(makePlan({ selections: [{ scenario }], command: [] }));
  }
  for (const symptom of [...incident.symptoms, ...incident.held]) {
    expect(checkProblems(checkOf(symptom)), symptom.title).to.deep.equal([]);
  }
}

describe('incidents that come with the project', () => {
  const folder = join(ROOT, 'suites', 'incidents');
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.incident.yaml'))) {
    it(`${file} can be planned, whatever is drawn for what is not known`, async () => {
      await requirePlannable(readIncident(join(folder, file)));
    });
  }

  it('a fix may be a setting or a count: both sides have theirs, numbers as numbers', async () => {
    const incident = readIncident(join(folder, 'half-isolated-member.incident.yaml'));
    const counted: Incident = {
      ...incident,
      overrides: { ...incident.overrides, counts: { member: '${members}' } },
      fix: { ...incident.fix, members: { before: 11, after: 12 } },
    };
    await requirePlannable(counted);
    const [one] = drawCases(counted, 1, '7');
    const scenario = requireScenario(scenarioOf(counted, one!, { name: 'counted' }), {
      suite: 'incidents',
      folder,
    });
    const { points } = makePlan({ selections: [{ scenario }], command: [] });
    const seen = points.map(({ point }) => fillOverrides(scenario, point));
    expect(seen.map(({ counts }) => counts)).to.deep.equal([{ member: 11 }, { member: 12 }]);
    expect(seen.map(({ settings }) => settings)).to.deep.equal([
      { member: { indirectChecks: 3 } },
      { member: { indirectChecks: 10 } },
    ]);
  });

  it('the example of the guide can be planned, and its rows can be imported', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'squall-guide-'));
    try {
      const guide = readFileSync(join(ROOT, 'docs', 'incidents.md'), 'utf8');
      const example = /```yaml\n([\s\S]*?)```/.exec(guide)?.[1] ?? '';
      const rows = /^ {4}at,kind,[\s\S]*?\n\n/m.exec(guide)?.[0].replaceAll(/^ {4}/gm, '') ?? '';
      writeFileSync(join(dir, 'events.csv'), rows);
      writeFileSync(
        join(dir, 'guide.incident.yaml'),
        `${example}import: [{file: events.csv, zone: UTC, error: 5s}]\n`,
      );
      const incident = readIncident(join(dir, 'guide.incident.yaml'));
      expect(incident.entries).to.have.length(5);
      await requirePlannable(incident);
    } finally {
      rmSync(dir, { recursive: true });
    }
  });
});
