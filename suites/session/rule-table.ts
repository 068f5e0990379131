/** The documents' rules, each with its switch, its mutant and the course that kills it: the text of rules.md. */
import type { ScenarioSpec } from '../../harness/index.ts';
import rules from '../../images/session-client/rules.json' with { type: 'json' };
import storage from '../../images/session-storage/image.json' with { type: 'json' };

const HEAD = [
  '# Rules of both documents',
  '',
  'Each rule is a switch of an image, each mutant the final form with that switch off. Kept by `test/scenarios.unit.ts`.',
  '',
  '| rule | switch | mutant | killed by |',
  '| --- | --- | --- | --- |',
];

/** @param scenarios the suite's, with their claims */
export function ruleTable(scenarios: readonly Pick<ScenarioSpec, 'name' | 'kills'>[]): string {
  const killers = new Map(
    scenarios.flatMap(({ name, kills = [] }) =>
      kills.map(
        ({ mutant, point }) => [mutant, `\`${name}\` ${String(point?.['course'] ?? '')}`.trim()] as const,
      ),
    ),
  );
  const row = (words: string, knob: string, mutant: string): string =>
    `| ${words} | \`${knob}\` | \`${mutant}\` | ${killers.get(mutant) ?? 'nothing'} |`;
  const ofNodes = Object.entries(storage.mutants).map(([mutant, { mutates }]) =>
    row(mutates.rule, mutates.fix, mutant),
  );
  return [...HEAD, ...rules.map((rule) => row(rule.words, rule.switch, rule.mutant)), ...ofNodes, ''].join(
    '\n',
  );
}
