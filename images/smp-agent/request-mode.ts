/**
 * How long a request may take: somebody is waiting for it and has tapped Retry so many times, or nobody is. As in the
 * real agent, an interactive wait grows with the retries, 1, 3/2, 9/4 and from then on 27/8 of its setting.
 */
export type RequestMode =
  | { readonly kind: 'background' }
  | { readonly kind: 'interactive'; readonly retries: number };

export const BACKGROUND: RequestMode = { kind: 'background' };

export function interactive(retries: number): RequestMode {
  return { kind: 'interactive', retries };
}

export interface Waits {
  readonly backgroundMs: number;
  readonly interactiveMs: number;
}

const GROWTH = [1, 3 / 2, 9 / 4, 27 / 8] as const;

export function waitMs({ backgroundMs, interactiveMs }: Waits, mode: RequestMode): number {
  if (mode.kind === 'background') return backgroundMs;
  return interactiveMs * (GROWTH[Math.min(mode.retries, GROWTH.length - 1)] ?? 1);
}

export interface RequestWaits {
  /** TCP, TLS and the handshake. */
  readonly connect: Waits;
  readonly command: Waits;
  /** Added to a command for each KiB that it sends. */
  readonly perKibMs: number;
}

/** Every request goes out as one block of the protocol. */
const BLOCK_KIB = 16;

/** A command to the server itself. */
export function commandWaitMs(waits: RequestWaits, mode: RequestMode): number {
  return waitMs(waits.command, mode) + waits.perKibMs * BLOCK_KIB;
}

/** PRXY: the proxy may have to connect first, and then to answer. */
export function sessionWaitMs(waits: RequestWaits, mode: RequestMode): number {
  return waitMs(waits.connect, mode) + commandWaitMs(waits, mode);
}

/** PFWD: twice a command, once for each hop. */
export function forwardWaitMs(waits: RequestWaits, mode: RequestMode): number {
  return 2 * commandWaitMs(waits, mode);
}
