import type { BedProgress } from '../testnet/index.ts';

/**
 * Progress of a bed on standard error: one line that is written over on a terminal, a line for each new stage elsewhere.
 */
export function bedProgress(out: NodeJS.WriteStream = process.stderr): {
  readonly show: (progress: BedProgress) => void;
  /** Leaves the cursor at the start of an empty line. */
  readonly end: () => void;
} {
  let lastStage = '';
  let open = false;
  const text = ({ done, total, text: what }: BedProgress): string =>
    total > 1 ? `${what} (${done} of ${total})` : what;
  return {
    show(progress) {
      if (out.isTTY) {
        const line = `${progress.stage}: ${text(progress)}`;
        if (progress.stage === 'failed') {
          // Not to be written over: what follows may take longer than one looks.
          out.write(`\r\u001b[2K${line}\n`);
          open = false;
          return;
        }
        out.write(`\r\u001b[2K${line.slice(0, Math.max(10, (out.columns ?? 80) - 1))}`);
        open = true;
        return;
      }
      if (progress.stage === lastStage) return;
      lastStage = progress.stage;
      out.write(`${progress.stage}: ${text(progress)}\n`);
    },
    end() {
      if (open) out.write('\r\u001b[2K');
      open = false;
    },
  };
}
