import type { RawAnswers } from './answers.ts';

/** Asked of a person in this order; an empty answer takes the default. */
export interface Question {
  readonly key: Exclude<keyof RawAnswers, 'command' | 'env' | 'role' | 'outage' | 'within' | 'never'>;
  readonly text: string;
  /** What stands for an empty answer. */
  readonly byDefault: (answers: Partial<RawAnswers>) => string;
}

export const QUESTIONS: readonly Question[] = [
  { key: 'image', text: 'Your image, as a container engine knows it', byDefault: () => '' },
  { key: 'count', text: 'How many nodes of it', byDefault: () => '3' },
  {
    key: 'ready',
    text: 'When is a node ready: started, log:REGEX or http:PORT/PATH',
    byDefault: () => 'started',
  },
  {
    key: 'fault',
    text: 'What happens to some of them: drop, hold, pause, kill or restart',
    byDefault: () => 'drop',
  },
  {
    key: 'recovered',
    text: 'What does a node log when it has got over it (a regular expression; nothing when it says nothing)',
    byDefault: () => '',
  },
  { key: 'workflow', text: 'A workflow for which CI: github, gitlab or none', byDefault: () => 'none' },
];

/** Asks what has not been answered. */
export async function askAnswers(
  given: Partial<RawAnswers>,
  ask: (text: string) => Promise<string>,
): Promise<Partial<RawAnswers>> {
  let answers = given;
  for (const { key, text, byDefault } of QUESTIONS) {
    if (answers[key] !== undefined) continue;
    const fallback = byDefault(answers);
    const said = (await ask(`${text}${fallback === '' ? '' : ` [${fallback}]`}: `)).trim() || fallback;
    answers = { ...answers, [key]: key === 'count' ? Number(said) : said };
  }
  return answers;
}
