import { byId, duration, fill, make } from './elements.js';

const LIFE = {
  running: 'running',
  ended: 'ended',
  silent: 'silent: nobody is seen to work on it',
};

/** @param chosen key of the trial that is looked at */
export function showRun(run, chosen, onChoose) {
  const { planned, counted, voids, broken, running } = run.trials;
  document.title = `${run.verdict ?? LIFE[run.life]}: ${run.suites.join(', ')} · squall watch`;
  byId('run').textContent = `${run.suites.join(', ')} · run ${run.runId}`;
  const box = byId('verdict');
  const failing = run.checks?.fail ?? 0;
  box.className = `verdict ${run.verdict ?? (failing > 0 ? 'fail' : run.life === 'running' ? 'going' : 'inconclusive')}`;
  const left = run.leftMs === undefined ? '' : `, about ${duration(run.leftMs)} left`;
  fill(
    'verdict',
    make('span', { class: 'word' }, run.verdict ?? LIFE[run.life]),
    make('h1', {}, planned > 0 ? `${counted} of ${planned} trials` : run.suites.join(', ')),
    make(
      'p',
      { class: 'sub' },
      `${run.life === 'running' ? 'for' : 'after'} ${duration(run.elapsedMs)}${left}. ` +
        [`${running} running`, `${voids} void`, `${broken} broken`].join(', '),
    ),
    ...(planned > 0
      ? [
          make('progress', {
            max: planned,
            value: Math.min(counted, planned),
            'aria-label': 'trials that ended',
          }),
        ]
      : []),
  );
  const checks = run.checks;
  fill(
    'checks',
    ...(checks
      ? [
          make(
            'p',
            {},
            make('span', { class: 'mark pass' }, `✓ ${checks.pass} pass `),
            make('span', { class: 'mark fail' }, `✕ ${checks.fail} fail `),
            make(
              'span',
              { class: 'mark inconclusive' },
              `? ${checks.open} ${run.life === 'ended' ? 'inconclusive' : 'open'}`,
            ),
          ),
          ...checks.failing.map((one) =>
            make(
              'p',
              { class: 'finding fail' },
              make('b', {}, one.title),
              ` at ${one.pointId}: ${one.sentence}`,
            ),
          ),
          ...(checks.problem === undefined ? [] : [make('p', { class: 'note' }, checks.problem)]),
        ]
      : [make('p', { class: 'muted' }, 'No trial has ended yet.')]),
  );
  const rows = [
    ...run.active.map((key) => ({ key, what: 'running', took: '' })),
    ...run.finished
      .toReversed()
      .map((one) => ({ key: one.key, what: one.outcome, took: duration(one.tookMs) })),
  ].slice(0, 500);
  fill(
    'trials',
    ...rows.map(({ key, what, took }) => {
      const button = make('button', { type: 'button', 'aria-pressed': key === chosen }, key);
      button.addEventListener('click', () => onChoose(key));
      return make('tr', {}, make('td', {}, button), make('td', {}, what), make('td', { class: 'num' }, took));
    }),
  );
  fill(
    'points',
    ...run.points
      .slice(0, 500)
      .map((point) =>
        make(
          'tr',
          {},
          make('td', { class: 'text' }, point.pointId),
          make(
            'td',
            { class: 'num' },
            `${point.counted} of ${point.planned}${point.voids > 0 ? `, ${point.voids} void` : ''}`,
          ),
          make('td', {}, make('span', { class: `mark ${point.verdict ?? ''}` }, point.verdict ?? '')),
          make('td', { class: 'text muted' }, point.stopped ?? ''),
        ),
      ),
  );
  fill(
    'news',
    ...run.news
      .slice(-60)
      .toReversed()
      .map(({ text }) => make('li', {}, text)),
  );
}
