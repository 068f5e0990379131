import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { createLiveConsole } from '../../report/index.ts';
import { requireScenario } from '../../scenario/index.ts';
import { scenarioSpec } from '../../scenario/test/fake-scenario.ts';
import { FakeStage } from '../../scenario/test/fake-stage.ts';
import { executeRun } from '../index.ts';

const SECRET = 'hunter2';
const ADDRESS = `https://me:${SECRET}@registry.example/v2/`;

const TOPOLOGY = `
name: secretive
nodes:
  - role: member
    count: 4
    image: memberlist-node
    settings: {expected: '{count:member}'}
    env: {DB_PASSWORD: ${SECRET}, PEER: '${ADDRESS}', MODE: fast}
`;

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile());
}

describe('secrets of a topology, a command and an error', () => {
  it('stand in no file of the run and in nothing that it says', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'squall-secrets-'));
    try {
      writeFileSync(join(folder, 'secretive.yaml'), TOPOLOGY);
      const scenario = requireScenario(
        scenarioSpec({ topology: 'secretive', grids: { default: { description: '', axes: {} } } }),
        { suite: 'fake', folder },
      );
      let said = '';
      const target = {
        write: (text: string): void => {
          said += text;
        },
      };
      let starts = 0;
      const stage = new FakeStage({
        // What an engine says of a pull that failed names the address that it asked.
        // And nodes say aloud what they were given, plain and within an event.
        onStart: (bed) => {
          bed.events.emit('said.aloud', { text: `my password is ${SECRET}` });
          bed.onLine('member-1', 'stdout', `my password is ${SECRET}`);
        },
        startError: () =>
          starts++ === 0
            ? new SquallError(`image x: the engine says: Get ${ADDRESS}: refused`, { code: 'x' })
            : undefined,
      });
      const { summary, run } = await executeRun({
        selections: [{ scenario }],
        command: ['run', 'suites/fake', '--set', `db_password=${SECRET}`, '--token', SECRET],
        seed: '7',
        reportsDir: join(folder, 'reports'),
        parallelBeds: 1,
        stage,
        observer: createLiveConsole({ target, nowMs: () => 0 }),
        signal: new AbortController().signal,
      });
      expect(run.errors, 'the error is told').to.have.length(1);
      expect(said).to.include('registry.example');
      for (const text of [summary, said]) expect(text).to.not.include(SECRET);
      const files = filesBelow(join(folder, 'reports'));
      const spoken = files.filter((file) => readFileSync(file, 'utf8').includes('my password is [redacted]'));
      expect(
        spoken.map((file) => basename(file)),
        'events and logs',
      ).to.include.members(['events.jsonl', 'member-1.log']);
      expect(files.some((file) => file.endsWith('index.html'))).to.equal(true);
      for (const file of files) expect(readFileSync(file, 'utf8'), file).to.not.include(SECRET);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
