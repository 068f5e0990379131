import { combineErrors, exitCodeForSignal, SquallError } from '../errors/index.ts';
import { formatDurationMs } from '../units/index.ts';

/** Signals that end a command in an orderly way: 130, 143 and 129. */
export const SHUTDOWN_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Time of one undo, when it names none. */
const DEFAULT_BUDGET_MS = 30_000;

interface Undo {
  readonly name: string;
  readonly budgetMs: number;
  readonly run: (budget: AbortSignal) => Promise<void>;
}

/** The orderly end of a command that is interrupted. */
export interface Shutdown extends Disposable {
  /** Aborted by the first signal, with an `interrupted` error as its reason. */
  readonly signal: AbortSignal;
  /** The first signal received. */
  readonly received: NodeJS.Signals | undefined;
  /** 128 + n once a signal came. */
  readonly exitCode: number | undefined;
  /**
   * Registers an undo before what it undoes is done. After a signal they run last in, first out, each on its own time
   * (never on a deadline that has passed already). Returns how to take it back when it was done in the normal way.
   */
  onUndo(
    name: string,
    run: (budget: AbortSignal) => Promise<void>,
    options?: { readonly budgetMs?: number },
  ): () => void;
  /** Runs what is registered, once; later calls, and a second signal, wait for the same run. Every undo is tried. */
  undoAll(): Promise<void>;
}

/**
 * Listens for SIGINT, SIGTERM and SIGHUP. A second signal does not start the clean-up again and does not cut it short;
 * `onRepeat` may say so.
 */
export function createShutdown(
  options: {
    readonly onSignal?: (signal: NodeJS.Signals) => void;
    readonly onRepeat?: (signal: NodeJS.Signals) => void;
    readonly source?: NodeJS.EventEmitter;
  } = {},
): Shutdown {
  const source = options.source ?? process;
  const controller = new AbortController();
  const undos: Undo[] = [];
  let received: NodeJS.Signals | undefined;
  let running: Promise<void> | undefined;

  const undoAll = (): Promise<void> => {
    running ??= runUndos(undos);
    return running;
  };
  const listeners = SHUTDOWN_SIGNALS.map((name) => {
    const listener = (): void => {
      if (received) {
        options.onRepeat?.(name);
        return;
      }
      received = name;
      options.onSignal?.(name);
      controller.abort(
        new SquallError(`interrupted by ${name}`, { code: 'interrupted', facts: { signal: name } }),
      );
      // Whoever awaits `undoAll` hears of errors; here they must only not be unhandled.
      undoAll().catch(() => undefined);
    };
    source.on(name, listener);
    return { name, listener };
  });

  return {
    signal: controller.signal,
    get received() {
      return received;
    },
    get exitCode() {
      return received ? exitCodeForSignal(received) : undefined;
    },
    onUndo(name, run, { budgetMs = DEFAULT_BUDGET_MS } = {}) {
      const undo = { name, run, budgetMs };
      undos.push(undo);
      return () => {
        const at = undos.indexOf(undo);
        if (at >= 0) undos.splice(at, 1);
      };
    },
    undoAll,
    [Symbol.dispose]() {
      for (const { name, listener } of listeners) source.off(name, listener);
    },
  };
}

async function runUndos(undos: Undo[]): Promise<void> {
  const errors: unknown[] = [];
  for (let undo = undos.pop(); undo; undo = undos.pop()) {
    try {
      await runUndo(undo);
    } catch (error) {
      errors.push(error);
    }
  }
  const error = combineErrors('clean-up: not everything could be undone', errors);
  if (error !== undefined) throw error;
}

async function runUndo(undo: Undo): Promise<void> {
  const budget = new AbortController();
  const late = new SquallError(
    `clean-up "${undo.name}": not done within ${formatDurationMs(undo.budgetMs)}; expected it to be`,
    { code: 'undo-too-late', hint: 'The watchdog goes on with it; `squall sweep` shows what is left.' },
  );
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => {
      budget.abort(late);
      reject(late);
    }, undo.budgetMs);
  });
  try {
    await Promise.race([undo.run(budget.signal), overdue]);
  } finally {
    clearTimeout(timer);
  }
}
