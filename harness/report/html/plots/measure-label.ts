import type { PlannedScenario } from '../../../record/index.ts';

/** `False deaths`, or `First detection (s)`: a unit that the title says already is not said twice. */
export function measureLabel(name: string, scenario: PlannedScenario): string {
  const measure = scenario.measures.find((one) => one.name === name);
  if (!measure) return name;
  const { title, unit } = measure;
  return unit === '' || title.toLowerCase().includes(unit.toLowerCase()) ? title : `${title} (${unit})`;
}
