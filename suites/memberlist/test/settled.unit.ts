import { expect } from 'chai';
import type { TrialContext } from '../../../harness/index.ts';
import { watchAfterRelease, watchTakes } from '../settled.ts';

interface Belief {
  readonly alive: number;
  readonly suspect: number;
  readonly healthScore: number;
}

const FINE: Belief = { alive: 2, suspect: 0, healthScore: 0 };

/** Two nodes whose beliefs are a function of how long they have been watched, and what the step did. */
async function watched(
  point: TrialContext['point'],
  beliefs: (node: string, passedMs: number) => Belief | 'refused',
): Promise<{ readonly passedMs: number; readonly told: readonly Readonly<Record<string, unknown>>[] }> {
  let passedMs = 0;
  const told: Readonly<Record<string, unknown>>[] = [];
  await watchAfterRelease({
    point,
    nodes: () => ['a', 'b'].map((name) => ({ name, role: 'member', address: '198.18.0.1' })),
    admin: async (node: string) => {
      const belief = beliefs(node, passedMs);
      return belief === 'refused' ? { status: 503, body: '' } : { status: 200, body: JSON.stringify(belief) };
    },
    wait: async (duration: string) => {
      passedMs += Number(duration.replace('ms', ''));
    },
    emit: (event: string, fields: Readonly<Record<string, unknown>>) => told.push({ event, ...fields }),
  } as unknown as TrialContext);
  return { passedMs, told };
}

const SETTLED = { watch: 90_000, watchEnds: 'settled' };

describe('the watch after a release', () => {
  it('ends once two looks 5 s apart agree that nothing can come of it any more', async () => {
    const { passedMs, told } = await watched(SETTLED, (_node, ms) =>
      ms < 12_000 ? { ...FINE, suspect: 1 } : FINE,
    );
    // Looks at 8, 11 and 14 s; the last is the first that agrees.
    expect(passedMs).to.equal(19_000);
    expect(told).to.deep.equal([{ event: 'cluster.settled', nodes: 2, watchedMs: 19_000, quietMs: 5_000 }]);
  });

  for (const [what, belief] of [
    ['suspects somebody', { ...FINE, suspect: 1 }],
    ['misses somebody', { ...FINE, alive: 1 }],
    ['has a health score', { ...FINE, healthScore: 1 }],
    ['does not answer', 'refused'],
  ] as const) {
    it(`goes on while a single node ${what}`, async () => {
      const { passedMs, told } = await watched(SETTLED, (node) => (node === 'b' ? belief : FINE));
      expect(passedMs).to.equal(90_000);
      expect(told).to.deep.equal([]);
    });
  }

  it('begins anew when the second look differs', async () => {
    const { passedMs } = await watched(SETTLED, (_node, ms) =>
      ms === 13_000 ? { ...FINE, suspect: 1 } : FINE,
    );
    // Looks at 8 (agrees), 13 (does not), 16 and 21 s.
    expect(passedMs).to.equal(21_000);
  });

  it('lasts for the whole time where the point asks for that, and still says when the cluster had settled', async () => {
    const { passedMs, told } = await watched({ watch: 90_000, watchEnds: 'time' }, () => FINE);
    expect(passedMs).to.equal(90_000);
    expect(told).to.deep.include({ event: 'cluster.settled', nodes: 2, watchedMs: 13_000, quietMs: 5_000 });
  });

  it('is never longer than asked for', async () => {
    expect((await watched({ watch: 8_000, watchEnds: 'settled' }, () => FINE)).passedMs).to.equal(8_000);
  });

  it('tells the plan how long it takes', () => {
    expect(watchTakes(SETTLED)).to.equal('20000ms');
    expect(watchTakes({ watch: 8_000, watchEnds: 'settled' })).to.equal('8000ms');
    expect(watchTakes({ watch: 90_000, watchEnds: 'time' })).to.equal('90000ms');
  });
});
