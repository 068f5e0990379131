/** Longest line kept whole; the rest of a longer one is counted, not kept. */
export const MAX_LINE_BYTES = 1024 * 1024;

const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** End of a line that was longer than `MAX_LINE_BYTES`; `lost` bytes of it are gone. */
export function truncationMark(lostBytes: number): string {
  return ` …[truncated: ${lostBytes} more bytes]`;
}

/** The largest cut at or before `at` that does not split a UTF-8 character. */
function characterBoundary(bytes: Buffer, at: number): number {
  let cut = at;
  while (cut > at - 4 && cut > 0 && ((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
  return cut;
}

export interface LineAssemblerOptions {
  readonly maxLineBytes?: number;
  /** A TTY ends its lines with CR LF. */
  readonly dropCarriageReturn?: boolean;
}

/**
 * Bytes in, whole lines out. Pieces of a line are joined as bytes and decoded once, so a multi-byte character split
 * between two pieces is safe, and so is a line that the engine cut at 16 KiB (it adds no newline there).
 */
export class LineAssembler {
  readonly #onLine: (line: string) => void;
  readonly #maxLineBytes: number;
  readonly #dropCarriageReturn: boolean;
  #pieces: Buffer[] = [];
  #heldBytes = 0;
  #lostBytes = 0;

  constructor(onLine: (line: string) => void, options: LineAssemblerOptions = {}) {
    this.#onLine = onLine;
    this.#maxLineBytes = options.maxLineBytes ?? MAX_LINE_BYTES;
    this.#dropCarriageReturn = options.dropCarriageReturn ?? false;
  }

  push(payload: Buffer): void {
    let from = 0;
    for (;;) {
      const newline = payload.indexOf(NEWLINE, from);
      if (newline < 0) break;
      if (this.#heldBytes === 0 && newline - from <= this.#maxLineBytes) {
        this.#emit(payload, from, newline, 0);
      } else {
        this.#hold(payload.subarray(from, newline));
        this.#flushHeld();
      }
      from = newline + 1;
    }
    if (from < payload.length) this.#hold(payload.subarray(from));
  }

  /** The output has ended: what is held is the last line. */
  end(): void {
    if (this.#heldBytes > 0 || this.#lostBytes > 0) this.#flushHeld();
  }

  #hold(piece: Buffer): void {
    const room = this.#maxLineBytes - this.#heldBytes;
    // Copied: a slice would keep the whole network chunk alive.
    if (room > 0 && piece.length > 0) this.#pieces.push(Buffer.from(piece.subarray(0, room)));
    this.#heldBytes += Math.min(room, piece.length);
    this.#lostBytes += Math.max(0, piece.length - room);
  }

  #flushHeld(): void {
    const line = this.#pieces.length === 1 ? this.#pieces[0]! : Buffer.concat(this.#pieces);
    const lost = this.#lostBytes;
    this.#pieces = [];
    this.#heldBytes = 0;
    this.#lostBytes = 0;
    this.#emit(line, 0, line.length, lost);
  }

  #emit(bytes: Buffer, from: number, to: number, lostBytes: number): void {
    let end = to;
    if (lostBytes > 0) end = lastWhole(bytes, to);
    else if (this.#dropCarriageReturn && end > from && bytes[end - 1] === CARRIAGE_RETURN) end -= 1;
    const text = bytes.toString('utf8', from, end);
    this.#onLine(lostBytes > 0 ? text + truncationMark(lostBytes + to - end) : text);
  }
}

/** Where to cut bytes that stop in the middle of a line: before a character whose end is missing. */
function lastWhole(bytes: Buffer, end: number): number {
  const lead = characterBoundary(bytes, end - 1);
  const first = bytes[lead] ?? 0;
  const needed = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
  return end - lead < needed ? lead : end;
}
