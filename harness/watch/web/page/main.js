import { byId, duration, fill, make } from './elements.js';
import { inForceAt, look } from './fault-look.js';
import { showRun } from './run.js';
import { drawTimeline } from './timeline.js';
import { drawTopology } from './topology.js';

const state = {
  run: undefined,
  trial: undefined,
  key: undefined,
  atNs: undefined,
  node: undefined,
  source: undefined,
};

// The stream of this run: what is shown first is chosen by the server, then by whoever looks.
function connect() {
  state.source?.close();
  const source = new EventSource(
    state.key === undefined ? 'stream' : `stream?trial=${encodeURIComponent(state.key)}`,
  );
  state.source = source;
  source.addEventListener('run', (message) => {
    state.run = JSON.parse(message.data);
    showRun(state.run, state.trial?.key ?? state.key, chooseTrial);
  });
  source.addEventListener('trial', (message) => {
    const trial = JSON.parse(message.data);
    const other = state.trial?.key !== trial.key;
    state.trial = trial;
    if (other) {
      state.atNs = undefined;
      if (state.run) showRun(state.run, trial.key, chooseTrial);
    }
    showTrial();
    if (other || state.atNs === undefined) void showEvents();
  });
  source.addEventListener('end', () => {
    source.close();
    byId('connection').textContent = 'The run has ended.';
  });
  source.onopen = () => {
    byId('connection').textContent = '';
  };
  source.onerror = () => {
    byId('connection').textContent = 'Not connected: `squall watch` has ended or is busy. It is tried again.';
  };
}

function chooseTrial(key) {
  state.key = key;
  state.node = undefined;
  connect();
}

function chooseNode(name) {
  state.node = state.node === name ? undefined : name;
  showTrial();
  void showEvents();
}

/** The instant that is looked at: chosen, or the newest. */
function instant() {
  return state.atNs ?? state.trial.lastNs;
}

function showTrial() {
  const { trial } = state;
  const atNs = instant();
  byId('trial-name').textContent = trial.key;
  const phase = trial.phases.findLast((one) => one.startNs <= atNs);
  const inForce = trial.faults
    .map((fault, index) => ({ fault, index }))
    .filter(({ fault }) => inForceAt(fault, atNs));
  const step = state.atNs === undefined && trial.step ? ` · ${trial.step.text}` : '';
  byId('phase').textContent = `${phase?.name ?? 'getting ready'}${step}`;
  byId('when').textContent =
    `${duration((atNs - trial.startNs) / 1e6)} of ${duration((trial.lastNs - trial.startNs) / 1e6)}${state.atNs === undefined ? (trial.outcome ? ` · ${trial.outcome}` : ' · live') : ''}`;
  byId('live').disabled = state.atNs === undefined;
  const slider = byId('scrub');
  slider.max = String(Math.max(1, Math.round((trial.lastNs - trial.startNs) / 1e8)));
  slider.value = String(Math.round((atNs - trial.startNs) / 1e8));
  slider.setAttribute(
    'aria-valuetext',
    `${duration((atNs - trial.startNs) / 1e6)}, ${phase?.name ?? 'getting ready'}, ${inForce.length} faults in force`,
  );
  fill(
    'faults',
    ...(inForce.length === 0 ? [make('li', { class: 'muted' }, 'No fault is in force.')] : []),
    ...inForce.map(({ fault, index }) => {
      const { color, dash } = look(index);
      const left =
        fault.forMs === undefined ? '' : `, ${duration(fault.forMs - (atNs - fault.appliedNs) / 1e6)} left`;
      const towards = fault.peers.length === 0 ? '' : ` towards ${fault.peers.join(', ')}`;
      return make(
        'li',
        {},
        make(
          'svg',
          { width: 44, height: 12, 'aria-hidden': 'true' },
          make('line', {
            x1: 0,
            y1: 6,
            x2: 44,
            y2: 6,
            stroke: color,
            'stroke-width': 3,
            'stroke-dasharray': dash,
          }),
        ),
        make('b', {}, ` ${fault.letter} ${fault.kind}`),
        ` ${fault.id} on ${fault.targets.length > 6 ? `${fault.targets.slice(0, 6).join(', ')} … (${fault.targets.length})` : fault.targets.join(', ')}${towards}: for ${duration((atNs - fault.appliedNs) / 1e6)}${left}`,
      );
    }),
  );
  drawTopology(trial, atNs, inForce, state.node, chooseNode);
  drawTimeline(trial, atNs);
  fill(
    'counts',
    ...trial.counts.map(({ event, count }) =>
      make('tr', {}, make('td', { class: 'text' }, event), make('td', { class: 'num' }, count)),
    ),
  );
  const measures = Object.entries(trial.measures);
  fill(
    'measures',
    ...measures.map(([name, value]) =>
      make('tr', {}, make('td', {}, name), make('td', { class: 'num' }, value ?? '–')),
    ),
  );
  byId('measures-box').hidden = measures.length === 0;
}

let asked = 0;
/** Events up to the instant that is looked at; an answer that is late for a newer question is dropped. */
async function showEvents() {
  const { trial } = state;
  asked += 1;
  const mine = asked;
  const query = new URLSearchParams({ trial: trial.key, at: String(Math.round(instant())) });
  if (state.node !== undefined) query.set('node', state.node);
  const answer = await fetch(`events?${query}`);
  if (!answer.ok || mine !== asked) return;
  const { events, log } = await answer.json();
  byId('events-of').textContent = state.node === undefined ? 'all nodes' : state.node;
  const rows = events.map((event) => {
    const fields = Object.entries(event.fields).map(
      ([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`,
    );
    return make(
      'tr',
      {},
      make('td', { class: 'num' }, ((event.atNs - trial.startNs) / 1e9).toFixed(3)),
      make('td', {}, event.node),
      make('td', {}, event.event),
      make('td', { class: 'text muted' }, fields.join(' · ').slice(0, 300)),
    );
  });
  fill('events', ...rows.toReversed());
  byId('log-box').hidden = log === undefined;
  byId('log').textContent = (log ?? []).join('\n');
}

let wanted;
byId('scrub').addEventListener('input', (event) => {
  if (!state.trial) return;
  state.atNs = state.trial.startNs + Number(event.target.value) * 1e8;
  showTrial();
  clearTimeout(wanted);
  wanted = setTimeout(() => void showEvents(), 120);
});
byId('live').addEventListener('click', () => {
  state.atNs = undefined;
  showTrial();
  void showEvents();
});
connect();
