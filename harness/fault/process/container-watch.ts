import type { ContainerState, Engine } from '../../engine/index.ts';
import { SquallError } from '../../errors/index.ts';

const FIRST_PAUSE_MS = 10;
const LONGEST_PAUSE_MS = 250;

/** The state of a container. @throws SquallError `container-gone` */
export async function requireState(engine: Engine, name: string, id: string): Promise<ContainerState> {
  const state = await engine.inspectContainer(id);
  if (state) return state;
  throw new SquallError(`node ${name}: its container ${id.slice(0, 12)} is gone; expected it on the bed`, {
    code: 'container-gone',
    blame: 'void',
  });
}

/** Looks at a container until it is as wanted. The signal's reason ends it. */
export async function untilState(
  engine: Engine,
  name: string,
  id: string,
  wanted: (state: ContainerState) => boolean,
  signal: AbortSignal,
): Promise<ContainerState> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    signal.throwIfAborted();
    const state = await requireState(engine, name, id);
    if (wanted(state)) return state;
    await pause(pauseMs, signal);
  }
}

/** Looks at a container until it runs no more or is gone. The signal's reason ends it. */
export async function untilGone(engine: Engine, id: string, signal: AbortSignal): Promise<void> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    if (!(await engine.inspectContainer(id))?.running) return;
    await pause(pauseMs, signal);
  }
}

/** Waits, or rejects with the signal's reason. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal.addEventListener('abort', onAbort, { once: true });
  });
}
