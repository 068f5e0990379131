import { formatPath, readDocument } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import { FAULT_KINDS } from '../fault/index.ts';
import { ENTRY, type TimelineEntry } from './incident-schema.ts';
import { readCsv, readJsonLines, type TableRow } from './read-table.ts';

/** Columns that are an entry's own; every other one is a setting of the fault. */
const ENTRY_KEYS = ['at', 'until', 'for', 'error', 'note', 'lift', 'outage', 'restart', 'join'];
/** Other names that people give to them. */
const ALIASES: Readonly<Record<string, string>> = {
  time: 'at',
  start: 'at',
  end: 'until',
  duration: 'for',
  what: 'kind',
};
const FAULT_KEYS = ['id', 'from', 'to', 'direction', 'protocol'];

export interface ImportedEntries {
  readonly entries: readonly { readonly entry: TimelineEntry; readonly line: number }[];
  readonly problems: readonly { readonly line: number; readonly message: string }[];
}

/**
 * Entries from a CSV or JSON lines text. A row has `at`, what happened (`kind`: a fault, or outage, restart, join, lift,
 * note) and `on`; JSON lines may also hold an entry as it stands in the timeline. Nothing is thrown.
 */
export function importEntries(file: string, text: string): ImportedEntries {
  let rows: readonly TableRow[];
  try {
    rows = /\.csv$/i.test(file) ? readCsv(text) : readJsonLines(text);
  } catch (error) {
    if (!(error instanceof SquallError) || error.code !== 'bad-table') throw error;
    const message = error.message.replace(/^line \d+: /, '');
    return { entries: [], problems: [{ line: Number(error.facts['line'] ?? 1), message }] };
  }
  const entries: { entry: TimelineEntry; line: number }[] = [];
  const problems: { line: number; message: string }[] = [];
  for (const { line, fields } of rows) {
    const entry = entryOf(fields);
    if (typeof entry === 'string') {
      problems.push({ line, message: entry });
      continue;
    }
    const read = readDocument(JSON.stringify(entry), ENTRY);
    for (const { path, message } of read.problems) {
      problems.push({ line, message: `${path.length > 0 ? `${formatPath(path)}: ` : ''}${message}` });
    }
    if (read.value) entries.push({ entry: read.value, line });
  }
  return { entries, problems };
}

/** A row as an entry, or what is wrong with it. */
function entryOf(row: Readonly<Record<string, unknown>>): Record<string, unknown> | string {
  const fields = Object.fromEntries(Object.entries(row).map(([key, value]) => [ALIASES[key] ?? key, value]));
  const { kind, on, ...rest } = fields;
  if (kind === undefined) return on === undefined ? fields : '"on" without "kind": what happened to them?';
  if (kind === 'note') return { ...rest, note: rest['note'] ?? String(on ?? '') };
  if (kind === 'outage' || kind === 'restart' || kind === 'join') return { ...rest, [kind]: on };
  if (kind === 'lift') return { ...rest, lift: rest['lift'] ?? on };
  if (!FAULT_KINDS.includes(kind as never)) {
    return `kind "${String(kind)}" is not known; expected outage, restart, join, lift, note or a fault (${FAULT_KINDS.join(', ')})`;
  }
  const own = Object.entries(rest).filter(([key]) => ENTRY_KEYS.includes(key));
  const link = Object.entries(rest).filter(([key]) => FAULT_KEYS.includes(key));
  const settings = Object.entries(rest).filter(
    ([key]) => !ENTRY_KEYS.includes(key) && !FAULT_KEYS.includes(key),
  );
  const fault = { kind, ...(on !== undefined && { on }), ...Object.fromEntries([...link, ...settings]) };
  return { ...Object.fromEntries(own), fault };
}
