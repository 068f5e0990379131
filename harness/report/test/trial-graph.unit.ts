import { expect } from 'chai';
import type { PlannedScenario, PlotSpec, RecordedEvent } from '../../record/index.ts';
import { graphPlot } from '../html/plots/graph-plot.ts';
import { graphOf, tellingGraphs } from '../trial-graph.ts';

const PLOT: PlotSpec = {
  title: 'redirects',
  kind: 'graph',
  y: 'redirect.followed',
  facet: 'course',
  graph: {
    since: 'course.began',
    of: 'account',
    from: 'from',
    to: 'nodes',
    group: { event: 'view.changed', name: 'as', value: 'swarm' },
  },
};
const TRIAL = { suite: 's', scenario: 'redirects', point: { course: 'bounce' }, trial: 1 };

let clockNs = 0;
const event = (name: string, fields: RecordedEvent['fields'] = {}): RecordedEvent => {
  clockNs += 1;
  return { node: 'client-1', event: name, atNs: clockNs, fields };
};
const followed = (account: string, from: unknown, nodes: unknown): RecordedEvent =>
  event('redirect.followed', { account, from, nodes });

const EVENTS = [
  event('view.changed', { as: 'storage-1', swarm: '1' }),
  event('view.changed', { as: 'storage-2', swarm: '2' }),
  followed('anna', 'storage-9', ['storage-9']),
  event('course.began'),
  followed('anna', 'storage-1', ['storage-2', 'storage-3', 'storage-2']),
  followed('berta', 'storage-2', ['storage-1']),
  followed('anna', 'storage-1', ['storage-2']),
  event('view.changed', { as: 'storage-1', swarm: '7' }),
  followed('anna', { from: 'a body' }, ['storage-4']),
];

describe('graphs of who names whom', () => {
  it('are of what has most events since the beginning, with each pair counted once an event', () => {
    const [graph] = graphOf(PLOT, TRIAL, EVENTS);
    expect(graph?.subject).to.equal('anna');
    expect(graph?.events).to.equal(2);
    expect(graph?.edges).to.deep.equal([
      { from: 'storage-1', to: 'storage-2', count: 2 },
      { from: 'storage-1', to: 'storage-3', count: 1 },
    ]);
    expect([...(graph?.groups ?? [])]).to.deep.equal([
      ['storage-1', '1'],
      ['storage-2', '2'],
    ]);
  });

  it('are none where nothing was named, or where the beginning was not seen', () => {
    expect(graphOf(PLOT, TRIAL, EVENTS.slice(0, 4))).to.deep.equal([]);
    expect(graphOf(PLOT, TRIAL, EVENTS.slice(4))).to.deep.equal([]);
  });

  it('are shown of the trial with most events, one for each value of the facet', () => {
    const few = graphOf(PLOT, { ...TRIAL, trial: 1 }, EVENTS.slice(0, 5));
    const many = graphOf(PLOT, { ...TRIAL, trial: 2 }, EVENTS);
    const other = graphOf(PLOT, { ...TRIAL, point: { course: 'itself' }, trial: 3 }, EVENTS);
    const shown = tellingGraphs(PLOT, [...few, ...many, ...other]);
    expect(shown.map(({ trial }) => trial)).to.deep.equal([2, 3]);
  });

  it('keep no more pairs than can be drawn, whatever nodes say', () => {
    const began = event('course.began');
    const many = Array.from({ length: 1_000 }, (_, index) => followed('anna', 'storage-1', [`x${index}`]));
    const [graph] = graphOf(PLOT, TRIAL, [began, ...many]);
    expect(graph?.edges.length).to.be.at.most(400);
  });

  it('are drawn with the names of nodes as text', () => {
    const scenario = { suite: 's', scenario: 'redirects', measures: [], parameters: [] };
    const hostile = [event('course.began'), followed('<b>anna', '<img src=x>', ['<img src=x>', 'storage-1'])];
    const markup = graphPlot(
      PLOT,
      scenario as unknown as PlannedScenario,
      graphOf(PLOT, TRIAL, hostile),
    )?.text;
    expect(markup)
      .to.include('storage-1')
      .and.include('bounce')
      .and.not.include('<img')
      .and.not.include('<b>anna');
    expect(graphPlot(PLOT, { ...scenario, scenario: 'x' } as unknown as PlannedScenario, [])).to.equal(
      undefined,
    );
  });
});
