import type { ConsoleTarget } from '../../report/index.ts';

const ENTER = '\u001b[?1049h\u001b[?25l';
const LEAVE = '\u001b[?25h\u001b[?1049l';

/** A terminal's second screen, drawn over without flicker; what was on the first is there again afterwards. */
export class LiveScreen implements Disposable {
  readonly #target: ConsoleTarget;
  #shown: readonly string[] | undefined;

  constructor(target: ConsoleTarget) {
    this.#target = target;
    target.write(ENTER);
  }

  draw(lines: readonly string[]): void {
    if (
      this.#shown &&
      this.#shown.length === lines.length &&
      lines.every((line, at) => line === this.#shown?.[at])
    ) {
      return;
    }
    this.#shown = lines;
    this.#target.write(`\u001b[H${lines.map((line) => `${line}\u001b[K`).join('\r\n')}\u001b[J`);
  }

  [Symbol.dispose](): void {
    this.#target.write(LEAVE);
  }
}
