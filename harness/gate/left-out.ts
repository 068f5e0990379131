import { countOf } from '../check/index.ts';
import { formatDurationMs } from '../units/index.ts';
import type { GateResult } from './gate-result.ts';

type LeftOut = GateResult['leftOut'];

/** What a budget left out of one scenario: a small budget leaves out hundreds of parts of few scenarios. */
interface LeftOutOf {
  /** `suite/scenario` */
  readonly scenario: string;
  readonly parts: LeftOut;
}

/** By scenario, in the order of the plan. */
function byScenario(leftOut: LeftOut): LeftOutOf[] {
  const groups = new Map<string, LeftOut[number][]>();
  for (const part of leftOut) {
    const [scenario = ''] = part.id.split(' ', 1);
    groups.set(scenario, [...(groups.get(scenario) ?? []), part]);
  }
  return [...groups].map(([scenario, parts]) => ({ scenario, parts }));
}

/** A sentence a scenario, in which every part has its name and all of them what they would have added. */
export function leftOutSentences(leftOut: LeftOut): string[] {
  return byScenario(leftOut).map(({ scenario, parts }) => {
    const addsMs = parts.reduce((sum, part) => sum + part.addsMs, 0);
    const about = `(about ${formatDurationMs(addsMs)})`;
    if (parts.length === 1) return `left out, the budget has no room for it ${about}: ${parts[0]?.id}`;
    const names = parts.map(({ id }) => id.slice(scenario.length + 1)).join('; ');
    return `left out, the budget has no room for ${countOf(parts.length, 'part')} of ${scenario} ${about}: ${names}`;
  });
}

/** The same without the names of parts, for where there is little room. */
export function leftOutInBrief(leftOut: LeftOut): string {
  return byScenario(leftOut)
    .map(({ scenario, parts }) =>
      parts.length === 1 ? parts[0]?.id : `${countOf(parts.length, 'part')} of ${scenario}`,
    )
    .join('; ');
}
