import type { PlanRecord } from '../record/index.ts';

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** The command that repeats a run: what was called, with the seed made explicit, quoted for a shell. */
export function repeatCommand({ command, seed }: Pick<PlanRecord, 'command' | 'seed'>): string {
  const seeded = command.some((argument) => argument === '--seed' || argument.startsWith('--seed='));
  const once = command.filter((argument) => argument !== '--resume');
  return ['npx', 'squall', ...once, ...(seeded ? [] : ['--seed', seed])].map(quote).join(' ');
}

function quote(argument: string): string {
  return PLAIN.test(argument) ? argument : `'${argument.replaceAll("'", `'\\''`)}'`;
}
