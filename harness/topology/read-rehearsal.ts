import { readDocumentFile, requireNoProblems, suggestionFor } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import { ProblemList } from './problem-list.ts';
import type { RehearsalSpec } from './rehearsal-schema.ts';
import { parseTopology } from './resolve-topology.ts';

/**
 * The `rehearsal` part of a topology file.
 * @throws SquallError (input) `topology-not-found`, `invalid-document`, or `no-rehearsal` where the file has none
 */
export function readRehearsal(file: string): RehearsalSpec {
  const read = parseTopology(readDocumentFile('topology', file));
  const problems = new ProblemList(read.problems, read.locate);
  const spec = read.salvaged?.rehearsal;
  if (spec) checkMeaning(spec, read.salvaged?.nodes.map(({ role }) => role) ?? [], problems);
  requireNoProblems('topology', file, problems.problems);
  if (spec) return spec;
  throw new SquallError(`topology ${file}: has no \`rehearsal\`; expected one that says what a wave is`, {
    code: 'no-rehearsal',
    blame: 'input',
    hint: 'See docs/rehearsals.md.',
  });
}

function checkMeaning(spec: RehearsalSpec, roles: readonly string[], problems: ProblemList): void {
  for (const side of ['candidate', 'baseline'] as const) {
    for (const [index, role] of spec[side].entries()) {
      if (!roles.includes(role))
        problems.add(['rehearsal', side, index], `no role "${role}"${suggestionFor(role, roles)}`);
    }
  }
  for (const [index, role] of spec.baseline.entries()) {
    if (spec.candidate.includes(role))
      problems.add(['rehearsal', 'baseline', index], `"${role}" is a role of the candidate already`);
  }
  if (spec.mostWaves < spec.waves) {
    problems.add(['rehearsal', 'mostWaves'], `${spec.mostWaves} is less than waves, ${spec.waves}`);
  }
}
