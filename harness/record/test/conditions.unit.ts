import { expect } from 'chai';
import {
  createConditionMatcher,
  type EventCondition,
  measureTrial,
  type RecordedEvent,
  redactCommand,
  redactSettings,
  registerMeasure,
  registerPredicate,
  stableSinceMs,
} from '../index.ts';
import { sampleTrial } from './sample-record.ts';

const event = (
  name: string,
  node: string,
  fields: Record<string, unknown> = {},
  atNs = 0,
): RecordedEvent => ({
  node,
  event: name,
  atNs,
  fields,
});

/** How many of the events it took, or undefined when the condition never held. */
function heldAfter(
  condition: EventCondition,
  events: readonly RecordedEvent[],
  nodes?: string[],
): number | undefined {
  const matcher = createConditionMatcher(condition, nodes);
  const index = events.findIndex((one) => matcher.push(one));
  return index < 0 ? undefined : index + 1;
}

describe('a condition over events', () => {
  const stream = [
    event('alive', 'a', { count: 1 }),
    event('alive', 'b', { count: 2, tags: { zone: 'x', rack: 1 } }),
    event('dead', 'a'),
    event('alive', 'a', { count: 3 }),
    event('alive', 'c', { count: 9 }),
  ];

  for (const [says, condition, nodes, after] of [
    ['takes the first event of the name', { event: 'alive' }, undefined, 1],
    ['counts', { event: 'alive', count: 3 }, undefined, 4],
    ['looks at the given nodes only', { event: 'alive' }, ['b'], 2],
    ['waits for each of the nodes', { event: 'alive', count: 'all' }, ['a', 'b', 'c'], 5],
    ['compares fields', { event: 'alive', where: { count: 3 } }, undefined, 4],
    ['takes one of several values', { event: 'alive', where: { count: [2, 9] } }, undefined, 2],
    ['knows limits', { event: 'alive', where: { count: { '>=': 3 } } }, undefined, 4],
    ['knows limits from both sides', { event: 'alive', where: { count: { '>': 3, '<': 10 } } }, undefined, 5],
    ['knows what must not be', { event: 'alive', where: { count: { '!=': 1 } } }, undefined, 2],
    ['compares nested objects', { event: 'alive', where: { tags: { zone: 'x' } } }, undefined, 2],
    ['does not take a text for a number', { event: 'alive', where: { count: '1' } }, undefined, undefined],
    ['never holds without its event', { event: 'left' }, undefined, undefined],
  ] as const) {
    it(says, () => {
      expect(heldAfter(condition as EventCondition, stream, nodes && [...nodes])).to.equal(after);
    });
  }

  it('says what is awaited and who is missing', () => {
    const matcher = createConditionMatcher({ event: 'alive', count: 'all' }, ['a', 'b', 'c']);
    matcher.push(event('alive', 'b'));
    expect(matcher.what).to.equal('event "alive" from each of 3 nodes');
    expect(matcher.progress()).to.equal('1 of 3 (missing a, c)');
  });

  it('refuses "all" of nobody, and an unknown predicate', () => {
    expect(() => createConditionMatcher({ event: 'alive', count: 'all' })).to.throw('of no node');
    expect(() => createConditionMatcher({ predicate: 'nowhere' })).to.throw('"nowhere" is not registered');
  });

  it('runs a registered predicate with its parameters, its nodes and all events so far', () => {
    registerPredicate(
      'conditions-test.enough',
      ({ most }, nodes) =>
        (_event, soFar) =>
          soFar.length >= Number(most) + nodes.length,
    );
    expect(
      heldAfter({ predicate: 'conditions-test.enough', parameters: { most: 2 } }, stream, ['a']),
    ).to.equal(3);
  });

  it('refuses a second meaning of a name', () => {
    registerPredicate('conditions-test.clash', () => () => true);
    registerPredicate('conditions-test.clash', () => () => true);
    expect(() => registerPredicate('conditions-test.clash', () => () => false)).to.throw('registered twice');
  });
});

describe('measuring a trial', () => {
  const { measures: _measures, ...trial } = sampleTrial();

  it('gives events in order and puts the values together', () => {
    registerMeasure('measure-test.first', (_trial, events) => ({ first: events[0]?.atNs ?? null }));
    registerMeasure('measure-test.count', (_trial, events) => ({ count: events.length }));
    const events = [event('b', 'n', {}, 2), event('a', 'n', {}, 1)];
    expect(measureTrial(['measure-test.first', 'measure-test.count'], trial, events)).to.deep.equal({
      first: 1,
      count: 2,
    });
  });

  it('names the measure that is unknown, that threw, or that another one covers', () => {
    registerMeasure('measure-test.throws', () => {
      throw new Error('no cut');
    });
    registerMeasure('measure-test.same', () => ({ first: 1 }));
    expect(() => measureTrial(['nowhere'], trial, [])).to.throw('"nowhere": not registered');
    expect(() => measureTrial(['measure-test.throws'], trial, [])).to.throw(
      /"measure-test\.throws": threw.*no cut/,
    );
    expect(() => measureTrial(['measure-test.first', 'measure-test.same'], trial, [])).to.throw(
      'gives "first"',
    );
  });
});

describe('the time until a system is good and stays good', () => {
  const window = { sinceNs: 10e9, untilNs: 100e9, stableForMs: 5_000 };
  const seen = (...pairs: readonly (readonly [number, boolean])[]) =>
    pairs.map(([atS, good]) => ({ atNs: atS * 1e9, good }));
  for (const [says, observations, ms] of [
    ['is the first good moment that lasts', seen([12, false], [20, true]), 10_000],
    ['does not count a good moment that passes', seen([12, true], [14, false], [30, true]), 20_000],
    ['counts one that lasted exactly long enough', seen([12, true], [17, false]), 2_000],
    ['is zero for what was never bad', seen([1, true]), 0],
    [
      'forgets what was good before and bad at the beginning',
      seen([1, true], [9, false], [40, true]),
      30_000,
    ],
    ['is unknown when good came too late to be seen lasting', seen([12, false], [97, true]), null],
    ['is unknown when nothing was seen', [], null],
    ['is unknown when it was never good', seen([12, false]), null],
    ['does not depend on the order of observations', [...seen([20, true]), ...seen([12, false])], 10_000],
  ] as const) {
    it(says, () => {
      expect(stableSinceMs(observations, window)).to.equal(ms);
    });
  }
});

describe('secrets', () => {
  it('are taken out of settings by name and by look', () => {
    const settings = {
      DB_PASSWORD: 'x',
      apiKey: 'x',
      'x-auth-token': 'x',
      URL: 'postgres://me:hunter2@db/x',
      HEADER: 'Bearer abcdefghijkl',
      KEEP_ALIVE_MS: '1000',
      MONKEY: 'banana',
      AUTHOR: 'me',
      EMPTY_SECRET: '',
      COUNT: 3,
    };
    expect(redactSettings(settings)).to.deep.equal({
      DB_PASSWORD: '[redacted]',
      apiKey: '[redacted]',
      'x-auth-token': '[redacted]',
      URL: 'postgres://[redacted]@db/x',
      HEADER: 'Bearer [redacted]',
      KEEP_ALIVE_MS: '1000',
      MONKEY: 'banana',
      AUTHOR: 'me',
      EMPTY_SECRET: '',
      COUNT: 3,
    });
  });

  it('are taken out of commands', () => {
    expect(
      redactCommand(['run', '--token', 'x', '--set', 'node.password=x', '--api-key=x', '--seed', '7']),
    ).to.deep.equal([
      'run',
      '--token',
      '[redacted]',
      '--set',
      'node.password=[redacted]',
      '--api-key=[redacted]',
      '--seed',
      '7',
    ]);
  });
});
