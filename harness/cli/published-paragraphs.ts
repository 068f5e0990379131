/** From the source to the list: whether each paragraph of a document is reached by an entry. The other way is `findMisquotes`. */
import type { PublishedList } from './published-list.ts';

/** What begins a paragraph whatever stands before it: bullets, numbers, signs, rows of a table, the parts of a commit's message. */
const BEGINS = /^\s*(?:[•*–-]\s|\d+\.\s|⚠|Issue:|Solution:|Tests:|[^\t]*\t)/;

/** A line that ends a sentence or announces a list; the next one then begins a paragraph if it begins like a sentence. */
const ENDS = /[.:!?][)\]"”`]*\s*$/;
const BEGINS_SENTENCE = /^\s*[\p{Lu}[`_"“]/u;

/** Longer than any line of a text that is wrapped by hand: a paragraph of its own. */
const UNWRAPPED_CHARACTERS = 200;

/** Fewer words state nothing unless they are a sentence: headings, names, buttons of a page. */
const FEWEST_WORDS = 4;
const IS_SENTENCE = /\p{L}.*[.!]$/u;
/** What stands before the words of a bullet or of a numbered paragraph. */
const MARK = /^(?:[•*–-]|\d+\.)\s+/;

const flat = (text: string): string => text.replace(/\s+/g, ' ').trim();

/** Paragraphs, bullets and table rows of a plain text, each on one line, whether its lines are wrapped or not; no headings: fewer than four words without a full stop. */
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
  return found
    .map((lines) => flat(lines.join(' ')))
    .filter((one) => one.split(' ').length >= FEWEST_WORDS || IS_SENTENCE.test(one));
}

/** A copied page joins words where it showed code: `_swarm_cacheonly ever`. */
const bare = (text: string): string => text.replace(/[\s`]+/g, '');

/** How the paragraphs of a source are reached by the entries of a list, spaces and backticks aside; a line for each that is named. */
export interface Reached {
  /** In which no entry begins. */
  readonly unlisted: readonly string[];
  /** In which entries begin, but none at their first word: what stands before it nobody may have read. */
  readonly inTheMiddle: readonly string[];
  /** Entries whose words stand in the source more often than once: each such place counts as reached. */
  readonly repeated: readonly string[];
}

/**
 * Asks nothing of a list without paragraphs. An entry stands for its whole paragraph: that it names all the rules in it is for a
 * reader to judge.
 */
export function reachedParagraphs(published: PublishedList, sourceText: string): Reached {
  if (published.paragraphs.length === 0) return { unlisted: [], inTheMiddle: [], repeated: [] };
  const paragraphs = paragraphsOf(sourceText);
  const text = paragraphs.map(bare).join('');
  const entries = published.paragraphs.map(({ opens }) => ({ opens, places: placesOf(bare(opens), text) }));
  const starts = entries.flatMap(({ places }) => places);
  const [unlisted, inTheMiddle]: [string[], string[]] = [[], []];
  let end = 0;
  for (const paragraph of paragraphs) {
    const first = end;
    end += bare(paragraph).length;
    const within = starts.filter((at) => at >= first && at < end);
    const firstWord = end - bare(paragraph.replace(MARK, '')).length;
    const named = `"${paragraph.slice(0, 90)}"`;
    if (within.length === 0) unlisted.push(`no entry for the paragraph ${named}`);
    else if (!within.some((at) => at === first || at === firstWord)) inTheMiddle.push(named);
  }
  return {
    unlisted,
    inTheMiddle,
    repeated: entries
      .filter(({ places }) => places.length > 1)
      .map(({ opens, places }) => `"${opens}" (${places.length} places)`),
  };
}

function placesOf(words: string, text: string): number[] {
  const places: number[] = [];
  for (let at = text.indexOf(words); at >= 0; at = text.indexOf(words, at + 1)) places.push(at);
  return places;
}
