import { expect } from 'chai';
import { adminHandlers } from '../../../../images/fetch-node/admin-handlers.ts';
import list from '../../../../images/fetch-node/rules.json' with { type: 'json' };
import { LoopbackBed } from '../../../../images/fetch-node/test/loopback-bed.ts';
import { RULE_CASES } from '../cases.ts';
import { H1, H2, H3, type Lab, REQUESTER, TIMEOUT_MS } from '../lab.ts';
import { labKeys } from '../trial-lab.ts';

/** How long a node's last words may take before it is cut off, in steps of the clock that is led. */
const LAST_WORDS_MS = 600;

/** The stage in this process: the same nodes on loopback, on a clock that is led. */
async function loopbackLab(variant: string, settings: Readonly<Record<string, unknown>>) {
  const bed = new LoopbackBed([H1, H2, H3, REQUESTER], {
    SQUALL_CHUNK_COUNT: '16',
    SQUALL_CHUNK_BYTES: '1024',
    SQUALL_CHUNK_SEED: 'rules',
  });
  const environment = Object.fromEntries(
    Object.entries({ fetchConcurrency: 8, fetchTimeoutMs: TIMEOUT_MS, ...settings }).map(([name, value]) => [
      `SQUALL_${name.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`,
      String(value),
    ]),
  );
  const holder = { variant, env: { SQUALL_CLOSE_GROUP_SIZE: '3' } };
  const requester = { variant, env: { SQUALL_INCUMBENTS: '', ...environment } };
  await bed.start({ [H1]: holder, [H2]: holder, [H3]: holder, [REQUESTER]: requester });
  const lab: Lab = {
    keys: labKeys(),
    ask: async (node, path, body) => {
      const answer = await adminHandlers(bed.node(node))[`POST ${path}`]?.(body);
      expect(answer?.status, `${node} ${path}`).to.equal(200);
      return answer?.body as Readonly<Record<string, unknown>>;
    },
    wait: (ms) => bed.pass(ms),
    restart: async (node) => {
      await Promise.race([bed.stopNode(node), bed.pass(LAST_WORDS_MS)]);
    },
    events: () => bed.told.map(({ by, event, atMs: _, ...fields }) => ({ node: by, event, fields })),
  };
  return { bed, lab };
}

describe('rules on the stage', () => {
  for (const { rule, settings, keeps } of RULE_CASES) {
    const { mutant = '', group } = list.find(({ switch: own }) => own === rule) ?? {};
    it(`${rule}: is kept by the shipped node and not by ${mutant}`, async () => {
      for (const [variant, expected] of [
        [group === 'busy' ? 'share+busy' : 'share', true],
        [mutant, false],
      ] as const) {
        const { bed, lab } = await loopbackLab(variant, settings ?? {});
        try {
          expect(await keeps(lab), variant).to.equal(expected);
        } finally {
          await bed.stop();
        }
      }
    });
  }
});
