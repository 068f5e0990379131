import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { PROJECT } from './guide-commands.ts';
import { faultExamples, REFUSED } from './guide-faults.ts';

/** Each example of docs/faults.md by hand, as it stands there: it is taken, is in force, and is lifted again. */
describe('examples of the fault reference, by hand', function () {
  this.timeout(900_000);
  let engine: Engine;
  before(async () => {
    engine = await findEngine({ yes: true });
  });
  after(() => engine.close());

  function squall(...words: string[]) {
    const bin = join(PROJECT, 'harness', 'cli', 'squall.mjs');
    const { status, stdout, stderr } = spawnSync(process.execPath, [bin, ...words], {
      cwd: PROJECT,
      encoding: 'utf8',
      env: { ...process.env, DOCKER_HOST: engine.info.endpoint },
    });
    return { status, said: stdout + stderr };
  }

  for (const topology of new Set(faultExamples().map((example) => example.topology))) {
    it(`on ${topology}`, () => {
      const bed = `reference-${process.pid}`;
      const up = squall('up', `topologies/${topology}.yaml`, '--name', bed);
      expect(up.status, up.said).to.equal(0);
      try {
        for (const { kind, argv } of faultExamples().filter((example) => example.topology === topology)) {
          const { status, said } = squall(...argv, '--bed', bed);
          const refused = REFUSED[kind];
          if (refused) {
            expect(status, said).to.not.equal(0);
            expect(said).to.match(refused);
            const lifted = squall('lift', '--all', '--bed', bed);
            expect(lifted.status, lifted.said).to.equal(0);
            expect(lifted.said).to.include('No fault is in force');
            continue;
          }
          expect(status, `${argv.join(' ')}: ${said}`).to.equal(0);
          const lifted = squall('lift', '--all', '--bed', bed);
          // 2: nothing of the fault was seen in the second that it was in force, which a quiet bed may well do.
          expect([0, 2], `${argv.join(' ')}, then lift --all: ${lifted.said}`).to.include(lifted.status);
          expect(lifted.said, argv.join(' ')).to.include('it is gone');
        }
      } finally {
        expect(squall('down', '--bed', bed).status).to.equal(0);
      }
    });
  }
});
