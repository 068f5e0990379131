import { expect } from 'chai';
import type { AdminAnswer } from '../../node-kit/index.ts';
import { adminHandlers } from '../admin-handlers.ts';
import { chunkContent, keyOf } from '../index.ts';
import { LoopbackBed } from './loopback-bed.ts';

const SET = { seed: 'loopback', chunkBytes: 512, sizeRatio: 0 };
const KEYS = Array.from({ length: 6 }, (_, index) => keyOf(chunkContent(SET, index)));

describe('the admin port of a fetch node', () => {
  let bed: LoopbackBed;
  beforeEach(async () => {
    bed = new LoopbackBed(['holder-1', 'holder-2', 'joiner-1'], {
      SQUALL_CHUNK_COUNT: String(KEYS.length),
      SQUALL_CLOSE_GROUP_SIZE: '2',
      SQUALL_BUSY: 'true',
    });
    await bed.start({ 'holder-1': {}, 'holder-2': {}, 'joiner-1': {} });
  });
  afterEach(() => bed.stop());

  async function ask(node: string, request: string, body?: unknown): Promise<AdminAnswer> {
    const handler = adminHandlers(bed.node(node))[request];
    if (!handler) throw new Error(`${request}: no such handler`);
    return await handler(body);
  }
  const outcomes = (): readonly string[] =>
    bed
      .events('fetch.finished')
      .map(({ source, outcome, reason }) => `${source} ${outcome} ${String(reason).slice(0, 11)}`.trim());

  const treatments = [
    { as: 'not-found', told: 'holder-1 failed not found' },
    { as: 'error', told: 'holder-1 failed asked for' },
    { as: 'bad-chunk', told: 'holder-1 failed bad chunk' },
    { as: 'busy', told: 'holder-1 busy cooling for' },
    { as: 'silence', told: 'holder-1 timeout timeout' },
  ];
  for (const { as, told } of treatments) {
    it(`has a holder answer single keys with ${as}, and the requester goes to the next`, async () => {
      const [key = ''] = KEYS;
      expect((await ask('holder-1', 'POST /treat', { keys: [key], as })).status).to.equal(200);
      await ask('joiner-1', 'POST /want', { keys: KEYS, sources: ['holder-1', 'holder-2'] });
      await bed.until(() => bed.node('joiner-1').store.count === KEYS.length);
      expect(outcomes().filter((one) => !one.includes(' ok'))).to.deep.equal([told]);
    });
  }

  it('shows where keys are and what is thought of sources', async () => {
    await ask('holder-1', 'POST /gate', { open: false });
    await ask('joiner-1', 'POST /want', { keys: KEYS, sources: ['holder-1'] });
    await ask('joiner-1', 'POST /hints', { keys: KEYS.slice(0, 1), by: 'holder-2' });
    await bed.pass(100);
    const { body } = await ask('joiner-1', 'POST /look', { sources: ['holder-1'], keys: KEYS.slice(0, 1) });
    expect(body).to.deep.equal({
      sources: { 'holder-1': { standing: 'answering', inFlight: 2, parked: 4, cooling: false } },
      keys: { [String(KEYS[0])]: { stored: false, pending: false, sources: ['holder-1'], hints: 1 } },
    });
    await ask('joiner-1', 'POST /cancel', { keys: KEYS.slice(0, 3) });
    await ask('joiner-1', 'POST /depart', { peer: 'holder-1' });
    expect(bed.node('joiner-1').queue.facts).to.include({ queued: 0, parked: 0, inFlight: 0, indexSize: 0 });
    expect(bed.node('joiner-1').pending.size).to.equal(3);
  });

  it('fails and slows writes, and widens fetching, while the node runs', async () => {
    await ask('joiner-1', 'POST /faults', { writeMs: 400, diskBytes: 1_024 });
    await ask('joiner-1', 'POST /fetching', { concurrency: 1 });
    await ask('joiner-1', 'POST /want', { keys: KEYS.slice(0, 3), sources: ['holder-1'] });
    await bed.pass(300);
    expect(outcomes()).to.deep.equal([]);
    await bed.until(() => outcomes().length === 3);
    expect(outcomes()).to.deep.equal(['holder-1 ok', 'holder-1 ok', 'holder-1 failed store: ENOS']);
  });

  const refused: readonly (readonly [string, unknown])[] = [
    ['POST /gate', undefined],
    ['POST /treat', { keys: ['x'], as: 'silence' }],
    ['POST /treat', { keys: KEYS, as: 'shouting' }],
    ['POST /faults', { writeMs: -1 }],
    ['POST /fetching', { concurrency: 0 }],
    ['POST /want', { keys: KEYS }],
    ['POST /want', { keys: [], sources: ['holder-1'] }],
    ['POST /hints', { keys: KEYS, by: 7 }],
    ['POST /cancel', { keys: 'all' }],
    ['POST /depart', {}],
    ['POST /keys', { from: 'start' }],
    ['POST /look', { sources: 'all' }],
  ];
  it('refuses what makes no sense, and says what it expected', async () => {
    for (const [request, body] of refused) {
      const answer = await ask('joiner-1', request, body);
      expect(answer.status, request).to.equal(400);
      expect(JSON.stringify(answer.body), request).to.match(/expected/);
    }
  });
});
