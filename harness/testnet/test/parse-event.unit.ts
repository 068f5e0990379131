import { expect } from 'chai';
import { parseEventLine, SequenceGaps } from '../parse-event.ts';

describe('event line', () => {
  it('is a JSON object with an event; the rest of it becomes fields', () => {
    const event = parseEventLine('member-1', '{"event":"ready","monoNs":42,"seq":7,"variant":"both"}');
    expect(event).to.deep.equal({
      node: 'member-1',
      event: 'ready',
      atNs: 42,
      seq: 7,
      fields: { variant: 'both' },
    });
  });

  it('takes the node from us and never from the line', () => {
    expect(parseEventLine('member-1', '{"event":"x","monoNs":1,"node":"member-2"}')?.node).to.equal(
      'member-1',
    );
  });

  it('says so when the line carries no usable time', () => {
    for (const time of ['', ',"monoNs":"soon"', ',"monoNs":-1', ',"monoNs":null']) {
      expect(parseEventLine('a-1', `{"event":"x"${time}}`)?.fields['untimed'], time).to.equal(true);
    }
  });

  for (const line of [
    '',
    'plain text',
    '{"event":',
    '[1]',
    '{"event":3}',
    '{"event":""}',
    'null',
    '{"message":"no event"}',
    ` {"event":"x"}`,
    `{"event":"x","pad":"${'a'.repeat(70_000)}"}`,
  ]) {
    it(`is not: ${line.slice(0, 40) || '(empty)'}`, () => {
      expect(parseEventLine('a-1', line)).to.equal(undefined);
    });
  }

  it('cannot reach an object’s prototype', () => {
    const event = parseEventLine('a-1', '{"event":"x","monoNs":1,"__proto__":{"polluted":true}}');
    expect(({} as Record<string, unknown>)['polluted']).to.equal(undefined);
    expect(Object.getPrototypeOf(event?.fields)).to.equal(Object.prototype);
  });
});

describe('sequence gaps', () => {
  it('counts what is missing', () => {
    const gaps = new SequenceGaps();
    expect([1, 2, 5, 6].map((seq) => gaps.observe(seq))).to.deep.equal([0, 0, 2, 0]);
    expect(gaps.lost).to.equal(2);
  });

  it('does not take a process that counts from the start again for a loss', () => {
    const gaps = new SequenceGaps();
    for (const seq of [1, 2, 3, 1, 2]) gaps.observe(seq);
    expect(gaps.lost).to.equal(0);
  });
});
