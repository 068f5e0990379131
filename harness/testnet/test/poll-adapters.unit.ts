import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import type { AgentClient } from '../../fault/index.ts';
import type { AdapterSpec } from '../../topology/index.ts';
import type { EventLog } from '../event-log.ts';
import type { LiveNode } from '../live-node.ts';
import { NodeLog } from '../node-log.ts';
import { pollAdapters } from '../poll-adapters.ts';

/**
 * What a Toxiproxy server 2.12.0 answered under /metrics: with one proxy that had carried one request, after a second proxy had
 * carried one as well, and after another one through the first.
 */
const SCRAPES = [1, 2, 3].map((look) =>
  readFileSync(new URL(`recorded/toxiproxy-2.12.0-scrape-${look}.txt`, import.meta.url), 'utf8'),
);

const RECEIVED: AdapterSpec = {
  source: 'metrics',
  url: 'http://127.0.0.1:8474/metrics?all=1',
  match: {
    kind: 'regex',
    expression:
      '^toxiproxy_proxy_received_bytes_total\\{direction="(?<way>\\w+)",.*proxy="(?<proxy>\\w+)".*\\} (?<bytes>\\d+)$',
  },
  event: 'bytes.received',
  fields: { way: 'way', proxy: 'proxy', bytes: 'bytes' },
  everyMs: 1,
};

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Looks at each answer in turn, and then no more. */
async function poll(spec: AdapterSpec, answers: readonly Answer[]) {
  const seen: string[] = [];
  const asked: object[] = [];
  const ending = new AbortController();
  const log = new NodeLog({
    node: 'proxy-1',
    adapters: [spec],
    onEvent: ({ event, fields }) => seen.push(`${asked.length}: ${event} ${Object.values(fields).join(' ')}`),
    onLine: () => undefined,
  });
  const agent = {
    http: async (request: object) => {
      const answer = answers[asked.length];
      if (!answer) {
        ending.abort();
        throw new Error('no more is recorded');
      }
      asked.push(request);
      return answer;
    },
  } as unknown as AgentClient;
  const noted: string[] = [];
  const events = { noteError: (text: string) => noted.push(text) } as unknown as EventLog;
  const node = { name: 'proxy-1', log, exit: undefined } as unknown as LiveNode;
  await pollAdapters({ nodes: [node], agent, events, signal: ending.signal });
  return { seen, asked, report: log.adapterReports()[0], noted };
}

const ok = (body: string): Answer => ({ status: 200, body });

describe('an adapter that scrapes metrics', () => {
  it('makes an event of each series, and another whenever that series says something else', async () => {
    const { seen, asked, report } = await poll(RECEIVED, SCRAPES.map(ok));
    expect(seen).to.deep.equal([
      '1: bytes.received downstream ledger 342',
      '1: bytes.received upstream ledger 79',
      // The series of the second proxy stand between those of the first, which say what they said before.
      '2: bytes.received downstream archive 342',
      '2: bytes.received upstream archive 79',
      '3: bytes.received downstream ledger 684',
      '3: bytes.received upstream ledger 158',
    ]);
    expect(asked[0]).to.include({ node: 'proxy-1', port: 8474, method: 'GET', path: '/metrics?all=1' });
    // Comments are no samples: each other line was offered, at every look.
    expect(report).to.include({ matched: 2 + 4 + 4, unmatched: 4 + 6 + 6 });
  });

  it('says nothing again as long as nothing changes', async () => {
    const { seen } = await poll(
      RECEIVED,
      [SCRAPES[2], SCRAPES[2], SCRAPES[2]].map((body) => ok(body ?? '')),
    );
    expect(seen).to.have.length(4);
  });

  it('notes an answer that is none, and goes on', async () => {
    const { seen, noted } = await poll(RECEIVED, [
      { status: 503, body: SCRAPES[0] ?? '' },
      ok(SCRAPES[0] ?? ''),
    ]);
    expect(seen).to.have.length(2);
    expect(noted).to.deep.equal([
      'adapter bytes.received of proxy-1: http://127.0.0.1:8474/metrics?all=1: answered 503; expected 2xx',
    ]);
  });
});
