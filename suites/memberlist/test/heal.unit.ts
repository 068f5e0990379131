import { expect } from 'chai';
import type { RecordedEvent, TrialContext, TrialRecord } from '../../../harness/index.ts';
import { healMeasures, heals } from '../heal.ts';

/** Two nodes of which `b` sees both again after so long; how long was looked, and what was told. */
async function looked(healedMs: number): Promise<{ passedMs: number; fields: Record<string, unknown> }> {
  let passedMs = 0;
  let fields: Record<string, unknown> = {};
  await heals(
    {
      nodes: () => ['a', 'b'].map((name) => ({ name, role: 'member', address: '198.18.0.1' })),
      admin: async (node: string) => {
        const alive = node === 'a' || passedMs >= healedMs ? 2 : 1;
        return { status: 200, body: JSON.stringify({ alive, suspect: 0, healthScore: 0 }) };
      },
      wait: async (duration: string) => {
        passedMs += Number(duration.replace('ms', ''));
      },
      emit: (event: string, told: Record<string, unknown>) => {
        fields = { event, ...told };
      },
    } as unknown as TrialContext,
    { within: '20s' },
  );
  return { passedMs, fields };
}

describe('whether all see each other again', () => {
  it('is known once two looks 5 s apart agree', async () => {
    const { passedMs, fields } = await looked(4_000);
    // Looks at 0 and 3 s differ, those at 6 and 11 s agree.
    expect(passedMs).to.equal(11_000);
    expect(fields).to.deep.equal({ event: 'cluster.looked-at', unhealed: [], quietMs: 5_000 });
  });

  it('is looked at for no longer than asked, and who does not is named', async () => {
    const { passedMs, fields } = await looked(Number.POSITIVE_INFINITY);
    expect(passedMs).to.equal(20_000);
    expect(fields).to.deep.include({ unhealed: ['b'] });
  });

  it('is counted in members, and timed from the last heal to the first look that agreed', () => {
    const trial = { warp: 2, faults: [{ liftedNs: 10e9 }, { goneNs: 12e9 }] } as unknown as TrialRecord;
    const look = (unhealed: readonly string[]): RecordedEvent => ({
      node: 'harness',
      event: 'cluster.looked-at',
      atNs: 20e9,
      fields: { unhealed, quietMs: 5_000 },
    });
    expect(healMeasures(trial, [look([])])).to.deep.equal({ unhealed: 0, healedAfterS: 11 });
    expect(healMeasures(trial, [look(['b'])])).to.deep.equal({ unhealed: 1, healedAfterS: null });
    expect(healMeasures(trial, [])).to.deep.equal({ unhealed: null, healedAfterS: null });
  });
});
