import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { SquallError } from '../errors/index.ts';

const value = z.strictObject({
  id: z.string(),
  label: z.string(),
  value: z.union([z.number(), z.string()]),
  unit: z.string(),
  where: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  measure: z.string().optional(),
  quote: z.string().min(8),
});

/** A rule of the suite: the words that state it, or where else it is from. */
const rule = z.union([
  z.strictObject({ rule: z.string(), quote: z.string().min(8) }),
  z.strictObject({ rule: z.string(), elsewhere: z.string().min(8) }),
]);

/** A paragraph of the document, by words of its beginning: the rules that it states, or why it is none of ours. */
const paragraph = z.union([
  z.strictObject({ opens: z.string().min(8), rules: z.array(z.string()).min(1) }),
  z.strictObject({ opens: z.string().min(8), outOfScope: z.string().min(8) }),
]);

const list = z.strictObject({
  document: z.string(),
  note: z.string(),
  values: z.array(value).min(1),
  /** What the document asks for, of a suite that has a list of it. */
  rules: z.array(rule).default([]),
  /** Of a suite that has a list of rules: where in the document each is, and what of it has none. */
  paragraphs: z.array(paragraph).default([]),
  /** Nothing, of a document whose copy is whole. */
  lost: z.array(z.strictObject({ what: z.string(), where: z.string() })).default([]),
  chosen: z.array(z.strictObject({ name: z.string(), value: z.string(), reason: z.string() })),
});

/** What a suite says of its source document: its figures, the words of its rules, the table cells that our copy lost, and what we chose. */
export type PublishedList = z.infer<typeof list>;

/** Reads `published.json` of a suite. @throws SquallError `bad-published-list` (input) */
export function readPublishedList(file: string): PublishedList {
  const parsed = list.safeParse(JSON.parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new SquallError(`${file}: is not a list of published values: ${z.prettifyError(parsed.error)}`, {
    code: 'bad-published-list',
    blame: 'input',
  });
}

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Words for the small numbers that a document writes out. */
const IN_WORDS: Readonly<Record<string, string>> = {
  '0': 'no|none|zero|immediate',
  '1': 'one|single|an? (?=hour|minute)',
  '2': 'two|twice',
  '3': 'three|third',
  '8': 'eight',
  '10': 'ten',
  '12': 'twelve',
};

/** Of a value with numbers these only join them: `1,236 and 48` of "1,236 tests, 48 of them new". */
const JOINING = ['and', 'or', 'of', 'to'];

/**
 * Whether a quote states the value. Of a value with numbers each number stands there, with or without thousands separators, or
 * in words, and so does each of its own words; a value without numbers stands there as it is.
 */
export function states(quote: string, published: string | number): boolean {
  const value = withoutSeparators(flat(String(published)));
  const text = withoutSeparators(flat(quote));
  const numbers = value.match(/\d+(?:\.\d+)*/g) ?? [];
  if (numbers.length === 0) return text.toLowerCase().includes(value.toLowerCase());
  const words = value.match(/(?<![\p{L}\d])\p{L}{2,}/gu) ?? [];
  return (
    numbers.every(
      (number) =>
        new RegExp(`(?<![\\d.])${number.replaceAll('.', '\\.')}(?!\\d|\\.\\d)`).test(text) ||
        (IN_WORDS[number] !== undefined && new RegExp(`\\b(${IN_WORDS[number]})\\b`, 'i').test(text)),
    ) && words.every((word) => JOINING.includes(word) || new RegExp(`\\b${word}\\b`, 'i').test(text))
  );
}

function withoutSeparators(text: string): string {
  return text.replace(/(\d),(?=\d{3})/g, '$1');
}

/** One line for each value, rule or paragraph of the list whose words are not in the text, and for each value that its words do not state. */
export function findMisquotes(published: PublishedList, sourceText: string): string[] {
  const text = flat(sourceText);
  const values = published.values.flatMap((entry) => {
    if (!text.includes(flat(entry.quote))) return [`${entry.id}: the source does not say "${entry.quote}"`];
    if (!states(entry.quote, entry.value))
      return [`${entry.id}: its words do not state ${entry.value} ("${entry.quote}")`];
    return [];
  });
  const rules = published.rules.flatMap((entry) =>
    'quote' in entry && !text.includes(flat(entry.quote))
      ? [`rule ${entry.rule}: the source does not say "${entry.quote}"`]
      : [],
  );
  const paragraphs = published.paragraphs.flatMap(({ opens }) =>
    text.includes(flat(opens)) ? [] : [`the source has no paragraph "${opens}"`],
  );
  return [...values, ...rules, ...paragraphs];
}
