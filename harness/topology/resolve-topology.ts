import { basename } from 'node:path';
import { type ReadDocument, readDocument, readDocumentFile, requireNoProblems } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import type { ImageDescription } from './image-description.ts';
import { ProblemList } from './problem-list.ts';
import { resolveDocument } from './resolve-document.ts';
import { type TopologyDocument, topologyDocument } from './schema.ts';
import type { ResolvedTopology, TopologyOverrides } from './types.ts';

export interface ResolveOptions {
  /** Descriptions of our images: variants, settings and roles are checked against them. */
  readonly images: readonly ImageDescription[];
}

/** The last texts that were read: a gate asks for few topologies, each with hundreds of overrides and seeds. */
const lastRead = new Map<string, ReadDocument<TopologyDocument>>();
const LAST_READ_MOST = 16;

/**
 * Text → document with its problems of shape; what it means is checked by `resolveTopology`. The same text may give the same
 * object, which nobody changes.
 */
export function parseTopology(text: string): ReadDocument<TopologyDocument> {
  const last = lastRead.get(text);
  if (last) return last;
  const read = readDocument(text, topologyDocument);
  lastRead.set(text, read);
  const [oldest] = lastRead.keys();
  if (lastRead.size > LAST_READ_MOST && oldest !== undefined) lastRead.delete(oldest);
  return read;
}

/**
 * Reads a topology file and fills in everything.
 * @throws SquallError (input) `topology-not-found`, or `invalid-document` with all its problems at once
 */
export function resolveTopology(
  file: string,
  overrides: TopologyOverrides,
  options: ResolveOptions,
): ResolvedTopology {
  return resolveTopologyText(readDocumentFile('topology', file), file, overrides, options);
}

/** As `resolveTopology`, from a text; `file` names it in messages. */
export function resolveTopologyText(
  text: string,
  file: string,
  overrides: TopologyOverrides,
  options: ResolveOptions,
): ResolvedTopology {
  const read = parseTopology(text);
  const problems = new ProblemList(read.problems, read.locate);
  const resolved = read.salvaged && resolveDocument(read.salvaged, overrides, options.images, problems);
  requireNoProblems('topology', file, problems.problems);
  if (!resolved)
    throw new SquallError(`topology ${file}: could not be read`, {
      code: 'invalid-document',
      blame: 'input',
    });
  return { ...resolved, name: resolved.name || basename(file).replace(/\.ya?ml$/, ''), file };
}
