import { gatherProblems, readDocument, requireNoProblems } from '../document/index.ts';
import { GATE, type GateConfig } from './gate-config.ts';

/**
 * Reads a gate file. @throws SquallError `invalid-document` (input) that lists all its problems with their places
 */
export function parseGate(text: string, file: string): GateConfig {
  const read = readDocument(text, GATE);
  const { salvaged } = read;
  const { problems, report } = gatherProblems(read);
  for (const mode of ['quick', 'full'] as const) {
    for (const [index, entry] of (salvaged?.[mode] ?? []).entries()) {
      if (entry.mutants === undefined) continue;
      for (const key of ['grid', 'where'] as const) {
        if (entry[key] !== undefined)
          report([mode, index, key], 'mutants run at the points that claim them; expected one of the two');
      }
    }
  }
  for (const [index, bound] of (salvaged?.relative ?? []).entries()) {
    if ((bound.atMost === undefined) === (bound.margin === undefined))
      report(['relative', index], 'expected either "atMost" or "margin"');
  }
  requireNoProblems('gate', file, problems);
  return salvaged as GateConfig;
}
