import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { createRun, type RecordedEvent, type RunWriter } from '../../record/index.ts';
import { samplePlan, sampleTrial } from '../../record/test/sample-record.ts';
import { openBrowser, openPage, overflowPx, until, type WatchedPage } from '../../testing/browser.ts';
import { RunFollower, serveWatch, type WatchServer } from '../index.ts';

const HOSTILE = '</script><img src=x onerror=alert(1)>';
const S = 1e9;
const NODES = ['member-1', 'member-2', HOSTILE];

function harness(event: string, atS: number, fields: Record<string, unknown>): RecordedEvent {
  return { node: 'harness', event, atNs: atS * S, fields };
}

const SCENARIO = {
  suite: 'synthetic',
  scenario: 'outage',
  description: HOSTILE,
  kills: [],
  points: [{ point: { cutoff: 8 }, pointId: 'cutoff=8', trials: 1, estimatedMs: 60_000 }],
  checks: [],
  expectations: [],
  published: [],
  measures: [],
  plots: [],
};

/** A finished run of one trial of a minute, with a fault from 20 s to 40 s. Synthetic: nothing ran for it. */
async function writeRun(dir: string): Promise<void> {
  const run = await createRun(dir, samplePlan({ scenarios: [SCENARIO] }));
  const links = [{ name: 'pair', from: ['member-1'], to: ['member-2'], port: 1, protocol: 'tcp' }];
  const nodes = NODES.map((name) => ({ name, role: 'member' }));
  run.event(harness('bed.described', 1, { bedId: 'bed-1', topology: HOSTILE, nodes, links }));
  run.event(harness('trial.started', 1, { pointId: 'cutoff=8', trial: 1, bedId: 'bed-1', text: HOSTILE }));
  const trial = await run.openTrial({ pointId: 'cutoff=8', trial: 1 });
  for (const name of NODES) {
    trial.event({ node: name, event: 'ready', atNs: 2 * S, fields: { said: HOSTILE } });
    trial.log(name).line(`${name} says ${HOSTILE}`);
  }
  const settings = { id: 'cut', kind: 'drop', targets: ['member-1'], peers: ['member-2'] };
  trial.event(harness('fault.applied', 21, settings));
  trial.event(harness('fault.lifted', 41, { id: 'cut', bit: true, gone: true, problems: [] }));
  const [sample] = sampleTrial().nodes;
  await trial.finish(
    sampleTrial({
      endNs: 61 * S,
      nodes: NODES.map((name) => ({ ...sample!, name })),
      phases: [
        { name: 'warm-up', startNs: 1 * S, endNs: 21 * S },
        { name: HOSTILE, startNs: 21 * S, endNs: 41 * S },
        { name: 'recovery', startNs: 41 * S, endNs: 61 * S },
      ],
    }),
  );
  await run.finish();
}

describe('the page of a watch in a browser', function () {
  this.timeout(120_000);
  let dir: string;
  let server: WatchServer;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'squall-page-'));
    await writeRun(join(dir, 'run-1'));
    const nowNs = (): number => 100 * S;
    const judge = (): never => {
      throw new Error('not judged');
    };
    const follower = await RunFollower.open(join(dir, 'run-1'), {
      nowNs,
      ownerAlive: () => false,
      judge: async () => judge(),
    });
    server = await serveWatch(follower, {
      port: 0,
      nowNs,
      onProblem: (text) => expect.fail(text),
    });
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
    await rm(dir, { recursive: true, force: true });
  });

  async function open(width: number, dark = false): Promise<WatchedPage> {
    const watched = await openPage(browser, { width, height: 900, dark });
    await watched.page.goto(server.url);
    await until(watched.page, "document.querySelectorAll('#events tr').length === 5");
    return watched;
  }

  for (const [width, dark] of [
    [1280, false],
    [400, true],
  ] as const) {
    it(`draws the trial without an error and without running out of ${width} pixels`, async () => {
      const { page, problems, requests } = await open(width, dark);
      expect(await page.evaluate("document.querySelectorAll('#topology .node').length")).to.equal(3);
      expect(await overflowPx(page)).to.equal(0);
      expect(problems).to.deep.equal([]);
      // Nothing of what a node called itself became an element, and nothing came from elsewhere.
      expect(await page.evaluate("document.querySelectorAll('img').length")).to.equal(0);
      expect(await page.evaluate('document.body.textContent')).to.contain(HOSTILE);
      const { origin } = new URL(server.url);
      for (const address of requests) expect(address).to.match(new RegExp(`^${origin}/`));
      expect(await page.evaluate('location.search')).to.equal('');
    });
  }

  it('goes back in time by keyboard: faults, phase and events are those of that instant', async () => {
    const { page, problems } = await open(1280);
    const text = (id: string): Promise<string> =>
      page.evaluate(`document.getElementById('${id}').textContent`);
    expect(await text('faults')).to.equal('No fault is in force.');
    await page.evaluate("document.getElementById('scrub').focus()");
    await page.keyboard.press('Home');
    await until(page, "document.getElementById('phase').textContent === 'warm-up'");
    for (let step = 0; step < 250; step += 1) await page.keyboard.press('ArrowRight');
    await until(page, "document.getElementById('faults').textContent.includes('D drop')");
    expect(await text('faults')).to.contain('cut on member-1 towards member-2: for 5.0 s');
    expect(await text('phase')).to.equal(HOSTILE);
    await until(page, "document.querySelectorAll('#events tr').length === 4");
    const dashed =
      "[...document.querySelectorAll('#topology path')].filter((one) => one.getAttribute('stroke').includes('series')).length";
    expect(await page.evaluate(dashed), 'the link between the two is marked').to.equal(1);
    await page.evaluate("document.getElementById('live').click()");
    await until(page, "document.getElementById('phase').textContent === 'recovery'");
    expect(problems).to.deep.equal([]);
  });

  it('shows a node’s own events and the end of its log when it is chosen by keyboard', async () => {
    const { page, problems } = await open(1280);
    await page.evaluate("document.querySelectorAll('#topology .node')[2].focus()");
    await page.keyboard.press('Enter');
    await until(page, "document.getElementById('log').textContent !== ''");
    expect(await page.evaluate("document.getElementById('log').textContent")).to.equal(
      `${HOSTILE} says ${HOSTILE}`,
    );
    expect(await page.evaluate("document.querySelectorAll('#events tr').length")).to.equal(1);
    expect(problems).to.deep.equal([]);
  });
});

describe('the page of a watch while its run goes on', function () {
  this.timeout(120_000);
  let dir: string;
  let run: RunWriter;
  let server: WatchServer;
  let follower: RunFollower;
  let browser: Awaited<ReturnType<typeof openBrowser>>;
  let nowS = 10;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'squall-page-'));
    run = await createRun(join(dir, 'run-1'), samplePlan({ scenarios: [SCENARIO] }));
    run.event(harness('run.began', 1, { owner: 'me' }));
    const nodes = NODES.map((name) => ({ name, role: 'member' }));
    run.event(harness('bed.described', 2, { bedId: 'bed-1', topology: 'three', nodes, links: [] }));
    const label = { scenario: 'outage', pointId: 'cutoff=8', trial: 1, bedId: 'bed-1' };
    run.event(harness('trial.started', 3, label));
    await run.drained();
    const nowNs = (): number => nowS * S;
    follower = await RunFollower.open(join(dir, 'run-1'), {
      nowNs,
      ownerAlive: () => true,
      judge: async () => {
        throw new Error('not judged');
      },
    });
    server = await serveWatch(follower, { port: 0, nowNs, onProblem: (text) => expect.fail(text) });
    browser = await openBrowser();
  });
  after(async () => {
    await browser.close();
    await server[Symbol.asyncDispose]();
    await run.finish();
    await rm(dir, { recursive: true, force: true });
  });

  /** As `squall watch --web` does every half a second. */
  async function goesOn(toS: number): Promise<void> {
    nowS = toS;
    await follower.poll();
    await server.publish();
  }

  it('follows what is appended to the record, without being loaded again', async () => {
    const { page, problems, requests } = await openPage(browser, { width: 1280, height: 900 });
    const shows = (id: string, text: string): Promise<void> =>
      until(page, `document.getElementById('${id}').textContent.includes(${JSON.stringify(text)})`);
    await page.goto(server.url);
    await shows('faults', 'No fault is in force.');
    const loaded = requests.length;

    const trial = await run.openTrial({ pointId: 'cutoff=8', trial: 1 });
    trial.event(harness('fault.applied', 21, { id: 'cut', kind: 'drop', targets: ['member-1'] }));
    trial.event({ node: 'member-2', event: 'member.suspected', atNs: 22 * S, fields: {} });
    await trial.drained();
    await goesOn(25);
    await shows('faults', 'cut on member-1: for 4.0 s');
    await shows('events', 'member.suspected');

    trial.event(harness('fault.lifted', 41, { id: 'cut', bit: true, gone: true, problems: [] }));
    await trial.drained();
    await goesOn(45);
    await shows('faults', 'No fault is in force.');
    expect(problems).to.deep.equal([]);
    // Events are asked for as they come; the page itself is not.
    expect(requests.slice(loaded).filter((address) => new URL(address).pathname === '/')).to.deep.equal([]);
    await trial.finish(sampleTrial({ endNs: 61 * S }));
  });
});
