import { expect } from 'chai';
import { createConditionMatcher, type RecordedEvent } from '../../../harness/record/index.ts';
import '../predicates.ts';

const event = (node: string, name: string, fields: Record<string, unknown> = {}): RecordedEvent => ({
  node,
  event: name,
  atNs: 0,
  fields,
});
const harness = (name: string) => event('harness', name);
const app = (name: string) => event('app-1', name);

/** After how many of the events the condition held; undefined: never. */
function heldAfter(
  predicate: string,
  parameters: Record<string, unknown>,
  events: readonly RecordedEvent[],
): number | undefined {
  const matcher = createConditionMatcher({ predicate, parameters });
  const index = events.findIndex((one) => matcher.push(one));
  return index < 0 ? undefined : index + 1;
}

describe('a join is over', () => {
  const failed = (count: number) => Array.from({ length: count }, () => app('join.failed'));

  it('when it has failed once more than Retry may be tapped, or is connected', () => {
    const events = [harness('row.began'), ...failed(3)];
    expect(heldAfter('smp.join-over', { cap: 2 }, events)).to.equal(4);
    expect(heldAfter('smp.join-over', { cap: 3 }, events)).to.equal(undefined);
    const connected = [harness('row.began'), ...failed(1), app('connection.established')];
    expect(heldAfter('smp.join-over', { cap: 2 }, connected)).to.equal(3);
  });

  it('by what came after its row began, and by nothing that was before', () => {
    const early = [app('connection.established'), harness('row.began'), ...failed(1)];
    expect(heldAfter('smp.join-over', { cap: 1 }, early)).to.equal(undefined);
  });

  it('by its own failures, and not by those of a link before it', () => {
    const events = [harness('row.began'), ...failed(4), harness('row.began-again'), ...failed(3)];
    expect(heldAfter('smp.join-over', { cap: 2, marker: 'row.began-again' }, events)).to.equal(9);
  });

  it('by the app’s events alone', () => {
    const others = [harness('row.began'), event('contact-1', 'connection.established')];
    expect(heldAfter('smp.join-over', { cap: 0 }, others)).to.equal(undefined);
  });
});

describe('messages have all arrived', () => {
  const came = (message: string) => event('contact-1', 'message.received', { message });

  it('when as many different ones have', () => {
    expect(heldAfter('smp.all-arrived', { count: 2 }, [came('a'), came('a'), came('b')])).to.equal(3);
  });

  it('since the nodes began anew', () => {
    const events = [came('a'), came('b'), event('contact-1', 'ready'), came('a')];
    expect(heldAfter('smp.all-arrived', { count: 3 }, events)).to.equal(undefined);
    expect(heldAfter('smp.all-arrived', { count: 1 }, events.slice(2))).to.equal(2);
  });
});
