import { expect } from 'chai';
import { SquallError } from '../../errors/index.ts';
import { resolveTopologyText } from '../../topology/index.ts';
import { importCompose } from '../index.ts';
import { interpolate } from '../interpolate.ts';
import { splitCommand } from '../split-command.ts';

const COMPOSE = `
name: Shop
x-common: &common
  restart: unless-stopped
  environment: {LOG: info}
services:
  db:
    <<: *common
    image: registry.example/db:\${DB_VERSION:-15}
    environment:
      - POSTGRES_DB=shop
      - HOME
    mem_limit: 256m
    volumes: ['data:/var/lib/db']
  Web_App:
    <<: *common
    build: .
    command: serve --name "my shop" --json '{"a":1}'
    ports: ['127.0.0.1:8080:80/tcp', {target: 9100, published: 9100}]
    depends_on: {db: {condition: service_started}}
    healthcheck: {test: ['CMD', 'curl', '-f', 'http://localhost:80/health'], start_period: 90s}
    deploy: {replicas: 3, resources: {limits: {cpus: '0.5', memory: 64M}}}
  worker:
    image: registry.example/worker
    healthcheck: {test: pg_isready}
`;

describe('a compose file as a topology', () => {
  const imported = () =>
    importCompose(COMPOSE, 'docker-compose.yaml', { images: { Web_App: 'registry.example/web:2' } });

  it('can be resolved: services as nodes of their names, with limits, ports, readiness and order', () => {
    const { nodes, name } = resolveTopologyText(imported().text, 'shop.yaml', {}, { images: [] });
    expect(name).to.equal('shop');
    expect(nodes.map((node) => node.name)).to.deep.equal([
      'db',
      'web-app-1',
      'web-app-2',
      'web-app-3',
      'worker',
    ]);
    const [db, web] = nodes;
    expect(db!.image).to.deep.equal({ kind: 'reference', reference: 'registry.example/db:15' });
    expect(db!.environment).to.include({ POSTGRES_DB: 'shop' }).and.not.have.property('HOME');
    expect(db!.resources.memoryBytes).to.equal(256 * 1024 ** 2);
    expect(web!.environment).to.include({ LOG: 'info' });
    expect(web!.command).to.deep.equal(['serve', '--name', 'my shop', '--json', '{{"a":1}}']);
    expect(web!.ports).to.deep.equal({ p80: 80, p9100: 9100 });
    expect(web!.readiness).to.include({ kind: 'http', port: 80, path: '/health', timeoutMs: 90_000 });
    expect(web!.after).to.deep.equal(['db']);
    expect(web!.resources).to.include({ cpus: 0.5, memoryBytes: 64 * 1024 ** 2 });
  });

  it('tells what it could not carry over, with its line', () => {
    const notes = imported().notes.join('\n');
    for (const told of [
      'docker-compose.yaml:14 services.db.volumes: is not carried over',
      'HOME comes from the environment and is left out',
      'its role is "web-app"',
      'its 3 nodes are web-app-1 to web-app-3',
      'services.worker.healthcheck: asks no address',
    ]) {
      expect(notes).to.include(told);
    }
    expect(imported().text).to.match(/^# What docker-compose.yaml says/);
  });

  it('refuses to build, and variables that have no value', () => {
    const problem = (text: string): SquallError => {
      try {
        importCompose(text, 'c.yaml');
      } catch (error) {
        if (error instanceof SquallError) return error;
        throw error;
      }
      throw new Error('taken');
    };
    expect(problem(COMPOSE)).to.include({ code: 'no-image', blame: 'input' });
    expect(problem('services: {a: {image: "x:${TAG}"}}').message).to.match(
      /c\.yaml:1:\d+ services\.a\.image: \$\{TAG\} has no value/,
    );
    expect(problem('services: {a: {image: "x:${TAG:?say which}"}}').message).to.include('(say which)');
    expect(problem('services: {}').message).to.include('no service in it');
    expect(problem('a: 1').message).to.include('services: missing');
  });
});

describe('compose variables and commands', () => {
  for (const [text, expected] of [
    ['$A-${A}', 'one-one'],
    ['${B:-two}', 'two'],
    ['${E:-two}', 'two'],
    ['${E-two}', ''],
    ['${B:-${A}!}', 'one!'],
    ['${A:+set}${B:+set}', 'set'],
    ['cost: $$5', 'cost: $5'],
  ] as const) {
    it(`${text} is ${expected}`, () => {
      const problems: string[] = [];
      expect(interpolate(text, { A: 'one', E: '' }, (problem) => problems.push(problem))).to.equal(expected);
      expect(problems).to.deep.equal([]);
    });
  }

  it('reports a dollar sign that begins no variable', () => {
    for (const text of ['a $', '${A', '${1}']) {
      const problems: string[] = [];
      interpolate(text, {}, (problem) => problems.push(problem));
      expect(problems, text).to.not.deep.equal([]);
    }
  });

  it('splits a command as a shell does', () => {
    expect(splitCommand(`a  "b c" d\\ e 'f"g' "" "h\\"i"`)).to.deep.equal([
      'a',
      'b c',
      'd e',
      'f"g',
      '',
      'h"i',
    ]);
    expect(splitCommand('a "b')).to.equal(undefined);
  });
});
