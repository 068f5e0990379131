import { SquallError } from '../errors/index.ts';

/** A row of a file with the line it begins on, 1-based. */
export interface TableRow {
  readonly line: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

const MAX_ROWS = 10_000;

/**
 * Rows of a CSV text (RFC 4180, a header first; commas, semicolons or tabs, as the header has them). Empty fields are
 * left out. @throws SquallError `bad-table` (input) with the line
 */
export function readCsv(text: string): TableRow[] {
  const records = csvRecords(text, separatorOf(text));
  const header = records.shift();
  if (!header) throw badTable(1, 'the file is empty; expected a header and rows');
  const names = header.fields.map((name) => name.trim());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw badTable(1, `the column "${twice}" stands twice`);
  return bounded(records).map(({ line, fields }) => {
    if (fields.length !== names.length) {
      throw badTable(line, `${fields.length} fields found; expected ${names.length}, as in the header`);
    }
    const pairs = names.map((name, index) => [name, (fields[index] ?? '').trim()] as const);
    return { line, fields: Object.fromEntries(pairs.filter(([, value]) => value !== '')) };
  });
}

/** Objects of JSON lines; empty lines are passed over. @throws SquallError `bad-table` (input) with the line */
export function readJsonLines(text: string): TableRow[] {
  const lines = text.split('\n').map((content, index) => ({ content, line: index + 1 }));
  return bounded(lines.filter(({ content }) => content.trim() !== '')).map(({ content, line }) => {
    let value: unknown;
    try {
      value = JSON.parse(content);
    } catch (error) {
      throw badTable(line, `no JSON (${(error as Error).message})`);
    }
    if (value === null || typeof value !== 'object' || Array.isArray(value)) {
      throw badTable(line, 'expected an object');
    }
    return { line, fields: value as Record<string, unknown> };
  });
}

function bounded<T extends { readonly line: number }>(rows: readonly T[]): readonly T[] {
  const over = rows[MAX_ROWS];
  if (over) throw badTable(over.line, `more than ${MAX_ROWS} rows`);
  return rows;
}

function separatorOf(text: string): string {
  const header = text.slice(0, Math.max(0, text.search(/[\r\n]|$/)));
  return [';', '\t'].find((mark) => header.includes(mark) && !header.includes(',')) ?? ',';
}

/** Fields of each record. A quoted field may hold separators, line ends and doubled quotes. */
function csvRecords(text: string, separator: string): { line: number; fields: string[] }[] {
  const records: { line: number; fields: string[] }[] = [];
  const source = text.replace(/^\uFEFF/, '');
  let at = 0;
  let line = 1;
  while (at < source.length) {
    const record = { line, fields: [] as string[] };
    for (;;) {
      const field = source[at] === '"' ? quotedField(source, at, line) : plainField(source, at, separator);
      record.fields.push(field.value);
      line += field.value.split('\n').length - 1;
      at = field.end;
      if (source[at] !== separator) break;
      at += 1;
    }
    if (source[at] === '\r') at += 1;
    if (at < source.length && source[at] !== '\n') throw badTable(line, 'text after a closing quote');
    at += 1;
    line += 1;
    if (record.fields.some((field) => field.trim() !== '')) records.push(record);
  }
  return records;
}

function plainField(text: string, start: number, separator: string): { value: string; end: number } {
  let end = start;
  while (end < text.length && text[end] !== separator && text[end] !== '\n' && text[end] !== '\r') end += 1;
  return { value: text.slice(start, end), end };
}

function quotedField(text: string, start: number, line: number): { value: string; end: number } {
  let value = '';
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] !== '"') value += text[at];
    else if (text[at + 1] === '"') {
      value += '"';
      at += 1;
    } else return { value, end: at + 1 };
  }
  throw badTable(line, 'a quote is never closed');
}

function badTable(line: number, problem: string): SquallError {
  return new SquallError(`line ${line}: ${problem}`, { code: 'bad-table', blame: 'input', facts: { line } });
}
