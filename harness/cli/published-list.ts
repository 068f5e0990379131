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

const list = z.strictObject({
  document: z.string(),
  note: z.string(),
  values: z.array(value).min(1),
  lost: z.array(z.strictObject({ what: z.string(), where: z.string() })),
  chosen: z.array(z.strictObject({ name: z.string(), value: z.string(), reason: z.string() })),
});

/** What a suite says of its source document: its figures, the table cells that our copy lost, and what we chose. */
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
  '0': 'no|none|zero',
  '1': 'one|single',
  '2': 'two',
  '10': 'ten',
};

/** Whether a quote states the value: each number in it stands there, with or without thousands separators, or in words. */
function states(quote: string, published: string | number): boolean {
  const numbers = String(published).match(/\d+(?:\.\d+)*/g) ?? [];
  const plain = quote.replace(/(\d),(?=\d{3})/g, '$1');
  return numbers.every(
    (number) =>
      new RegExp(`(?<![\\d.])${number.replace('.', '\\.')}(?![\\d]|\\.\\d)`).test(plain) ||
      (IN_WORDS[number] !== undefined && new RegExp(`\\b(${IN_WORDS[number]})\\b`, 'i').test(quote)),
  );
}

/** One line for each value of the list whose words are not in the text, or whose words do not state it. */
export function findMisquotes(published: PublishedList, sourceText: string): string[] {
  const text = flat(sourceText);
  return published.values.flatMap((entry) => {
    if (!text.includes(flat(entry.quote))) return [`${entry.id}: the source does not say "${entry.quote}"`];
    if (!states(entry.quote, entry.value))
      return [`${entry.id}: its words do not state ${entry.value} ("${entry.quote}")`];
    return [];
  });
}
