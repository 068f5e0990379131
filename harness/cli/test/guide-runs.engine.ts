import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { type Engine, findEngine } from '../../engine/index.ts';
import { LABEL } from '../../testnet/index.ts';
import { guideCommands, PROJECT, runBy } from './guide-commands.ts';
import { makeGuideImages, removeGuideImages } from './guide-images.ts';
import { makeGuidePlace } from './guide-place.ts';

/** What `my.scenario.yaml` of a guide may stand for: a role that it bisects over, and another. */
const TOPOLOGY = `
name: mine
description: what a user of the guides has
nodes:
  - {role: server, image: 'app:1.0', readiness: {log: listening on}, resources: {memory: 128MiB, pids: 32}}
  - {role: node, image: 'app:1.0', readiness: {log: listening on}, resources: {memory: 128MiB, pids: 32}}
`;
const SCENARIO = `
name: my
description: looked at for a moment
topology: mine
phases: [{name: watch, steps: [{wait: 2s}]}]
checks: [{check: no-event, title: nobody refuses, kind: invariant, parameters: {event: server.refused}}]
`;

/** A verdict of its own, whichever; or ended by us once its first trial was under way. */
const ENDS: readonly number[] = [0, 1, 2, 143];

/** What the guides say of the project's own gate, suites and rehearsals. */
const OF_THE_PROJECT = ['gate', 'mutate', 'rehearse', 'explore'];

/** As they stand: for hours they are not waited for, but for their first trial. */
describe('commands of the guides that play trials or ask an engine', function () {
  this.timeout(900_000);
  let engine: Engine;
  let dir: string;
  let child: ChildProcess | undefined;
  before(async () => {
    engine = await findEngine({ yes: true });
    await makeGuideImages(engine);
    dir = makeGuidePlace();
    writeFileSync(join(dir, 'mine.yaml'), TOPOLOGY);
    writeFileSync(join(dir, 'my.scenario.yaml'), SCENARIO);
  });
  afterEach(() => {
    if (child?.exitCode === null) child.kill('SIGKILL');
  });
  after(async () => {
    await removeGuideImages(engine);
    engine.close();
    rmSync(dir, { recursive: true, force: true });
  });

  /** Folders of trials that were begun and are there, of whatever run; one that was broken off may be removed again. */
  const trials = (): readonly string[] =>
    readdirSync(dir, { recursive: true, encoding: 'utf8' }).filter((path) =>
      /\/trials\/[^/]+\/\d+$/.test(path),
    );

  /** What a `squall repro` is about to write: the place has it already, for the commands after it. */
  const written = (argv: readonly string[]): string | undefined =>
    argv[0] === 'repro' ? argv[1]?.replace('.incident.', '.scenario.') : undefined;

  const lines = new Map(
    guideCommands()
      .filter((command) => runBy(command) === 'trials')
      .map(({ line, argv }) => [line, argv]),
  );
  for (const [line, argv] of lines) {
    it(`npx squall ${line}`, async () => {
      const scenario = written(argv);
      const kept = scenario === undefined ? undefined : readFileSync(join(dir, scenario), 'utf8');
      if (scenario !== undefined) rmSync(join(dir, scenario));
      const earlier = new Set(trials());
      const begun = () => trials().filter((path) => !earlier.has(path));
      const inProject = OF_THE_PROJECT.includes(argv[0] ?? '') ? ['--reports', join(dir, 'reports')] : [];
      const bin = join(PROJECT, 'harness', 'cli', 'squall.mjs');
      const run = spawn(process.execPath, [bin, ...argv, ...inProject], {
        cwd: inProject.length > 0 ? PROJECT : dir,
        env: { ...process.env, CI: 'true', DOCKER_HOST: engine.info.endpoint },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = run;
      let said = '';
      for (const stream of [run.stdout, run.stderr])
        stream.on('data', (chunk: Buffer) => {
          said = (said + chunk.toString()).slice(-8_000);
        });
      const ended = new Promise<number | null>((resolve) => run.once('close', resolve));
      let seen = begun();
      while (run.exitCode === null && seen.length === 0) {
        await sleep(200);
        seen = begun();
      }
      run.kill('SIGTERM');
      const code = await ended;
      if (scenario !== undefined && kept !== undefined) writeFileSync(join(dir, scenario), kept);
      expect(ENDS, `exit ${code}: ${said}`).to.include(code);
      const played = ['doctor', 'images'].includes(argv[0] ?? '') ? 0 : 1;
      seen = [...new Set([...seen, ...begun()])];
      expect(seen.length, `trials begun: ${said}`).to.be.at.least(played);
      const runs = new Set(seen.map((path) => basename(path.slice(0, path.indexOf('/trials/')))));
      for (const id of runs)
        expect(await engine.listContainers([`${LABEL.run}=${id}`]), `left by ${id}`).to.deep.equal([]);
    });
  }
});
