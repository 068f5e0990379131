import { expect } from 'chai';
import type { MeasureValue, RecordedEvent } from '../../../../harness/index.ts';
import { adminHandlers } from '../../../../images/fetch-node/admin-handlers.ts';
import { LoopbackBed } from '../../../../images/fetch-node/test/loopback-bed.ts';
import { busyRateMeasures } from '../all-busy.ts';
import { holderMeasures, silenceMeasures } from '../measures.ts';
import { NO_SILENCE } from '../points.ts';
import { keysOfHolder } from '../steps.ts';

interface Row {
  readonly variant: string;
  readonly keys: number;
  readonly timeoutMs: number;
  readonly holders?: readonly string[];
  readonly joiner?: Readonly<Record<string, string>>;
  readonly holder?: Readonly<Record<string, string>>;
  /** What holders are told before the keys are wanted. */
  readonly treat?: (bed: LoopbackBed) => void;
  /** Until the queue is drained when absent. */
  readonly watchMs?: number;
}

/** A row's bed in this process, on a clock that is led: the events that its containers would tell. */
async function play(row: Row): Promise<Readonly<Record<string, MeasureValue>>> {
  const holders = row.holders ?? ['holder-1'];
  const bed = new LoopbackBed([...holders, 'joiner-1'], {
    SQUALL_CHUNK_COUNT: '16',
    SQUALL_CHUNK_BYTES: '1024',
    SQUALL_CHUNK_SEED: 'rules',
  });
  const { variant } = row;
  const joiner = {
    SQUALL_INCUMBENTS: '',
    SQUALL_VERIFICATION_POLL_MS: '3600000',
    SQUALL_FETCH_CONCURRENCY: '8',
    SQUALL_FETCH_TIMEOUT_MS: String(row.timeoutMs),
    ...row.joiner,
  };
  try {
    const specs = holders.map((name) => [name, { variant, env: row.holder ?? {} }] as const);
    await bed.start({ ...Object.fromEntries(specs), 'joiner-1': { variant, env: joiner } });
    row.treat?.(bed);
    const keys = keysOfHolder(row.keys);
    bed.told.push({ by: 'harness', event: 'keys.wanted', atMs: bed.clock.nowMs() });
    ask(bed, 'joiner-1', '/want', { keys, sources: holders });
    if (row.watchMs === undefined) await bed.until(() => bed.events('queue.drained').length > 0);
    else await bed.pass(row.watchMs);
    ask(bed, 'joiner-1', '/summary', {});
    const events = bed.told.map(
      ({ by, event, atMs, ...fields }): RecordedEvent => ({ node: by, event, atNs: atMs * 1e6, fields }),
    );
    const trial = {
      point: { variant, keys: row.keys, slots: 8, timeout: row.timeoutMs },
      nodes: [],
    } as unknown as Parameters<typeof holderMeasures>[0];
    return {
      ...holderMeasures(trial, events),
      ...silenceMeasures(trial, events),
      ...busyRateMeasures(trial, events),
    };
  } finally {
    await bed.stop();
  }
}

function ask(bed: LoopbackBed, node: string, path: string, body: unknown): void {
  const answer = adminHandlers(bed.node(node))[`POST ${path}`]?.(body) as { readonly status: number };
  expect(answer.status, path).to.equal(200);
}

describe('rows on single holders, in one process', () => {
  const answering = (variant: string) =>
    play({ variant, keys: 12, timeoutMs: 4_000, holder: { SQUALL_SERVE_MS: '100' } });

  it('the release asks an answering holder for eight keys at once, and pays for what is dropped', async () => {
    const { mostInFlight, drops, dropsUnpaid, drainedS } = await answering('before');
    expect(mostInFlight).to.equal(8);
    expect(drops).to.be.greaterThan(0);
    expect(dropsUnpaid).to.equal(0);
    expect(drainedS).to.be.at.least(4).and.below(5);
  });

  it('with the share it is never asked for more than two, and drops nothing', async () => {
    const measures = await answering('share');
    expect(measures).to.include({ mostInFlight: 2, drops: 0, timeouts: 0, trustPenalties: 0, stored: 12 });
    expect(measures['drainedS']).to.be.below(4);
  });

  it('with busy answers alone it is asked for more, and answers instead of dropping', async () => {
    const measures = await answering('busy');
    expect(measures).to.include({ drops: 0, timeouts: 0, trustPenalties: 0 });
    expect(measures['busyAnswers']).to.be.greaterThan(0);
  });

  for (const [variant, timeouts, most] of [
    ['share', 3, 8],
    ['before', 2, 8],
    [NO_SILENCE, 8, 2],
  ] as const)
    it(`a silent holder costs ${variant} ${timeouts} timeouts`, async () => {
      const measures = await play({
        variant,
        keys: 16,
        timeoutMs: 1_000,
        treat: (bed) => ask(bed, 'holder-1', '/gate', { open: false }),
      });
      expect(measures).to.include({ timeoutsTaken: timeouts, pastFormulaTimeouts: 0, mostInFlight: most });
    });

  for (const timeoutMs of [3_000, 5_000, 10_000])
    it(`busy holders are asked once a slot and timeout of ${timeoutMs} ms, and far more often with rotating retries`, async () => {
      const holders = ['holder-1', 'holder-2', 'holder-3'];
      const busy = (rotate: boolean) =>
        play({
          variant: 'share+busy',
          keys: 16,
          timeoutMs,
          holders,
          holder: { SQUALL_CLOSE_GROUP_SIZE: '3' },
          joiner: {
            SQUALL_INCUMBENTS: holders.join(','),
            SQUALL_CLOSE_GROUP_SIZE: '3',
            SQUALL_VERIFICATION_POLL_MS: '250',
            SQUALL_VERIFICATION_RETRY_MS: '1000',
            SQUALL_ROTATE_ON_BUSY: String(rotate),
          },
          treat: (bed) => {
            for (const holder of holders)
              ask(bed, holder, '/treat', { keys: keysOfHolder(16), as: 'busy', waitMs: 2_000 });
          },
          watchMs: 9 * timeoutMs,
        });
      const waiting = await busy(false);
      expect(waiting['perSlotAndTimeout']).to.be.above(0.5).and.below(1.5);
      expect(waiting['longestCooldownWaits']).to.equal(8);
      expect((await busy(true))['perSlotAndTimeout']).to.be.at.least(3);
    }).timeout(60_000);
});
