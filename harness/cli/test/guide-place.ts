import { cpSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { judgeRun } from '../../check/index.ts';
import { sampleRun } from '../../report/test/sample-run.ts';
import { requireScenario } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { FakeStage } from '../../scenario/test/fake-stage.ts';
import { executeRun } from '../../session/index.ts';
import { readAnswers, starterFiles } from '../../starter/index.ts';
import { PROJECT } from './guide-commands.ts';

/** The run that a guide holds the latest one against. */
const EARLIER = '20261130-021100-c483';
const LATEST = '20261201-091500-7d1e';

/** A folder as the guides take it for granted: a suite of `init` and the files that they speak of; the project's own are found from anywhere. */
export function makeGuidePlace(): string {
  const dir = mkdtempSync(join(tmpdir(), 'squall-guides-'));
  const answers = readAnswers({ image: 'registry.example/server:1.2', recovered: 'leader elected' });
  for (const { path, text } of starterFiles(answers)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
  const guide = readFileSync(join(PROJECT, 'docs/scenarios.md'), 'utf8');
  const [, example = ''] = /```yaml\n([\s\S]*?)```/.exec(guide) ?? [];
  for (const file of ['rack-lost.scenario.yaml', 'my.scenario.yaml']) writeFileSync(join(dir, file), example);
  const incidents = join(PROJECT, 'suites', 'incidents');
  cpSync(join(incidents, 'rack-uplink.incident.yaml'), join(dir, 'rack-uplink.incident.yaml'));
  // What `squall repro` writes of it.
  cpSync(incidents, join(dir, 'suites', 'incidents'), { recursive: true });
  for (const folder of ['.', 'suites/incidents'])
    writeFileSync(join(dir, folder, 'rack-uplink.scenario.yaml'), example);
  writeFileSync(
    join(dir, 'docker-compose.yaml'),
    'services: {web: {image: "registry.example/web:${TAG:-1}"}}\n',
  );
  writeFileSync(join(dir, 'images-of-commits.txt'), 'app:1.0\napp:1.1\n');
  return dir;
}

/** Runs in a folder's `reports`, as a guide finds them there: the latest, and one to hold it against. */
export async function addGuideRuns(dir: string): Promise<void> {
  const reports = join(dir, 'reports');
  for (const name of [EARLIER, LATEST]) {
    await sampleRun(join(reports, name), { outagesS: [40], cutoffs: [32], trials: 2 });
    await judgeRun(join(reports, name), { checks: 'recorded' });
    const began = { atNs: 1, node: 'harness', event: 'run.began', fields: {} };
    writeFileSync(join(reports, name, 'events.jsonl'), `${JSON.stringify(began)}\n`);
  }
  cpSync(await playedInputs(dir), join(reports, LATEST, 'inputs.json'));
}

/** What a run was made of, as one on a bed that there is none of leaves it. */
async function playedInputs(dir: string): Promise<string> {
  const spec = scenarioSpec({ topology: 'memberlist-16', trials: 1, overrides: { counts: { member: 4 } } });
  const { dir: run } = await executeRun({
    selections: [{ scenario: requireScenario(spec, { suite: 'fake' }) }],
    command: ['run', 'fake'],
    reportsDir: join(dir, 'played'),
    parallelBeds: 1,
    stage: new FakeStage(),
    signal: new AbortController().signal,
  });
  return join(run, 'inputs.json');
}
