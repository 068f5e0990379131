import { type PublishedList, states } from '../../harness/cli/published-list.ts';
import { numbersIn } from './document-cells.ts';

/**
 * What keeps a cell of a README from being what its entries of the list say; undefined when nothing does. Each number of an entry
 * stands in the cell, in digits or in words, and the cell has no number beside theirs: not one of another entry either.
 * @param ids of values, or `rule NAME` for the words of a rule; none where the cell says it in words alone
 */
export function cellProblem(list: PublishedList, cell: string, ids: readonly string[]): string | undefined {
  const left = numbersIn(cell);
  const words = cell.replace(/\d+/g, '');
  for (const id of ids) {
    const value = textOf(list, id);
    if (value === undefined) return `${id} is not in the list`;
    const inWords = numbersIn(value).filter((number) => {
      const at = left.indexOf(number);
      if (at >= 0) left.splice(at, 1);
      return at < 0;
    });
    if (!inWords.every((number) => states(words, number)) || !states(cell, value))
      return `${id}, which is ${value}, does not stand there`;
  }
  return left.length > 0 ? `${left.join(', ')}: of no entry that the row is tied to` : undefined;
}

/** A rule has no value of its own: the numbers in its words are. */
function textOf({ values, rules }: PublishedList, id: string): string | undefined {
  const value = values.find((one) => one.id === id)?.value;
  if (value !== undefined) return String(value);
  const rule = rules.find((one) => `rule ${one.rule}` === id);
  return rule && 'quote' in rule ? numbersIn(rule.quote).join(' ') : undefined;
}
