import { describeCase } from './describe-case.ts';
import { pausesText } from './draw-cases.ts';
import type { Frequency, Reproduction } from './reproduce.ts';
import type { Incident } from './types.ts';

/** What reproducing an incident came to, for a console. */
export function describeReproduction(incident: Incident, result: Reproduction): string {
  const { attempts, overUnknowns, excludes, found, shrunk, kept, notKept, keptFrequency, withFix } = result;
  const tally = (['shown', 'hidden', 'void', 'refused'] as const)
    .map((outcome) => [outcome, attempts.filter((one) => one.outcome === outcome).length] as const)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`);
  const lines = [
    `incident ${incident.name}: ${attempts.length} attempts (${tally.join(', ')}), seed ${result.seed}`,
  ];
  if (!found) {
    lines.push(
      `NOT REPRODUCED. Had it shown in more than ${percent(excludes ?? 1)} of the ways it may have been, ` +
        'one of these attempts would have shown it (one-sided 95 %).',
    );
    return `${lines.join('\n')}\n`;
  }
  lines.push(
    `${notKept ? 'SEEN, but not as a regression test would need it' : 'REPRODUCED'} by: ${describeCase(found.drawn)}`,
    `  ${pausesText(found.drawn.pauses, incident.idleMs)}`,
  );
  if (overUnknowns)
    lines.push(`  over what is not known: ${frequencyText(overUnknowns)} attempts until then`);
  if (found.frequency) lines.push(`  this way: ${frequencyText(found.frequency)} fresh trials`);
  if (shrunk) {
    const { need, of } = found.oracle;
    lines.push(
      `SHRUNK in ${shrunk.asked} questions ("shown in ${need} of ${of}") to: ${describeCase(shrunk.smallest)}`,
      shrunk.minimal
        ? '  nothing of it could be taken away or made smaller any more'
        : '  the budget ended first: more could perhaps be taken away (--shrink-trials)',
    );
    if (kept === shrunk.smallest && keptFrequency)
      lines.push(`  the smallest: ${frequencyText(keptFrequency)} fresh trials`);
    if (kept && kept !== shrunk.smallest)
      lines.push('  fresh trials did not bear out the smallest; the one found is kept in its place');
  }
  if (withFix) {
    const fixes = Object.entries(incident.fix).map(([name, { after }]) => `${name} ${after}`);
    lines.push(`  with ${fixes.join(', ')}: ${frequencyText(withFix)} trials`);
  }
  if (notKept) lines.push(`  ${notKept.text}: no scenario is written (${ADVICE[notKept.because]})`);
  return `${lines.join('\n')}\n`;
}

/** What to do about a case that is not kept. */
const ADVICE = {
  chance: 'try more ways with --attempts, or another --seed',
  'fix-does-not-help': 'the fix named in the incident is not the whole of it',
} as const;

function frequencyText({ shown, counted, low, high }: Frequency): string {
  return `shown in ${shown} of ${counted} (${percent(low)} to ${percent(high)}, 95 %)`;
}

function percent(rate: number): string {
  return `${Number((rate * 100).toFixed(1))} %`;
}
