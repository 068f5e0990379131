import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { z } from 'zod';

const entrySchema = z.object({
  /** Of the code and the seed: what was done by other code is not taken over. */
  key: z.string(),
  part: z.string(),
  number: z.int(),
  outcome: z.string(),
  met: z.boolean(),
  problems: z.array(z.string()),
  tookMs: z.number(),
  facts: z.record(z.string(), z.unknown()),
});

/** One attempt, done. */
export type LedgerEntry = z.output<typeof entrySchema>;

/** What was done so far, a JSON line an attempt, so that an interrupted torture goes on where it stopped. */
export class AttemptLedger {
  readonly #file: string;
  readonly #key: string;

  constructor(file: string, key: string, options: { readonly fresh: boolean }) {
    this.#file = file;
    this.#key = key;
    mkdirSync(dirname(file), { recursive: true });
    if (options.fresh) rmSync(file, { force: true });
  }

  /** Of this code and seed. A line that a crash cut off is no entry. */
  entries(): readonly LedgerEntry[] {
    if (!existsSync(this.#file)) return [];
    return readFileSync(this.#file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        const parsed = entrySchema.safeParse(parse(line));
        return parsed.success && parsed.data.key === this.#key ? [parsed.data] : [];
      });
  }

  add(entry: Omit<LedgerEntry, 'key'>): void {
    appendFileSync(this.#file, `${JSON.stringify({ key: this.#key, ...entry })}\n`);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
