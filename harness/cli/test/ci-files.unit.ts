import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';
import { strategies } from '../../engine/strategies.ts';
import { gitlabWorkflow } from '../../starter/workflows.ts';
import { splitWords } from '../commands/attach.ts';
import { PROJECT } from './guide-commands.ts';
import { parseCall } from './parse-call.ts';

interface Job {
  readonly extends?: string;
  readonly image?: string;
  readonly services?: readonly { readonly name: string; readonly alias: string }[];
  readonly variables?: Readonly<Record<string, string>>;
  readonly script?: readonly string[];
  readonly artifacts?: { readonly when: string; readonly paths: readonly string[] };
}
type Pipeline = Readonly<Record<string, Job>>;

const gitlab = parse(readFileSync(join(PROJECT, 'docs/ci/gitlab-ci.yml'), 'utf8')) as Pipeline;
const written = parse(gitlabWorkflow()) as Pipeline;

/** A job with what it extends, as GitLab merges them: variables one by one, all else by its key. */
function whole(pipeline: Pipeline, name: string): Job {
  const job = pipeline[name];
  if (!job) throw new Error(`no job or template ${name}`);
  if (job.extends === undefined) return job;
  const base = whole(pipeline, job.extends);
  return { ...base, ...job, variables: { ...base.variables, ...job.variables } };
}

/** The engine that Squall looks for with these variables. */
function engineOf({ variables = {} }: Job) {
  const [named] = strategies(variables, '/nowhere/docker.sock');
  return named?.endpoints[0];
}

const jobsOf = (pipeline: Pipeline): string[] =>
  Object.keys(pipeline).filter((name) => whole(pipeline, name).script !== undefined);

describe('the pipelines for GitLab', function () {
  this.timeout(60_000);

  for (const [file, pipeline] of [
    ['docs/ci/gitlab-ci.yml', gitlab],
    ['what `squall init` writes', written],
  ] as const) {
    it(`of ${file} have jobs whose commands there are`, async () => {
      expect(jobsOf(pipeline)).to.not.deep.equal([]);
      for (const name of jobsOf(pipeline)) {
        const { script = [], image, artifacts } = whole(pipeline, name);
        expect(image, name).to.match(/^node:20/);
        expect(artifacts, name).to.include({ when: 'always' });
        expect(script[0], name).to.equal('npm ci');
        for (const line of script.slice(1)) {
          expect(line, name).to.match(/^npx squall /);
          const call = line.replace('$CI_NODE_INDEX', '1').replace('$CI_NODE_TOTAL', '3');
          await parseCall(splitWords(call.replace('npx squall ', '')));
        }
        const verbs = script.slice(1).map((line) => line.split(' ')[2]);
        expect(verbs.indexOf('engine'), `${name}: an engine, before it is asked for`).to.equal(0);
        expect(verbs.at(-1), name).to.equal('gate');
      }
    });

    it(`of ${file} reach the docker:dind service over TLS, with the certificates that it shares`, () => {
      for (const name of jobsOf(pipeline)) {
        const job = whole(pipeline, name);
        expect(job.services, name).to.deep.equal([{ name: 'docker:28-dind', alias: 'docker' }]);
        expect(engineOf(job), name).to.deep.equal({
          endpoint: 'tcp://docker:2376',
          tls: true,
          certificatesDir: `${job.variables?.['DOCKER_TLS_CERTDIR']}/client`,
        });
      }
    });
  }

  it('reach the service without TLS, where a job extends that', () => {
    const job = whole(gitlab, '.squall-service');
    expect(job.services?.map(({ alias }) => alias)).to.deep.equal(['docker']);
    expect(engineOf(job)).to.deep.equal({ endpoint: 'tcp://docker:2375', tls: false });
    // The service listens without TLS only when it is told that it has no folder for certificates.
    expect(job.variables?.['DOCKER_TLS_CERTDIR']).to.equal('');
  });

  it('name no engine, where a job extends the embedded one', () => {
    const job = whole(gitlab, '.squall-embedded');
    expect(job.services).to.deep.equal([]);
    expect(engineOf(job)).to.equal(undefined);
  });
});
