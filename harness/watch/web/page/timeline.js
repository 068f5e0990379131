import { byId, duration, make } from './elements.js';
import { look } from './fault-look.js';

/** Phases, faults as bars, the nodes' events as a density, and where the eye is. */
export function drawTimeline(trial, atNs) {
  const picture = byId('timeline');
  // As wide as it is shown, so that its words are as large as the page's.
  const width = Math.max(320, picture.clientWidth);
  const spanNs = Math.max(1, trial.lastNs - trial.startNs);
  const x = (ns) => Math.max(0, Math.min(1, (ns - trial.startNs) / spanNs)) * width;
  const shapes = [];
  trial.phases.forEach((phase, index) => {
    const from = x(phase.startNs);
    const to = x(phase.endNs ?? trial.lastNs);
    shapes.push(
      make(
        'rect',
        {
          x: from,
          y: 0,
          width: Math.max(1, to - from),
          height: 22,
          fill: index % 2 === 0 ? 'var(--faint)' : 'var(--line)',
        },
        make(
          'title',
          {},
          `${phase.name}: ${duration(((phase.endNs ?? trial.lastNs) - phase.startNs) / 1e6)}`,
        ),
      ),
    );
    if (to - from > 60)
      shapes.push(make('text', { x: from + 6, y: 15 }, phase.name.slice(0, Math.floor((to - from) / 8))));
  });
  const rows = Math.min(6, trial.faults.length);
  trial.faults.forEach((fault, index) => {
    if (fault.appliedNs === undefined) return;
    const { color, dash } = look(index);
    const y = 32 + (index % 6) * 13;
    const from = x(fault.appliedNs);
    const to = x(fault.liftedNs ?? trial.lastNs);
    shapes.push(
      make(
        'line',
        {
          x1: from,
          x2: Math.max(from + 2, to),
          y1: y,
          y2: y,
          stroke: color,
          'stroke-width': 6,
          'stroke-dasharray': dash,
        },
        make('title', {}, `${fault.kind} ${fault.id} on ${fault.targets.length} nodes`),
      ),
    );
    shapes.push(make('text', { x: Math.min(width - 12, from + 1), y: y - 4, class: 'hit' }, fault.letter));
  });
  const base = 32 + rows * 13 + 44;
  const bins = new Array(200).fill(0);
  trial.perSecond.forEach((count, second) => {
    const bin = Math.min(199, Math.floor((((second + 0.5) * 1e9) / spanNs) * 200));
    bins[bin] += count;
  });
  const most = Math.max(1, ...bins);
  bins.forEach((count, bin) => {
    if (count > 0)
      shapes.push(
        make(
          'rect',
          {
            x: (bin / 200) * width,
            y: base - (count / most) * 40,
            width: Math.max(1, width / 200 - 1),
            height: (count / most) * 40,
            fill: 'var(--series-0)',
          },
          make('title', {}, `${count} events`),
        ),
      );
  });
  for (const node of trial.nodes) {
    for (const change of node.changes) {
      if (change.state === 'ended')
        shapes.push(
          make(
            'line',
            {
              x1: x(change.atNs),
              x2: x(change.atNs),
              y1: base - 44,
              y2: base + 2,
              stroke: 'var(--fail)',
              'stroke-width': 1.5,
            },
            make('title', {}, `${node.name} ended`),
          ),
        );
    }
  }
  shapes.push(make('line', { x1: 0, x2: width, y1: base, y2: base, stroke: 'var(--muted)' }));
  shapes.push(
    make('line', { x1: x(atNs), x2: x(atNs), y1: 0, y2: base + 4, stroke: 'var(--ink)', 'stroke-width': 2 }),
  );
  picture.setAttribute('viewBox', `0 0 ${width} ${base + 6}`);
  picture.replaceChildren(...shapes);
}
