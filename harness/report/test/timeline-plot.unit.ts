import { expect } from 'chai';
import type { FaultRecord, RecordedEvent, TrialRecord } from '../../record/index.ts';
import { sampleTrial } from '../../record/test/sample-record.ts';
import { timelinePlot } from '../html/plots/timeline-plot.ts';
import { px, readPlot } from './drawn-plot.ts';

const S = 1e9;
const fault = (times: Partial<FaultRecord>): FaultRecord => ({
  id: 'cut',
  kind: 'hold',
  targets: ['member-1'],
  selector: 'member[1]',
  settings: {},
  bit: true,
  gone: true,
  problems: [],
  ...times,
});
const dead = (node: string, atNs: number): RecordedEvent => ({
  node,
  event: 'member.dead',
  atNs,
  fields: {},
});

/** A trial of 100 s from 1 s on, whose phases meet at 11 s and 51 s. */
const drawn = (
  changes: Partial<TrialRecord>,
  events: readonly RecordedEvent[] = [dead('member-2', 60 * S)],
) =>
  readPlot(timelinePlot({ title: 'one outage', trial: sampleTrial(changes), events, event: 'member.dead' }));

/** Windows that are shaded over the whole height, as they begin and end. */
const shaded = (plot: ReturnType<typeof drawn>): [number, number][] =>
  plot
    .all('[aria-label="rect"][fill-opacity="0.13"] rect')
    .map((one) => [px(one, 'x'), px(one, 'x') + px(one, 'width')]);

describe('the timeline of a trial', () => {
  it('shades a fault from its application to its lift, and names it', () => {
    const plot = drawn({ faults: [fault({ appliedNs: 11 * S, liftedNs: 51 * S })] });
    const [window, ...others] = shaded(plot);
    expect(others).to.be.empty;
    expect(window?.[0]).to.be.closeTo(plot.x(0), 0.01);
    expect(window?.[1]).to.be.closeTo(plot.x(40), 0.01);
    expect(plot.all('[aria-label="text"] text').map((one) => one.textContent)).to.include('hold on 1 node');
  });

  it('shades each of several, one that was never lifted to the end, and one that was never applied nowhere', () => {
    const plot = drawn({
      faults: [
        fault({ appliedNs: 11 * S, liftedNs: 21 * S }),
        fault({ id: 'later', appliedNs: 71 * S }),
        fault({ id: 'never' }),
      ],
    });
    const windows = shaded(plot);
    expect(windows).to.have.length(2);
    expect(windows[0]?.[1]).to.be.closeTo(plot.x(10), 0.01);
    expect(windows[1]?.[0]).to.be.closeTo(plot.x(60), 0.01);
    expect(windows[1]?.[1]).to.be.closeTo(plot.x(90), 0.01);
  });

  it('has no shade where there was no fault', () => {
    expect(shaded(drawn({}))).to.be.empty;
  });

  it('tells unwarped seconds, windows and events alike', () => {
    const plot = drawn({ warp: 4, faults: [fault({ appliedNs: 11 * S, liftedNs: 21 * S })] });
    const [window] = shaded(plot);
    expect((window?.[1] ?? 0) - (window?.[0] ?? 0)).to.be.closeTo(plot.x(40) - plot.x(0), 0.01);
    const [tick] = plot.all('[aria-label="tick"][stroke="var(--series-0)"] line');
    expect(px(tick, 'x1')).to.be.closeTo(plot.x((60 - 11) * 4), 0.01);
    expect(plot.caption).to.include('unwarped (warp 4)');
  });

  it('puts events of nodes that a fault touched below the line of their lane, and the others above it', () => {
    const faults = [fault({ appliedNs: 11 * S, liftedNs: 51 * S })];
    const plot = drawn({ faults }, [dead('member-1', 55 * S), dead('member-2', 60 * S)]);
    const [line] = plot.all('[aria-label="rule"][stroke-opacity="0.18"] line');
    const [touched] = plot.all('[aria-label="tick"][stroke="var(--series-1)"] line');
    const [other] = plot.all('[aria-label="tick"][stroke="var(--series-0)"] line');
    expect(px(touched, 'x1')).to.be.closeTo(plot.x(44), 0.01);
    expect(px(other, 'x1')).to.be.closeTo(plot.x(49), 0.01);
    const middle = (one: typeof line): number => (px(one, 'y1') + px(one, 'y2')) / 2;
    expect(middle(touched)).to.be.above(middle(other));
    expect(plot.all('[aria-label="y-axis tick label"] text')[0]?.textContent).to.match(/^member\.dead\s+2$/);
  });
});
