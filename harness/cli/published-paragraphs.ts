/** From the source to the list: whether each paragraph of a document is reached by an entry. The other way is `findMisquotes`. */
import type { PublishedList } from './published-list.ts';

/** What begins a paragraph whatever stands before it: bullets, numbers, signs, rows of a table, the parts of a commit's message. */
const BEGINS = /^\s*(?:[•*–-]\s|\d+\.\s|⚠|Issue:|Solution:|Tests:|[^\t]*\t)/;

/** A line that ends a sentence or announces a list; the next one then begins a paragraph if it begins like a sentence. */
const ENDS = /[.:!?][)\]"”`]*\s*$/;
const BEGINS_SENTENCE = /^\s*[\p{Lu}[`_"“]/u;

/** Longer than any line of a text that is wrapped by hand: a paragraph of its own. */
const UNWRAPPED_CHARACTERS = 200;

/** Fewer words state nothing: headings, names, buttons of a page. */
const FEWEST_WORDS = 4;

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Paragraphs, bullets and table rows of a plain text, each on one line, whether its lines are wrapped or not; no headings. */
export function paragraphsOf(sourceText: string): string[] {
  const found: string[][] = [[]];
  let before = '';
  for (const line of sourceText.split('\n')) {
    const begins =
      flat(before) === '' ||
      BEGINS.test(line) ||
      Math.max(line.length, before.length) > UNWRAPPED_CHARACTERS ||
      (ENDS.test(before) && BEGINS_SENTENCE.test(line));
    if (begins) found.push([]);
    found.at(-1)?.push(line);
    before = line;
  }
  return found.map((lines) => flat(lines.join(' '))).filter((one) => one.split(' ').length >= FEWEST_WORDS);
}

/** A copied page joins words where it showed code: `_swarm_cacheonly ever`. */
const bare = (text: string): string => text.replace(/[\s`]+/g, '');

/**
 * One line for each paragraph of the source in which no entry of the list begins, spaces and backticks aside. Asks nothing of a
 * list without paragraphs. An entry stands for its whole paragraph: that it names all the rules in it is for a reader to judge.
 */
export function findUnlisted(published: PublishedList, sourceText: string): string[] {
  if (published.paragraphs.length === 0) return [];
  const paragraphs = paragraphsOf(sourceText);
  const text = paragraphs.map(bare).join('');
  const starts = published.paragraphs.flatMap(({ opens }) => placesOf(bare(opens), text));
  let end = 0;
  return paragraphs.flatMap((paragraph) => {
    const first = end;
    end += bare(paragraph).length;
    return starts.some((at) => at >= first && at < end)
      ? []
      : [`no entry for the paragraph "${paragraph.slice(0, 90)}"`];
  });
}

function placesOf(words: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) places.push(at);
  return places;
}
