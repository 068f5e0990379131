import { expect } from 'chai';
import type { AdapterSpec } from '../../topology/index.ts';
import { compileAdapter, readJsonPath, wallTimeToMonoNs } from '../adapter.ts';
import { nowNs } from '../monotonic.ts';
import { NodeLog } from '../node-log.ts';

const regex = (expression: string, more: Partial<AdapterSpec> = {}): AdapterSpec => ({
  source: 'stdout',
  match: { kind: 'regex', expression },
  event: 'peer.lost',
  fields: {},
  ...more,
});
const json = (expression: string, more: Partial<AdapterSpec> = {}): AdapterSpec => ({
  ...regex(expression, more),
  match: { kind: 'jsonpath', expression },
});

describe('adapter', () => {
  it('turns a matching line into an event with the named groups as fields, numbers as numbers', () => {
    const adapter = compileAdapter(
      'node-1',
      regex('peer (?<who>\\S+) lost after (?<ms>\\d+) ms', { fields: { peer: 'who', afterMs: 'ms' } }),
    );
    const event = adapter.offer('2026-01-01 WARN peer 12D3Koo lost after 1500 ms');
    expect(event).to.deep.include({
      node: 'node-1',
      event: 'peer.lost',
      fields: { peer: '12D3Koo', afterMs: 1500 },
    });
  });

  it('counts what did not match, so that one that matched nothing is seen', () => {
    const adapter = compileAdapter('node-1', regex('^never$'));
    for (const line of ['a', 'b', 'c']) adapter.offer(line);
    expect(adapter.report()).to.include({ node: 'node-1', matched: 0, unmatched: 3, expression: '^never$' });
  });

  it('takes the time from the line when it carries one, on the monotonic clock', () => {
    const adapter = compileAdapter('node-1', regex('^(?<at>\\S+) lost', { time: 'at' }));
    const tenSecondsAgo = new Date(Date.now() - 10_000).toISOString();
    const event = adapter.offer(`${tenSecondsAgo} lost`);
    expect((nowNs() - (event?.atNs ?? 0)) / 1e6).to.be.within(9_900, 11_000);
  });

  it('understands ISO 8601, Unix seconds and Unix milliseconds alike', () => {
    const now = Date.now();
    for (const value of [new Date(now).toISOString(), now / 1_000, now, String(now)]) {
      expect(Math.abs(nowNs() - (wallTimeToMonoNs(value) ?? 0)) / 1e6, String(value)).to.be.lessThan(1_000);
    }
    expect(wallTimeToMonoNs('yesterday')).to.equal(undefined);
    expect(wallTimeToMonoNs('')).to.equal(undefined);
  });

  it('reads JSON lines by path, and by value where one is given', () => {
    const lost = compileAdapter(
      'node-1',
      json('$.fields.msg == "peer lost"', { fields: { peer: '$.fields.peer', first: '$.list[0]' } }),
    );
    expect(lost.offer('{"fields":{"msg":"peer lost","peer":"x"},"list":[7]}')?.fields).to.deep.equal({
      peer: 'x',
      first: 7,
    });
    expect(lost.offer('{"fields":{"msg":"peer found","peer":"x"}}')).to.equal(undefined);
    expect(lost.offer('not json')).to.equal(undefined);
    expect(compileAdapter('node-1', json('$.error')).offer('{"error":"disk full"}')?.event).to.equal(
      'peer.lost',
    );
    expect(compileAdapter('node-1', json('$.error')).offer('{"error":null}')).to.equal(undefined);
  });

  it('does not reach what a document only inherits', () => {
    expect(readJsonPath('$.constructor')({})).to.equal(undefined);
    expect(readJsonPath("$['a b'][1].c")({ 'a b': [0, { c: 3 }] })).to.equal(3);
    expect(readJsonPath('$')(5)).to.equal(5);
  });

  for (const bad of ['', 'a.b', '$..a', '$.a[*]', '$.a[?(@.b)]', '$.a b']) {
    it(`refuses the path "${bad}"`, () => {
      expect(() => compileAdapter('node-1', json(bad || ' '))).to.throw(/not understood/);
    });
  }

  it('tries an expression on the text at a JSON path, and takes fields from both', () => {
    const stored = compileAdapter('node-1', {
      ...json('$.msg', { fields: { key: 'key', bytes: 'bytes', level: '$.level' } }),
      match: { kind: 'jsonpath', expression: '$.msg', regex: '^stored (?<key>\\w+) (?<bytes>\\d+)' },
    });
    expect(stored.offer('{"msg":"stored ab 12","level":"INFO"}')?.fields).to.deep.equal({
      key: 'ab',
      bytes: 12,
      level: 'INFO',
    });
    expect(stored.offer('{"msg":"not stored ab 12"}')).to.equal(undefined);
    expect(stored.offer('{"msg":{"stored":1}}')).to.equal(undefined);
  });

  it('keeps other fields where it is to, its own going first', () => {
    const summary = compileAdapter(
      'node-1',
      json('$.msg == "summary"', { fields: { parked: '$.parked_keys' }, rest: true }),
    );
    expect(
      summary.offer('{"msg":"summary","parked_keys":3,"later":"field","parked":9}')?.fields,
    ).to.deep.equal({
      msg: 'summary',
      parked_keys: 3,
      later: 'field',
      parked: 3,
    });
  });

  it('says what texts stand for, and leaves those that are not listed', () => {
    const dropped = compileAdapter(
      'node-1',
      json('$.reason', { fields: { reason: '$.reason' }, values: { reason: { per_peer: 'per-peer' } } }),
    );
    expect(dropped.offer('{"reason":"per_peer"}')?.fields).to.deep.equal({ reason: 'per-peer' });
    expect(dropped.offer('{"reason":"constructor"}')?.fields).to.deep.equal({ reason: 'constructor' });
  });

  it('refuses a regex that is none', () => {
    expect(() => compileAdapter('node-1', regex('('))).to.throw(/its regex is not valid/);
  });

  it('does not try its pattern on endless lines', () => {
    expect(compileAdapter('node-1', regex('a')).offer('a'.repeat(70_000))).to.equal(undefined);
  });
});

describe('node log', () => {
  function logOf(adapters: readonly AdapterSpec[] = []) {
    const events: string[] = [];
    const lines: string[] = [];
    const log = new NodeLog({
      node: 'node-1',
      adapters,
      onEvent: ({ event, fields }) =>
        events.push(`${event}${event === 'log.gap' ? ` ${fields['missing']}` : ''}`),
      onLine: (_node, stream, line) => lines.push(`${stream}: ${line}`),
    });
    return { log, events, lines };
  }

  it('hands on every line, makes events of those that are, and counts', () => {
    const { log, events, lines } = logOf();
    log.accept('stdout', '{"event":"ready","monoNs":1,"seq":1}');
    log.accept('stderr', '{"event":"fake","monoNs":1,"seq":2}');
    log.accept('stdout', 'hello');
    expect(events).to.deep.equal(['ready']);
    expect(lines).to.have.length(3);
    expect(log.counts).to.include({ lines: 3, events: 1, lostLines: 0 });
  });

  it('says where lines are missing', () => {
    const { log, events } = logOf();
    for (const seq of [1, 2, 6]) log.accept('stdout', `{"event":"tick","monoNs":1,"seq":${seq}}`);
    expect(events).to.deep.equal(['tick', 'tick', 'log.gap 3', 'tick']);
    expect(log.counts.lostLines).to.equal(3);
  });

  it('gives lines that are no events to the adapters, on either stream', () => {
    const { log, events } = logOf([regex('lost')]);
    log.accept('stderr', 'peer lost');
    log.accept('stdout', 'peer lost');
    log.accept('stdout', 'peer found');
    expect(events).to.deep.equal(['peer.lost', 'peer.lost']);
    expect(log.adapterReports()).to.deep.include({
      node: 'node-1',
      event: 'peer.lost',
      source: 'stdout',
      expression: 'lost',
      matched: 2,
      unmatched: 1,
    });
  });

  it('keeps only the last lines, each cut, however many come', () => {
    const { log } = logOf();
    for (let line = 0; line < 10_000; line += 1) log.accept('stdout', `${line} ${'x'.repeat(2_000)}`);
    expect(log.tail(2).map((line) => line.slice(0, 4))).to.deep.equal(['9998', '9999']);
    expect(log.tail()).to.have.length(40);
    expect(log.tail(1)[0]?.length).to.be.lessThan(500);
  });
});
