export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** What a part tells the outside: events for the record, and the lines that the library would log. */
export interface Tell {
  event(name: string, fields: Readonly<Record<string, unknown>>): void;
  log(level: LogLevel, line: string): void;
}
