import { z } from 'zod';
import {
  gatherProblems,
  type ProblemPath,
  type Report,
  readDocument,
  requireNoProblems,
} from '../document/index.ts';
import { interpolate } from './interpolate.ts';

/** A service as it is written, variables replaced and merge keys (`<<`) taken in. */
export type ComposeService = Readonly<Record<string, unknown>>;

export interface ComposeFile {
  readonly name: string | undefined;
  readonly services: Readonly<Record<string, ComposeService>>;
  /** Line of a path, for what is told about it. */
  readonly lineOf: (path: ProblemPath) => number | undefined;
}

const DOCUMENT = z.looseObject({
  name: z.string().optional(),
  services: z.record(z.string(), z.looseObject({})),
});

/**
 * Reads a compose file. Variables have the values given, or their defaults: neither this machine's environment nor an
 * `.env` file is looked at.
 * @throws SquallError `invalid-document` (input) with every problem
 */
export function readCompose(
  text: string,
  file: string,
  variables: Readonly<Record<string, string>>,
): ComposeFile {
  const read = readDocument(text, DOCUMENT);
  const { problems, report } = gatherProblems(read);
  const services = Object.fromEntries(
    Object.entries(read.salvaged?.services ?? {}).map(([name, service]) => {
      const path = ['services', name];
      return [name, filled(withMerged(service), path, variables, report) as ComposeService];
    }),
  );
  if (problems.length === 0 && Object.keys(services).length === 0) report(['services'], 'no service in it');
  requireNoProblems('compose file', file, problems);
  return { name: read.value?.name, services, lineOf: (path) => read.locate(path)?.line };
}

function filled(
  value: unknown,
  path: ProblemPath,
  variables: Readonly<Record<string, string>>,
  report: Report,
): unknown {
  if (typeof value === 'string') {
    return interpolate(value, variables, (message) => report(path, message));
  }
  if (Array.isArray(value))
    return value.map((item, index) => filled(item, [...path, index], variables, report));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, filled(inner, [...path, key], variables, report)]),
  );
}

/** YAML 1.2 has no merge keys; compose files have. Own keys win; of several sources, the first. */
function withMerged(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMerged);
  if (value === null || typeof value !== 'object') return value;
  const { '<<': merged, ...own } = value as Record<string, unknown>;
  const sources = (Array.isArray(merged) ? merged : [merged]).map(withMerged).reverse();
  const taken = Object.assign(
    {},
    ...sources.filter((one) => one !== null && typeof one === 'object'),
  ) as object;
  return {
    ...taken,
    ...Object.fromEntries(Object.entries(own).map(([key, inner]) => [key, withMerged(inner)])),
  };
}
