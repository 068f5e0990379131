import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { expect } from 'chai';
import { pack } from 'tar-stream';
import { type Engine, findEngine } from '../../engine/index.ts';
import { ensureImage } from '../../image/index.ts';
import { type HostGuardFactory, requireScenario } from '../../scenario/index.ts';
import { bedFactory } from '../bed-factory.ts';
import { bisectSubject, executeBisect, newRunId } from '../index.ts';

const RELEASES = 8;
/** Each takes about 80 s on two cores; `make stress` asks for ten. */
const ROUNDS = Number(process.env['SQUALL_BISECTIONS'] ?? 2);
/** Share of the trials in which a bad release shows its defect. */
const SHOW_RATE = 0.8;

const REPOSITORY = `squall-test-${process.pid}/server`;

/** The host is not what this test is about, and it runs beside others. */
const TRUSTED: HostGuardFactory = {
  start: async () => ({ stop: async () => ({ verdict: 'quiet', measures: [], reasons: [] }) }),
};

const TOPOLOGY = `
name: server
description: one server of some release
nodes:
  - role: server
    image: ${REPOSITORY}:1.1
    readiness: {log: serving, timeout: 30s}
    resources: {memory: 128MiB, pids: 32}
    adapters:
      - {source: stdout, match: {regex: 'answered (?<request>\\d+)'}, event: request.answered, fields: {request: request}}
      - {source: stdout, match: {regex: 'refused (?<request>\\d+)'}, event: request.refused, fields: {request: request}, optional: true}
`;

/** Answers ten requests a second; a bad release refuses one of them in a share of its runs. */
const program = (bad: boolean): string => `
console.log('serving');
const refused = ${bad} && Math.random() < ${SHOW_RATE} ? 4 : 0;
let request = 0;
setInterval(() => console.log((++request === refused ? 'refused ' : 'answered ') + request), 100);
process.on('SIGTERM', () => process.exit(0));
`;

/** About ten minutes on two cores: ten bisections of some twenty trials each, on beds of one container. */
describe('a bisection over real images', function () {
  this.timeout(40 * 60_000);
  let engine: Engine;
  let dir: string;
  const tags: string[] = [];
  before(async () => {
    engine = await findEngine({ yes: true });
    dir = mkdtempSync(join(tmpdir(), 'squall-bisect-'));
    writeFileSync(join(dir, 'server.yaml'), TOPOLOGY);
    const base = await ensureImage(engine, { kind: 'ours', name: 'node-base' });
    for (let release = 1; release <= RELEASES; release += 1) {
      for (const bad of [false, true]) tags.push(await build(base.reference, release, bad));
    }
  });
  after(async () => {
    for (const tag of tags) await engine.removeImage(tag);
    rmSync(dir, { recursive: true, force: true });
    engine.close();
  });

  async function build(base: string, release: number, bad: boolean): Promise<string> {
    const tag = tagOf(release, bad);
    const files = pack();
    files.entry({ name: 'server.cjs' }, program(bad));
    files.entry(
      { name: 'Dockerfile' },
      `FROM ${base}\nENV RELEASE=1.${release}\nCOPY server.cjs /server.cjs\nENTRYPOINT ["node", "/server.cjs"]\n`,
    );
    files.finalize();
    const labels = { 'squall.test': 'bisect' };
    await engine.buildImage(Readable.from(files), { tag, labels, dockerfile: 'Dockerfile' }, () => undefined);
    return tag;
  }

  const tagOf = (release: number, bad: boolean): string =>
    `${REPOSITORY}:1.${release}${bad ? '-changed' : ''}`;

  const subject = () =>
    bisectSubject(
      requireScenario(
        {
          name: 'requests',
          description: 'the server is asked for a while',
          topology: 'server.yaml',
          parameters: {},
          grids: { default: { description: '', axes: {} } },
          defaultGrid: 'default',
          trials: 1,
          bed: 'reuse',
          phases: [{ name: 'watch', steps: [{ wait: '1s' }] }],
          measure: [],
          measures: [],
          checks: [
            {
              check: 'no-event',
              title: 'no request is refused',
              kind: 'invariant',
              parameters: { event: 'request.refused' },
            },
          ],
        },
        { suite: 'bisect-test', folder: dir },
      ),
      {},
      [],
    );

  for (let round = 1; round <= ROUNDS; round += 1) {
    const firstBad = 2 + ((round * 3) % (RELEASES - 1));
    it(`finds release ${firstBad} of ${RELEASES}, which shows it in a share of trials only (${round} of ${ROUNDS})`, async () => {
      const versions = Array.from({ length: RELEASES }, (_, index) =>
        tagOf(index + 1, index + 1 >= firstBad),
      );
      const { result, exitCode, text } = await executeBisect({
        ...subject(),
        command: ['bisect', 'bisect-test'],
        seed: String(round),
        place: { kind: 'image', role: 'server' },
        versions,
        confidence: 0.99,
        mostTrials: 120,
        stepTrials: 5,
        parallelBeds: 1,
        reportsDir: join(dir, 'reports'),
        stage: { beds: bedFactory(engine, newRunId(new Date())), guard: TRUSTED },
        onProgress: () => undefined,
        signal: new AbortController().signal,
      });
      expect(text).to.include(`FIRST BAD: ${versions[firstBad - 1]}`);
      expect(result).to.include({ outcome: 'found', lastGood: versions[firstBad - 2] });
      expect(exitCode).to.equal(0);
    });
  }
});
