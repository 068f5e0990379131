import type { StarterAnswers } from './answers.ts';
import { githubWorkflow, gitlabWorkflow } from './workflows.ts';

export interface StarterFile {
  readonly path: string;
  readonly text: string;
}

/** Faults after which a node's process is another one. */
const ENDS_PROCESS = new Set(['kill', 'restart']);

/** The schema of topologies in a project that has Squall among its packages, as seen from its `topologies/`. */
const INSTALLED_SCHEMA = '../node_modules/squall/topologies/topology.schema.json';

export interface StarterPlace {
  /** Where editors find the schema of topologies, as seen from `topologies/`. */
  readonly schema?: string;
  /** Where npm gets Squall for a package of the project's own: a version, `file:` and a folder or tarball; left out where the project has a package. */
  readonly squall?: string;
}

/** A package where there is none, a topology, a suite of one scenario, a gate and a workflow, ready to run and to be changed. */
export function starterFiles(answers: StarterAnswers, place: StarterPlace = {}): readonly StarterFile[] {
  const { name, workflow } = answers;
  const { schema = INSTALLED_SCHEMA, squall } = place;
  return [
    ...(squall === undefined ? [] : [{ path: 'package.json', text: packageText(name, squall) }]),
    {
      path: `topologies/${name}.yaml`,
      text: `# yaml-language-server: $schema=${schema}\n${topologyText(answers)}`,
    },
    { path: `suites/${name}/outage.scenario.yaml`, text: scenarioText(answers) },
    { path: 'gate.yaml', text: gateText(answers) },
    ...(workflow === 'github' ? [{ path: '.github/workflows/squall.yml', text: githubWorkflow() }] : []),
    ...(workflow === 'gitlab' ? [{ path: '.gitlab-ci.yml', text: gitlabWorkflow() }] : []),
  ];
}

/** What `npm install` makes a lock of, and `npm ci` in a workflow installs by. */
function packageText(name: string, squall: string): string {
  const facts = {
    name: `${name}-under-fire`,
    private: true,
    type: 'module',
    scripts: { gate: 'squall gate --quick' },
    devDependencies: { squall },
  };
  return `${JSON.stringify(facts, null, 2)}\n`;
}

/** JSON's texts are YAML's, so that whatever was answered stays a text. */
const quoted = JSON.stringify as (text: string) => string;

function topologyText({
  name,
  role,
  count,
  image,
  command,
  env,
  readiness,
  recovered,
  never,
}: StarterAnswers): string {
  const ready =
    readiness.kind === 'started'
      ? '{started: true}'
      : readiness.kind === 'log'
        ? `{log: ${quoted(readiness.pattern)}, timeout: 60s}`
        : `{http: {port: ${readiness.port}, path: ${quoted(readiness.path)}}, timeout: 60s}`;
  const lines = [
    '# What a bed is made of. Editors complete it by the schema named above.',
    `name: ${name}`,
    `description: ${count} of ${image.replace(/[^\w./:@-]/g, '')}`,
    'nodes:',
    `  - role: ${role}                 # ${role}-1, ${role}-2, …: names, hostnames, and what selectors choose`,
    `    count: ${count}`,
    `    image: ${quoted(image)}`,
    ...(command ? [`    command: ${JSON.stringify(command)}`] : []),
    ...(Object.keys(env).length > 0 ? ['    env:'] : []),
    ...Object.entries(env).map(([key, value]) => `      ${quoted(key)}: ${quoted(value)}`),
    `    readiness: ${ready}`,
    '    adapters:                      # lines of its log that become events; named groups become fields',
    `      - {source: stdout, match: {regex: ${quoted(never)}}, event: fatal.logged, optional: true}`,
    ...(recovered === undefined
      ? []
      : [
          `      - {source: stdout, match: {regex: ${quoted(recovered)}}, event: recovery.logged, optional: true}`,
        ]),
  ];
  return `${lines.join('\n')}\n`;
}

function scenarioText({ name, role, count, fault, outage, recovered, within }: StarterAnswers): string {
  const cut = Math.max(1, Math.floor(count / 4));
  const lasts = ENDS_PROCESS.has(fault) ? '' : ", for: '${outage}'";
  const then = fault === 'kill' ? ', background: true' : '';
  const what = {
    hold: 'lose their network, and get late what was sent meanwhile',
    drop: 'lose their network',
    pause: 'stand still',
    kill: 'are killed',
    restart: 'are restarted',
  }[fault];
  const recovery =
    recovered === undefined
      ? []
      : [
          '  - name: recovery',
          '    steps:',
          // A line that came before this step began is not awaited again, but counts for the check.
          "      - {name: somebody says that it is over, until: {event: recovery.logged}, within: '${within}', orElse: continue}",
        ];
  const recoveryCheck =
    recovered === undefined
      ? []
      : [
          '  - check: event-count',
          '    title: somebody says that it is over',
          '    kind: invariant',
          "    parameters: {event: recovery.logged, phase: recovery, op: '>=', value: 1}",
          '    reason: Recovery must be seen after the outage, within the time that the phase gives it.',
        ];
  const lines = [
    '# What happens, and what must hold. `npx squall schema scenario` prints the schema for editors.',
    `name: ${name}-outage`,
    `description: Some nodes ${what}; the others must live on, and all must be well afterwards.`,
    `topology: ${name}`,
    'parameters:                        # each is an option of `squall run`: --cutoff 2 --outage 10s,60s',
    `  cutoff: {type: integer, description: how many nodes, default: ${cut}, minimum: 1}`,
    `  outage: {type: duration, description: for how long, default: ${outage}}`,
    ...(recovered === undefined
      ? []
      : [`  within: {type: duration, description: how long recovery may take, default: ${within}}`]),
    '  watch: {type: duration, description: how long all are watched afterwards, default: 10s}',
    'grids:                             # points to run: all combinations of the axes',
    '  default: {axes: {}}',
    `  lengths: {axes: {outage: [5s, ${outage === '5s' ? '10s' : outage}, 60s]}}`,
    'trials: 3',
    'bed: fresh                         # a bed for each trial; images of your own are not reset',
    'phases:',
    '  - name: warm-up',
    '    steps:',
    '      - {name: settled, wait: 5s}',
    '  - name: fault',
    '    steps:',
    `      - {name: outage, fault: {kind: ${fault}, id: outage, on: 'pick(\${cutoff},${role})'${lasts}}${then}}`,
    ...recovery,
    '  - name: settle',
    '    steps:',
    "      - {name: watched, wait: '${watch}'}",
    'checks:                            # beside these: faults seen to act and to be gone, no node ended by itself',
    '  - check: no-event',
    '    title: nobody logs something fatal',
    '    kind: invariant',
    '    parameters: {event: fatal.logged}',
    '    reason: A node must get over an outage of others, and of its own, without giving up.',
    ...recoveryCheck,
  ];
  return `${lines.join('\n')}\n`;
}

function gateText({ name }: StarterAnswers): string {
  return `# What guards a release: \`npx squall gate --quick\`, \`npx squall gate --full --budget 20m\`.
name: ${name}
quick:
  - {suite: suites/${name}, must: true}
full:
  - {suite: suites/${name}, must: true}
  - {suite: suites/${name}, grid: lengths}
`;
}
