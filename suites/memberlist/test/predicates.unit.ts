import { expect } from 'chai';
import type { RecordedEvent } from '../../../harness/index.ts';
import { createConditionMatcher } from '../../../harness/record/index.ts';
import '../predicates.ts';

const NODES = ['a', 'b', 'c'];
const told = (
  node: string,
  event: string,
  fields: Readonly<Record<string, unknown>> = {},
): RecordedEvent => ({
  node,
  event,
  atNs: 0,
  fields,
});
const converged = (node: string) => told(node, 'converged', { alive: 3 });
const health = (node: string, score: number) => told(node, 'health.changed', { before: 0, score });

/** Whether it held after each of the events. */
function heldAfter(events: readonly RecordedEvent[], nodes: readonly string[] = NODES): boolean[] {
  const matcher = createConditionMatcher({ predicate: 'memberlist.converged' }, nodes);
  return events.map((event) => matcher.push(event));
}

describe('memberlist.converged', () => {
  it('holds when the last node has seen all others, in whatever order', () => {
    expect(heldAfter([converged('c'), converged('a'), converged('b')])).to.deep.equal([false, false, true]);
  });

  it('counts a node once, however often it says so', () => {
    expect(heldAfter([converged('a'), converged('a'), converged('b')])).to.deep.equal([false, false, false]);
  });

  it('waits until every health score is back at 0', () => {
    const events = [
      health('b', 2),
      ...NODES.map(converged),
      health('b', 1),
      health('a', 1),
      health('b', 0),
      health('a', 0),
    ];
    expect(heldAfter(events)).to.deep.equal([false, false, false, false, false, false, false, true]);
  });

  it('forgets what a node said before its process began anew', () => {
    const ready = (node: string) => told(node, 'ready', { epoch: 1 });
    const reset = [health('c', 3), ...NODES.map(converged), ready('c')];
    expect(heldAfter([...reset, converged('c')]).at(-1), 'its score').to.equal(true);
    expect(
      heldAfter([...NODES.slice(0, 2).map(converged), ready('a'), converged('c')]).at(-1),
      'what it saw',
    ).to.equal(false);
  });

  it('never holds for nobody', () => {
    expect(heldAfter([converged('a')], [])).to.deep.equal([false]);
  });

  it('begins anew in each wait', () => {
    expect(heldAfter(NODES.map(converged)).at(-1)).to.equal(true);
    expect(heldAfter([converged('a')])).to.deep.equal([false]);
  });
});
