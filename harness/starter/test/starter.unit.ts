import { expect } from 'chai';
import { parse } from 'yaml';
import { SquallError } from '../../errors/index.ts';
import { parseGate } from '../../gate/index.ts';
import { readImages } from '../../image/index.ts';
import { parseScenario } from '../../scenario/index.ts';
import { resolveTopologyText } from '../../topology/index.ts';
import {
  askAnswers,
  QUESTIONS,
  type RawAnswers,
  readAnswers,
  STARTER_FAULTS,
  starterFiles,
} from '../index.ts';

const IMAGES = readImages();
const IMAGE = 'registry.example/team/app:1.2';

function textOf(raw: Partial<RawAnswers>, path: RegExp): string {
  const found = starterFiles(readAnswers({ image: IMAGE, ...raw })).find((file) => path.test(file.path));
  return found?.text ?? '';
}

function topologyOf(raw: Partial<RawAnswers>) {
  return resolveTopologyText(textOf(raw, /^topologies/), 'app.yaml', {}, { images: IMAGES });
}

function scenarioOf(raw: Partial<RawAnswers>) {
  return parseScenario(textOf(raw, /^suites/), 'outage.scenario.yaml', { suite: 'app' });
}

describe('a starter', () => {
  it('has files that every room reads, whatever fault was chosen', () => {
    for (const fault of STARTER_FAULTS) {
      const scenario = scenarioOf({ fault });
      const [step] = scenario.phases.find(({ name }) => name === 'fault')?.steps ?? [];
      expect(step).to.have.nested.property('fault.kind', fault);
      expect(topologyOf({ fault }).nodes.map(({ name }) => name)).to.deep.equal([
        'node-1',
        'node-2',
        'node-3',
      ]);
      expect(parseGate(textOf({ fault }, /^gate/), 'gate.yaml').quick[0]).to.include({ suite: 'suites/app' });
    }
  });

  it('has a topology that editors complete by the schema of the Squall that is there', () => {
    const firstLine = (schema?: string): string | undefined =>
      starterFiles(readAnswers({ image: IMAGE }), schema === undefined ? {} : { schema })[0]?.text.split(
        '\n',
      )[0];
    expect(firstLine()).to.equal(
      '# yaml-language-server: $schema=../node_modules/squall/topologies/topology.schema.json',
    );
    expect(firstLine('./a.json')).to.equal('# yaml-language-server: $schema=./a.json');
  });

  it('has a package with this Squall where the project has none, and no other file for it', () => {
    const paths = (squall?: string): string[] =>
      starterFiles(readAnswers({ image: IMAGE }), squall === undefined ? {} : { squall }).map(
        ({ path }) => path,
      );
    expect(paths('0.1.0')).to.deep.equal(['package.json', ...paths()]);
    const [made] = starterFiles(readAnswers({ image: IMAGE }), { squall: '0.1.0' });
    expect(JSON.parse(made?.text ?? '')).to.deep.include({
      name: 'app-under-fire',
      private: true,
      devDependencies: { squall: '0.1.0' },
    });
  });

  it('does what was answered', () => {
    const raw = {
      count: 8,
      role: 'server',
      env: { 'A B': '{addresses:server}' },
      command: ['run', '--x: y'],
    };
    const { nodes } = topologyOf({ ...raw, ready: 'http:8080/health?x=1' });
    expect(nodes).to.have.length(8);
    expect(nodes[0]?.image).to.deep.equal({ kind: 'reference', reference: IMAGE });
    expect(nodes[0]?.command).to.deep.equal(['run', '--x: y']);
    expect(nodes[0]?.readiness).to.include({ kind: 'http', port: 8080, path: '/health?x=1' });
    expect(nodes[0]?.environment).to.have.property('A B');
    const scenario = scenarioOf({ ...raw, outage: '90s', within: '5m', recovered: 'back "again"' });
    expect(scenario.parameters['outage']?.default).to.equal('90s');
    expect(scenario.parameters['cutoff']?.default).to.equal(2);
    expect(scenario.checks.map(({ title }) => title)).to.include('somebody says that it is over');
    expect(topologyOf({ recovered: 'back "again"' }).nodes[0]?.adapters[1]?.match.expression).to.equal(
      'back "again"',
    );
    expect(scenarioOf({}).checks.map(({ title }) => title)).not.to.include('somebody says that it is over');
  });

  it('takes texts as texts, whatever they look like', () => {
    const hostile = `a: "b"\n- c # '\u0001 \${cutoff}`;
    const { nodes } = topologyOf({
      env: { [hostile]: hostile },
      command: [hostile],
      ready: 'log:[\\s"\'#:]+',
    });
    expect(nodes[0]?.command).to.deep.equal([hostile]);
    expect(nodes[0]?.readiness).to.include({ pattern: '[\\s"\'#:]+' });
  });

  it('has a workflow that runs the gate and keeps the reports', () => {
    for (const [workflow, path] of [
      ['github', /workflows\/squall/],
      ['gitlab', /gitlab/],
    ] as const) {
      const text = textOf({ workflow }, path);
      expect(parse(text), workflow).to.be.an('object');
      expect(text).to.contain('npx squall gate --full --budget 20m --yes').and.contain('reports/');
    }
    expect(starterFiles(readAnswers({ image: IMAGE }))).to.have.length(3);
  });

  for (const [what, raw, expected] of [
    ['image', { image: 'two words' }, 'registry.example/app:1.2'],
    ['image', { image: ' ' }, 'registry.example/app:1.2'],
    ['name', { name: '../etc' }, 'small letters'],
    ['role', { role: 'A' }, 'small letters'],
    ['count', { count: 0 }, '1 to 250'],
    ['count', { count: Number.NaN }, '1 to 250'],
    ['ready', { ready: 'http:99999/' }, 'http:PORT/PATH'],
    ['ready', { ready: 'log:(' }, 'regular expression'],
    ['fault', { fault: 'flood' }, 'drop'],
    ['outage', { outage: 'long' }, '10s'],
    ['outage', { outage: '0s' }, '10s'],
    ['never', { never: '[' }, 'regular expression'],
    ['workflow', { workflow: 'jenkins' }, 'github'],
  ] as const) {
    it(`refuses ${what} ${JSON.stringify(Object.values(raw)[0])} and says what is possible`, () => {
      const make = (): unknown => readAnswers({ image: IMAGE, ...raw });
      expect(make).to.throw(SquallError, `--${what}`);
      expect(make).to.throw(expected);
    });
  }

  it('asks what was not answered, and takes the default for an empty answer', async () => {
    const asked: string[] = [];
    const said = [IMAGE, '', 'log:up', 'pause', '', 'gitlab'];
    const answers = await askAnswers({}, async (text) => {
      asked.push(text);
      return said[asked.length - 1] ?? '';
    });
    expect(asked).to.have.length(QUESTIONS.length);
    expect(asked[1]).to.match(/\[3\]: $/);
    const read = readAnswers({ image: '', ...answers });
    expect(read).to.include({ image: IMAGE, name: 'app', count: 3, fault: 'pause', workflow: 'gitlab' });
    expect(read).not.to.have.property('recovered');
    const rest = await askAnswers(
      { image: IMAGE, count: 5, ready: 'started', fault: 'hold', recovered: 'x' },
      async (text) => {
        expect(text).to.contain('CI');
        return 'github';
      },
    );
    expect(rest.workflow).to.equal('github');
  });
});
