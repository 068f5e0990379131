import { type Document, parseDocument, visit, type YAMLMap } from 'yaml';
import type { SeededStream } from '../random/index.ts';

const TOPOLOGY = `name: invalid
description: valid until something is done to it
mesh: true
nodes:
  - role: member
    count: 3
    image: memberlist-node
    settings: {join: '{addresses:member[1..2]}', expected: '{count:member}'}
    resources: {memory: 64MiB, pids: 128}
    readiness: {event: ready, timeout: 60s}
  - role: relay
    count: 1
    image: probe-node@forgetful
    settings: {perSecond: 3}
    after: [member]
links:
  - {from: relay, to: member, port: 7946}
`;

const SCENARIO = `name: invalid
description: valid until something is done to it
topology: invalid.yaml
parameters:
  outage: {type: duration, description: how long, default: 2s}
  variant: {type: choice, description: which, default: shipped, choices: [shipped, both]}
overrides: {variant: '\${variant}'}
grids:
  default: {axes: {variant: [shipped, both]}}
trials: 1
bed: fresh
phases:
  - name: warm-up
    steps:
      - {name: all see all, until: {event: converged, on: member, count: all}, within: 60s, orElse: void}
  - name: fault
    steps:
      - {name: cut, fault: {kind: hold, id: cut, on: 'member[1..2]', for: '\${outage}', tcp: drop}}
      - {name: watched, wait: 2s}
checks:
  - {check: no-event, title: nobody dies, kind: invariant, parameters: {event: member.dead}, reason: so}
expect:
  - {where: {variant: shipped}, check: nobody dies, outcome: fail, reason: so}
`;

export interface InvalidDocuments {
  /** Which of the two is invalid, and how. */
  readonly kind: string;
  readonly topology: string;
  readonly scenario: string;
}

type Change = (document: Document, chance: SeededStream) => void;

/** Sets one value; every value given is wrong there. */
const wrong =
  (path: readonly (string | number)[], values: readonly unknown[]): Change =>
  (document, chance) =>
    document.setIn(path, document.createNode(chance.pick(1, values)[0]));

const without =
  (path: readonly (string | number)[]): Change =>
  (document) =>
    void document.deleteIn(path);

/** A key that nobody knows, in a random map whose keys are fixed. */
const unknownKey =
  (open: readonly string[]): Change =>
  (document, chance) => {
    const maps: YAMLMap[] = [];
    visit(document, {
      Map: (key, node, path) => {
        const pair = path.at(-1);
        const name = pair && 'key' in pair ? String(pair.key) : String(key);
        if (!open.includes(name)) maps.push(node);
        return open.includes(name) ? visit.SKIP : undefined;
      },
    });
    chance.pick(1, maps)[0]?.set(`${wordOf(chance)}Key`, 1);
  };

const NOT_A_MAP = [7, 'text', true, null, [1]];
const WRONG_DURATION = ['soon', '5 parsecs', '-3s', '1e9999s', 's', {}, [1], true];

const TOPOLOGY_CHANGES: Readonly<Record<string, Change>> = {
  'unknown key': unknownKey(['settings', 'env', 'labels', 'ports']),
  count: wrong(['nodes', 0, 'count'], [-1, 1.5, 'many', 5000, [], {}, true]),
  'variant of the image': wrong(
    ['nodes', 0, 'image'],
    ['memberlist-node@nonesuch', 'memberlist-node@', 7, [], {}],
  ),
  memory: wrong(['nodes', 0, 'resources', 'memory'], ['64 bananas', '-1MiB', 'MiB', [], {}, true]),
  pids: wrong(['nodes', 0, 'resources', 'pids'], [0, -5, 2.5, 'few']),
  placeholder: wrong(
    ['nodes', 0, 'settings', 'join'],
    [
      '{addresses:nobody}',
      '{adresses:member}',
      '{addresses:member[9..12]}',
      '{addresses:member[}',
      '{addresses:}',
    ],
  ),
  'unknown setting': wrong(['nodes', 0, 'settings', 'noSuchSetting'], [1, 'x']),
  'value of a setting': wrong(['nodes', 0, 'settings', 'expected'], ['several', [], {}, 1.5]),
  nodes: wrong(['nodes'], [7, 'text', true, null, {}, [7], ['text']]),
  'no nodes': without(['nodes']),
  'no role': without(['nodes', 0, 'role']),
  'no image': without(['nodes', 1, 'image']),
  role: wrong(['nodes', 0, 'role'], ['', 'a b', 'UPPER', '../x', 'a/b', 7, [], 'x'.repeat(300)]),
  'same role twice': wrong(['nodes', 1, 'role'], ['member']),
  'two kinds of readiness': wrong(
    ['nodes', 0, 'readiness'],
    [{ event: 'ready', log: 'x' }, {}, 7, { log: '(' }],
  ),
  'time of readiness': wrong(['nodes', 0, 'readiness', 'timeout'], WRONG_DURATION),
  'started after': wrong(['nodes', 1, 'after'], [['nobody'], 'member', [7], ['member[']]),
  'started in a circle': wrong(['nodes', 0, 'after'], [['relay']]),
  prefix: wrong(['prefix'], [3, 33, 20.5, 'wide']),
  'link from': wrong(['links', 0, 'from'], ['nobody', 'member[', 7, []]),
  'link to': wrong(['links', 0, 'to'], ['nobody', 'member[5]', 7, []]),
  'port of a link': wrong(['links', 0, 'port'], ['nosuchport', 0, 70_000, 1.5, []]),
  'path of a link': wrong(['links', 0, 'path'], ['teleport', 7]),
  'protocol through Toxiproxy': wrong(
    ['links', 0],
    [{ from: 'relay', to: 'member', port: 7946, protocol: 'udp', path: 'toxiproxy' }],
  ),
};

const SCENARIO_CHANGES: Readonly<Record<string, Change>> = {
  'unknown key': unknownKey(['parameters', 'axes', 'where', 'overrides', 'settings', 'counts']),
  wait: wrong(['phases', 1, 'steps', 1, 'wait'], WRONG_DURATION),
  within: wrong(['phases', 0, 'steps', 0, 'within'], WRONG_DURATION),
  'kind of fault': wrong(['phases', 1, 'steps', 0, 'fault', 'kind'], ['meteor', '', 7, []]),
  'length of a fault': wrong(['phases', 1, 'steps', 0, 'fault', 'for'], ['soon', '-3s', [], '${nothing}']),
  'target of a fault': wrong(
    ['phases', 1, 'steps', 0, 'fault', 'on'],
    ['nobody', 'member[', 'pick(x,member)', 'member[8..9]', '', 7],
  ),
  'no target': without(['phases', 1, 'steps', 0, 'fault', 'on']),
  'setting of a fault': wrong(['phases', 1, 'steps', 0, 'fault', 'tcp'], ['perhaps', 7, []]),
  'two things in one step': wrong(
    ['phases', 1, 'steps', 1],
    [{ wait: '1s', lift: '*' }, {}, { name: 'nothing' }, 7],
  ),
  orElse: wrong(['phases', 0, 'steps', 0, 'orElse'], ['panic', 7]),
  phases: wrong(['phases'], [...NOT_A_MAP.filter((value) => !Array.isArray(value)), {}, []]),
  'no phases': without(['phases']),
  trials: wrong(['trials'], [0, -1, 1.5, 'some', []]),
  bed: wrong(['bed'], ['unmade', 7]),
  topology: wrong(['topology'], ['nowhere.yaml', '', 7, '../../../nowhere']),
  'type of a parameter': wrong(['parameters', 'outage', 'type'], ['feeling', 7]),
  'default of a duration': wrong(['parameters', 'outage', 'default'], WRONG_DURATION),
  'default of a choice': wrong(['parameters', 'variant', 'default'], ['neither', 7]),
  'name of a parameter': wrong(
    ['parameters', 'trials'],
    [{ type: 'duration', description: 'reserved', default: '1s' }],
  ),
  axis: wrong(['grids', 'default', 'axes'], [{ nothing: [1] }, { variant: ['neither'] }, { variant: [] }, 7]),
  override: wrong(['overrides', 'variant'], ['${nothing}', '${variant', []]),
  check: wrong(['checks', 0, 'check'], ['horoscope', '', 7]),
  'kind of a check': wrong(['checks', 0, 'kind'], ['hunch', 7]),
  'parameters of a check': wrong(
    ['checks', 0, 'parameters'],
    [{}, { event: 7 }, { event: 'x', wrong: 1 }, 7],
  ),
  'no title': without(['checks', 0, 'title']),
  expectation: wrong(['expect', 0, 'check'], ['a check that is not there', 7]),
  'outcome of an expectation': wrong(['expect', 0, 'outcome'], ['maybe', 7]),
  'where of an expectation': wrong(['expect', 0, 'where'], [{ nothing: 1 }, 7]),
};

type TextChange = (text: string, chance: SeededStream) => string;

/** Not YAML any more, or not YAML that says one thing. */
const TEXT_CHANGES: Readonly<Record<string, TextChange>> = {
  'a bracket too many': (text) => `${text}]\n`,
  'a tab in the indentation': (text) => `${text}\n\tx: 1\n`,
  'a key twice': (text) => `${text}\nname: again\n`,
  'a reference to nothing': (text) => `${text}\nmore: *nowhere\n`,
  'two documents': (text) => `${text}---\n${text}`,
  'a list': (text) =>
    text
      .split('\n')
      .map((line) => `- ${JSON.stringify(line)}`)
      .join('\n'),
  nothing: () => '',
  'one word': (_text, chance) => wordOf(chance),
  bytes: (_text, chance) => Buffer.from(chance.bytes(400)).toString('latin1'),
};

/** One of the two documents made invalid in one random way. */
export function drawInvalid(chance: SeededStream): InvalidDocuments {
  const isTopology = chance.integer(2) === 0;
  const [what, text, changes] = isTopology
    ? (['topology', TOPOLOGY, TOPOLOGY_CHANGES] as const)
    : (['scenario', SCENARIO, SCENARIO_CHANGES] as const);
  const names = [...Object.keys(changes), ...Object.keys(TEXT_CHANGES).map((name) => `text: ${name}`)];
  const [name = ''] = chance.pick(1, names);
  const textChange = TEXT_CHANGES[name.replace(/^text: /, '')];
  const broken = name.startsWith('text: ')
    ? textChange?.(text, chance)
    : changed(text, changes[name], chance);
  return {
    kind: `${what}, ${name}`,
    topology: isTopology ? (broken ?? '') : TOPOLOGY,
    scenario: isTopology ? SCENARIO : (broken ?? ''),
  };
}

/** The two as they are before anything is done to them; valid. */
export const VALID: Omit<InvalidDocuments, 'kind'> = { topology: TOPOLOGY, scenario: SCENARIO };

function changed(text: string, change: Change | undefined, chance: SeededStream): string {
  const document = parseDocument(text);
  change?.(document as unknown as Document, chance);
  return document.toString();
}

function wordOf(chance: SeededStream): string {
  return `x${Buffer.from(chance.bytes(4)).toString('hex')}`;
}
