import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { SquallError } from '../errors/index.ts';

const TAIL_LINES = 30;

/** The log of one build, kept in a file whether it works or not; its end goes into the error when it does not. */
export class BuildLog {
  readonly path: string;
  readonly #name: string;
  #tail: string[] = [];

  constructor(reportsDir: string, name: string) {
    const folder = resolve(reportsDir, 'images');
    mkdirSync(folder, { recursive: true });
    this.#name = name;
    this.path = join(folder, `${name}.log`);
    writeFileSync(this.path, '');
  }

  write(line: string): void {
    appendFileSync(this.path, `${line}\n`);
    this.#tail.push(line);
    if (this.#tail.length > TAIL_LINES) this.#tail.shift();
  }

  failure(what: string, cause?: unknown): SquallError {
    const shown = this.#tail.map((line) => `    ${line}`).join('\n');
    return new SquallError(`image ${this.#name}: ${what}`, {
      code: 'image-build-failed',
      facts: { log: this.path, tail: this.#tail },
      hint: `Its log ${this.path} ends with:\n${shown}`,
      ...(cause === undefined ? {} : { cause }),
    });
  }
}
