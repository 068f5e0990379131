import { expect } from 'chai';
import type { PlannedScenario, PlotSpec, RecordedEvent } from '../../record/index.ts';
import { coursePlot } from '../html/plots/course-plot.ts';
import { coursesOf } from '../trial-course.ts';

const PLOT: PlotSpec = {
  title: 'stored',
  kind: 'course',
  y: 'chunk.stored',
  series: 'side',
  course: { since: 'wave.began', field: 'bytes', as: 'sum', per: 'node', role: 'joiner', unit: 'bytes' },
};
const TRIAL = { suite: 's', scenario: 'wave', point: { side: 'old' }, trial: 1, warp: 2 };

const at = (
  seconds: number,
  node: string,
  event: string,
  fields: RecordedEvent['fields'] = {},
): RecordedEvent => ({
  node,
  event,
  atNs: seconds * 1e9,
  fields,
});

const EVENTS = [
  at(1, 'joiner-1', 'chunk.stored', { bytes: 999 }),
  at(2, 'harness', 'wave.began'),
  at(3, 'joiner-1', 'chunk.stored', { bytes: 10 }),
  at(4, 'joiner-2', 'chunk.stored', { bytes: 5 }),
  at(5, 'joiner-1', 'chunk.stored', { bytes: 7 }),
  at(5, 'holder-1', 'chunk.stored', { bytes: 7 }),
  at(6, 'joiner-1', 'chunk.stored', { bytes: '</script>' }),
];

describe('lines over time', () => {
  it('add up a field since the beginning, a line a node, in unwarped seconds', () => {
    const lines = coursesOf(PLOT, TRIAL, EVENTS);
    expect(lines.map(({ node, places }) => [node, places])).to.deep.equal([
      [
        'joiner-1',
        [
          { seconds: 0, value: 0 },
          { seconds: 2, value: 10 },
          { seconds: 6, value: 17 },
          { seconds: 8, value: 17 },
        ],
      ],
      [
        'joiner-2',
        [
          { seconds: 0, value: 0 },
          { seconds: 4, value: 5 },
          { seconds: 8, value: 5 },
        ],
      ],
    ]);
  });

  it('show a level as it stood, or count events of the whole trial', () => {
    const level = { ...PLOT, course: { ...PLOT.course, as: 'level', per: 'trial' } as PlotSpec['course'] };
    const values = coursesOf(level as PlotSpec, TRIAL, EVENTS)[0]?.places.map(({ value }) => value);
    expect(values).to.deep.equal([10, 5, 7]);
    const course = { since: 'wave.began', as: 'sum', per: 'trial', unit: '' } as const;
    const counted = coursesOf({ ...PLOT, course }, TRIAL, EVENTS)[0]?.places.at(-1);
    expect(counted?.value).to.equal(5);
  });

  it('put what follows a leap of all clocks as much later', () => {
    const course = { since: 'wave.began', as: 'sum', per: 'trial', leaps: 'clock.leapt', unit: '' } as const;
    const leap = at(4, 'harness', 'clock.leapt', { leapMs: 60_000 });
    const others = at(4, 'joiner-1', 'clock.leapt', { leapMs: 1e12 });
    const events = [...EVENTS.slice(0, 3), leap, others, ...EVENTS.slice(4)];
    const places = coursesOf({ ...PLOT, course }, TRIAL, events)[0]?.places ?? [];
    expect(places.slice(0, 3).map(({ seconds }) => seconds)).to.deep.equal([0, 2, 66]);
  });

  it('stay at nothing where nothing of the kind happened, which a plot of drops has to show', () => {
    const course = { since: 'wave.began', as: 'sum', per: 'trial', unit: '' } as const;
    const [line] = coursesOf({ ...PLOT, y: 'admission.dropped', course }, TRIAL, EVENTS);
    expect(line?.places).to.deep.equal([
      { seconds: 0, value: 0 },
      { seconds: 8, value: 0 },
    ]);
  });

  it('stay at nothing for a node of the role that had nothing, since such a one is what is looked for', () => {
    const idle = [at(1, 'joiner-3', 'ready'), ...EVENTS];
    const lines = new Map(coursesOf(PLOT, TRIAL, idle).map(({ node, places }) => [node, places]));
    expect([...lines.keys()]).to.have.members(['joiner-1', 'joiner-2', 'joiner-3']);
    expect(lines.get('joiner-3')).to.deep.equal([
      { seconds: 0, value: 0 },
      { seconds: 8, value: 0 },
    ]);
    const level = {
      ...PLOT,
      course: { ...PLOT.course, since: 'wave.began', as: 'level', unit: '' },
    } as const;
    expect(coursesOf({ ...level, course: { ...level.course, per: 'node' } }, TRIAL, idle)).to.have.length(2);
  });

  it('are none where the beginning was not seen', () => {
    expect(coursesOf(PLOT, TRIAL, EVENTS.slice(2))).to.deep.equal([]);
  });

  it('keep few places of a long line, its ends among them', () => {
    const many = [EVENTS[1] as RecordedEvent].concat(
      Array.from({ length: 5_000 }, (_, index) => at(3 + index, 'joiner-1', 'chunk.stored', { bytes: 1 })),
    );
    const places = coursesOf(PLOT, TRIAL, many)[0]?.places ?? [];
    expect(places.length).to.be.at.most(80);
    expect([places[0]?.value, places.at(-1)?.value]).to.deep.equal([0, 5_000]);
  });

  it('are drawn with both sides on one plot, and names from outside as text', () => {
    const scenario = {
      suite: 's',
      scenario: 'wave',
      measures: [],
      parameters: [],
    } as unknown as PlannedScenario;
    const other = { ...TRIAL, point: { side: '<img src=x>' } };
    const markup = coursePlot(PLOT, scenario, [
      ...coursesOf(PLOT, TRIAL, EVENTS),
      ...coursesOf(PLOT, other, EVENTS),
    ])?.text;
    expect(markup).to.include('A line a node of a trial').and.include('old').and.not.include('<img');
    expect(coursePlot(PLOT, { ...scenario, scenario: 'another' }, [])).to.equal(undefined);
  });
});
