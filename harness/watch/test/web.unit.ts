import { request } from 'node:http';
import { expect } from 'chai';
import { BedFollower, type SeenBed, serveMetrics, serveWatch, type WatchServer } from '../index.ts';
import { openMetrics } from '../open-metrics.ts';
import type { RunView } from '../views.ts';

const HOSTILE = '</script><img src=x onerror=alert(1)>"\\\n\u001b[31m';

async function follower(name = 'web-1'): Promise<BedFollower> {
  const node = { name, role: 'web', image: 'web:1', address: '198.18.0.10', container: 'running' };
  const bed: SeenBed = {
    bedId: 'mine',
    topology: 'web',
    startedAt: '',
    upMs: 1_000,
    nodes: [node],
    faults: [{ id: 'd', kind: 'drop', targets: [name], state: 'in force', counts: {} }],
  };
  return await BedFollower.open({ ask: async () => bed, nowNs: () => 5e9 });
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** One request with the headers as given, the host included. */
async function ask(
  port: number,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Answer> {
  return await new Promise<Answer>((resolve, reject) => {
    const sent = request({ host: '127.0.0.1', port, path, method, headers, agent: false }, (response) => {
      const { statusCode = 0, headers: got } = response;
      let body = '';
      response.setEncoding('utf8');
      const done = (): void => resolve({ status: statusCode, headers: got, body });
      response.on('data', (text: string) => {
        body += text;
        // A stream does not end: its first messages are enough.
        if (got['content-type']?.startsWith('text/event-stream') && body.includes('event: trial')) {
          sent.destroy();
          done();
        }
      });
      response.on('end', done);
    });
    sent.on('error', reject);
    sent.end();
  });
}

describe('the page of a watch', () => {
  let server: WatchServer;
  let cookie = '';
  const problems: string[] = [];
  before(async () => {
    server = await serveWatch(await follower(HOSTILE), {
      port: 0,
      nowNs: () => 6e9,
      onProblem: (text) => void problems.push(text),
    });
    const { pathname, search } = new URL(server.url);
    const greeted = await ask(server.port, `${pathname}${search}`);
    cookie = String(greeted.headers['set-cookie']).split(';')[0] ?? '';
    expect(greeted.status).to.equal(303);
    expect(greeted.headers['location']).to.equal('/');
    expect(String(greeted.headers['set-cookie'])).to.contain('HttpOnly').and.contain('SameSite=Strict');
  });
  after(async () => {
    await server[Symbol.asyncDispose]();
    expect(problems).to.deep.equal([]);
  });

  it('is served to whoever has the token, under a policy that lets nothing else run', async () => {
    const { status, headers, body } = await ask(server.port, '/', { cookie });
    expect(status).to.equal(200);
    const policy = String(headers['content-security-policy']);
    const nonce = /script-src 'nonce-([^']+)'/.exec(policy)?.[1] ?? 'none';
    expect(policy).to.contain("default-src 'none'").and.not.to.contain('unsafe');
    expect(policy).to.contain("connect-src 'self'").and.contain("frame-ancestors 'none'");
    expect(body).to.contain(`<script nonce="${nonce}">`);
    expect(body.match(/<script/g)).to.have.length(1);
    expect(body).not.to.match(/\bimport [^;]*from|^export /m);
    expect(body).not.to.match(/(src|href)=/);
    const again = await ask(server.port, '/', { cookie });
    expect(again.body).not.to.contain(nonce);
  });

  it('puts what a run says into no markup: it is sent as data', async () => {
    const { headers, body } = await ask(server.port, '/stream', { cookie });
    expect(headers['content-type']).to.contain('text/event-stream');
    const data = body.split('\n').find((line) => line.startsWith('data: {"key"')) ?? '';
    const trial = JSON.parse(data.slice('data: '.length));
    expect(trial.nodes[0].name).to.equal(HOSTILE);
    expect(trial.faults[0]).to.include({ kind: 'drop', letter: 'D' });
    const events = await ask(server.port, `/events?trial=mine%231&at=5000000000`, { cookie });
    expect(events.headers['x-content-type-options']).to.equal('nosniff');
    expect(JSON.parse(events.body).events).to.have.length(2);
  });

  for (const [who, path, headers, status] of [
    ['without the token', '/', {}, 401],
    ['with a wrong token', '/?token=x', {}, 401],
    ['with a wrong cookie', '/', { cookie: 'squall_watch=1' }, 401],
    ['under a name that is made to point here', '/', { host: 'evil.example' }, 403],
    ['from a page of another site', '/stream', { 'sec-fetch-site': 'cross-site' }, 403],
    ['for what is not there', '/trials/../../etc/passwd', {}, 404],
    ['for a trial that is not there', '/events?trial=..%2F..%231&at=1', {}, 404],
  ] as const) {
    it(`answers ${status} ${who}`, async () => {
      const known = status === 401 ? {} : { cookie };
      const answer = await ask(server.port, path, { ...known, ...headers });
      expect(answer.status).to.equal(status);
      expect(answer.body).not.to.contain('mine');
    });
  }

  it('takes no other method', async () => {
    expect((await ask(server.port, '/', { cookie }, 'POST')).status).to.equal(405);
  });

  it('says which port is taken', async () => {
    const taken = await serveWatch(await follower(), {
      port: server.port,
      nowNs: () => 0,
      onProblem: () => undefined,
    }).catch((error: unknown) => error);
    expect(String(taken)).to.contain(`port ${server.port}`).and.contain('EADDRINUSE');
  });
});

describe('metrics of a watch', () => {
  const run: RunView = {
    runId: HOSTILE,
    suites: ['synthetic'],
    command: [],
    startedAt: '',
    life: 'running',
    elapsedMs: 61_500,
    leftMs: 2_000,
    trials: { planned: 4, counted: 1, voids: 2, broken: 0, running: 1 },
    checks: { pass: 3, fail: 1, open: 2, failing: [] },
    points: [
      { scenario: 's', pointId: 'p', planned: 4, counted: 1, voids: 2, measures: { deaths: 7, none: null } },
    ],
    news: [],
    active: [],
    finished: [],
  };

  it('are OpenMetrics: families in one piece each, labels escaped, an end', async () => {
    const trials = (await follower(HOSTILE)).running.map((story) => story.view(6e9));
    const text = openMetrics(run, trials);
    const lines = text.trimEnd().split('\n');
    expect(lines.at(-1)).to.equal('# EOF');
    const families = lines.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []);
    expect(new Set(families).size).to.equal(families.length);
    let family = '';
    for (const line of lines.slice(0, -1)) {
      const begun = /^# (?:TYPE|HELP|UNIT) (\S+)/.exec(line)?.[1];
      if (begun !== undefined) family = begun;
      else {
        expect(line).to.match(
          /^[a-z_]+(\{[a-z_]+="([^"\\\n]|\\["\\n])*"(,[a-z_]+="([^"\\\n]|\\["\\n])*")*\})? -?\d+(\.\d+)?$/,
        );
        expect(line.startsWith(family), `${line} in ${family}`).to.equal(true);
      }
    }
    expect(lines).to.include('squall_run_elapsed_seconds 61.5');
    expect(lines).to.include('squall_run_state{squall_run_state="running"} 1');
    expect(lines).to.include('squall_checks{verdict="fail"} 1');
    expect(lines).to.include('squall_measure{scenario="s",point="p",measure="deaths"} 7');
    expect(lines.filter((line) => line.includes('none'))).to.deep.equal([]);
    expect(lines).to.include(
      'squall_faults_in_force{scenario="a bed that is up",point="mine",kind="drop"} 1',
    );
  });

  it('are answered to programs of this machine only', async () => {
    const server = await serveMetrics(await follower(), { port: 0, nowNs: () => 6e9 });
    try {
      const { port } = new URL(server.url);
      const { status, headers, body } = await ask(Number(port), '/metrics');
      expect(status).to.equal(200);
      expect(headers['content-type']).to.equal('application/openmetrics-text; version=1.0.0; charset=utf-8');
      expect(body)
        .to.contain('squall_nodes{')
        .and.match(/# EOF\n$/);
      expect((await ask(Number(port), '/metrics', { host: 'evil.example' })).status).to.equal(403);
      expect((await ask(Number(port), '/')).status).to.equal(404);
    } finally {
      await server[Symbol.asyncDispose]();
    }
  });
});
