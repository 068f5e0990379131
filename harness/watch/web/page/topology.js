import { byId, make } from './elements.js';
import { look } from './fault-look.js';

const SIZE = 620;
const LINKS_SHOWN = 600;

function stateAt(node, atNs) {
  return (
    node.changes.findLast((change) => change.atNs <= atNs)?.state ??
    (node.changes.length === 0 ? node.state : 'unheard')
  );
}

/** Nodes on a ring, role by role, round the network that joins them; links that the topology names are chords. */
export function drawTopology(trial, atNs, inForce, chosen, onChoose) {
  const roles = [...new Set(trial.nodes.map(({ role }) => role))];
  const nodes = roles.flatMap((role) => trial.nodes.filter((node) => node.role === role));
  const slots = nodes.length + roles.length;
  const middle = SIZE / 2;
  const radius = middle - 74;
  const dot = Math.max(3, Math.min(11, (radius * Math.PI) / Math.max(1, slots) - 1));
  const places = new Map();
  let slot = 0;
  let before;
  for (const node of nodes) {
    if (before !== undefined && before !== node.role) slot += 1;
    before = node.role;
    const angle = (slot / slots) * 2 * Math.PI - Math.PI / 2;
    places.set(node.name, {
      x: middle + radius * Math.cos(angle),
      y: middle + radius * Math.sin(angle),
      angle,
    });
    slot += 1;
  }
  const shapes = [];
  const touched = (from, to) =>
    inForce.find(({ fault }) => {
      const meets = (a, b) =>
        fault.targets.includes(a) && (fault.peers.length === 0 || fault.peers.includes(b));
      return meets(from, to) || meets(to, from);
    });
  for (const { name } of nodes) {
    const place = places.get(name);
    const hit = inForce.find(({ fault }) => fault.targets.includes(name) && fault.peers.length === 0);
    const { color, dash } = hit ? look(hit.index) : { color: 'var(--line)', dash: '' };
    shapes.push(
      make('line', {
        x1: middle,
        y1: middle,
        x2: place.x,
        y2: place.y,
        stroke: color,
        'stroke-dasharray': dash,
        'stroke-width': hit ? 2 : 0.7,
      }),
    );
  }
  let drawn = 0;
  const chord = (a, b, hit, title) => {
    const [from, to] = [places.get(a), places.get(b)];
    if (!from || !to || a === b || drawn >= LINKS_SHOWN) return;
    drawn += 1;
    const { color, dash } = hit ? look(hit.index) : { color: 'var(--muted)', dash: '' };
    const bend = 0.35;
    const [x, y] = [(from.x + to.x) / 2, (from.y + to.y) / 2];
    const path = `M${from.x} ${from.y}Q${x + (middle - x) * bend} ${y + (middle - y) * bend} ${to.x} ${to.y}`;
    shapes.push(
      make(
        'path',
        {
          d: path,
          fill: 'none',
          stroke: color,
          'stroke-dasharray': dash,
          'stroke-width': hit ? 2.4 : 1,
          opacity: hit ? 1 : 0.5,
        },
        make('title', {}, title),
      ),
    );
  };
  for (const link of trial.links) {
    for (const from of link.from)
      for (const to of link.to) chord(from, to, touched(from, to), `${link.name}: ${from} to ${to}`);
  }
  // A fault between some nodes is shown where the topology names no link between them.
  for (const hit of inForce) {
    for (const from of hit.fault.targets) {
      for (const to of hit.fault.peers) {
        const named = trial.links.some(
          (link) =>
            (link.from.includes(from) && link.to.includes(to)) ||
            (link.from.includes(to) && link.to.includes(from)),
        );
        if (!named) chord(from, to, hit, `${hit.fault.kind} ${hit.fault.id}: ${from} and ${to}`);
      }
    }
  }
  shapes.push(make('circle', { cx: middle, cy: middle, r: 5, fill: 'var(--muted)' }));
  for (const node of nodes) {
    const place = places.get(node.name);
    const seen = stateAt(node, atNs);
    const hits = inForce.filter(({ fault }) => fault.targets.includes(node.name));
    const hit = hits[0];
    const group = make('g', {
      class: 'node',
      tabindex: 0,
      role: 'button',
      'aria-pressed': chosen === node.name,
      'aria-label': `${node.name}: ${seen === 'unheard' ? 'not heard of' : seen}${hits.length > 0 ? `, under ${hits.map(({ fault }) => fault.kind).join(', ')}` : ''}`,
    });
    group.append(make('title', {}, `${node.name} ${node.address ?? ''} ${node.image ?? ''}`));
    group.append(
      make('circle', {
        cx: place.x,
        cy: place.y,
        r: chosen === node.name ? dot + 3 : dot,
        fill: seen === 'up' ? (hit ? look(hit.index).color : 'var(--pass)') : 'var(--paper)',
        stroke: seen === 'ended' ? 'var(--fail)' : hit ? look(hit.index).color : 'var(--muted)',
        'stroke-width': seen === 'ended' ? 2.5 : 1.2,
        'stroke-dasharray': seen === 'unheard' ? '2 2' : '',
      }),
    );
    if (seen === 'ended') {
      const arm = dot * 0.6;
      group.append(
        make('path', {
          d: `M${place.x - arm} ${place.y - arm}l${2 * arm} ${2 * arm}m0 ${-2 * arm}l${-2 * arm} ${2 * arm}`,
          stroke: 'var(--fail)',
          'stroke-width': 2,
        }),
      );
    }
    const outside = (by) => ({
      x: middle + (radius + by) * Math.cos(place.angle),
      y: middle + (radius + by) * Math.sin(place.angle),
    });
    const anchor =
      Math.abs(Math.cos(place.angle)) < 0.2 ? 'middle' : Math.cos(place.angle) > 0 ? 'start' : 'end';
    const label = hits.map(({ fault }) => fault.letter).join('');
    if (nodes.length <= 40 || label !== '') {
      const at = outside(dot + 8);
      const text = nodes.length <= 40 ? `${label === '' ? '' : `${label} `}${node.name.slice(0, 24)}` : label;
      group.append(
        make('text', { x: at.x, y: at.y + 4, 'text-anchor': anchor, class: label === '' ? '' : 'hit' }, text),
      );
    }
    const choose = () => onChoose(node.name);
    group.addEventListener('click', choose);
    group.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' || event.key === ' ') {
        event.preventDefault();
        choose();
      }
    });
    shapes.push(group);
  }
  if (nodes.length > 40) {
    for (const role of roles) {
      const own = nodes.filter((node) => node.role === role);
      const place = places.get(own[Math.floor(own.length / 2)].name);
      const by = radius - 30;
      shapes.push(
        make(
          'text',
          {
            x: middle + by * Math.cos(place.angle),
            y: middle + by * Math.sin(place.angle),
            'text-anchor': 'middle',
            class: 'role',
          },
          `${own.length} ${role.slice(0, 24)}`,
        ),
      );
    }
  }
  const focused = document.activeElement?.getAttribute?.('aria-label')?.split(':')[0];
  const picture = byId('topology');
  picture.replaceChildren(...shapes);
  picture.setAttribute('aria-label', `${nodes.length} nodes, ${inForce.length} faults in force`);
  if (focused !== undefined)
    [...picture.querySelectorAll('.node')]
      .find((one) => one.getAttribute('aria-label').split(':')[0] === focused)
      ?.focus();
}
