import { connect, type Socket } from 'node:net';
import { SquallError } from '../errors/index.ts';
import { readJsonLines } from './json-lines.ts';
import { type KeeperCard, type KeeperEntry, listKeepers, socketPath } from './keeper-files.ts';
import { fromWireError, keeperMessage, MAX_MESSAGE_CHARACTERS } from './keeper-protocol.ts';

const CONNECT_WITHIN_MS = 5_000;

interface Pending {
  readonly onChunk: (chunk: unknown) => void;
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

export interface KeeperClient extends Disposable {
  readonly bed: KeeperCard;
  /**
   * One operation of the keeper. `onChunk` hears what comes before the answer (log lines, progress).
   * @throws SquallError the keeper's own error, or `keeper-gone`; the signal's reason when aborted
   */
  request(
    op: string,
    params?: Readonly<Record<string, unknown>>,
    options?: { readonly onChunk?: (chunk: unknown) => void; readonly signal?: AbortSignal },
  ): Promise<unknown>;
  close(): void;
}

/** Beds that are up, by their keepers' cards. */
export function livingBeds(): readonly KeeperEntry[] {
  return listKeepers().filter(({ life }) => life !== 'dead');
}

/** The bed that is meant: by its name, or the only one that is up. @throws SquallError `no-bed`, `which-bed` (input) */
export function requireBed(name?: string): KeeperCard {
  const cards = livingBeds().map(({ card }) => card);
  const names = cards.map(({ bedId }) => bedId).join(', ');
  if (name !== undefined) {
    const card = cards.find(({ bedId }) => bedId === name);
    if (card) return card;
    throw new SquallError(`bed "${name}": is not up; ${names ? `up: ${names}` : 'none is'}.`, {
      code: 'no-bed',
      blame: 'input',
      hint: 'See `squall status`.',
    });
  }
  const [first, ...others] = cards;
  if (first && others.length === 0) return first;
  if (!first) {
    throw new SquallError('bed: none is up; expected one.', {
      code: 'no-bed',
      blame: 'input',
      hint: 'Start one with `squall up TOPOLOGY`.',
    });
  }
  throw new SquallError(`bed: ${cards.length} are up (${names}); expected to be told which.`, {
    code: 'which-bed',
    blame: 'input',
    hint: 'Give --bed NAME.',
  });
}

/** Connects to a living bed's keeper. @throws SquallError `no-bed`, `which-bed` (input), `keeper-gone` */
export async function connectKeeper(options: { readonly bed?: string } = {}): Promise<KeeperClient> {
  const bed = requireBed(options.bed);
  const socket = await openSocket(bed);
  return new SocketKeeperClient(bed, socket);
}

function keeperGone(bedId: string, cause?: unknown): SquallError {
  return new SquallError(`keeper of bed ${bedId}: does not answer any more`, {
    code: 'keeper-gone',
    hint: 'When it has died its watchdog removes the bed; see `squall status`, and `squall sweep` for the rest.',
    ...(cause === undefined ? {} : { cause }),
  });
}

function openSocket(bed: KeeperCard): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect(socketPath(bed.bedId));
    const timer = setTimeout(() => {
      socket.destroy();
      reject(keeperGone(bed.bedId));
    }, CONNECT_WITHIN_MS);
    socket.once('connect', () => {
      clearTimeout(timer);
      resolve(socket);
    });
    socket.once('error', (cause) => {
      clearTimeout(timer);
      reject(keeperGone(bed.bedId, cause));
    });
  });
}

class SocketKeeperClient implements KeeperClient {
  readonly bed: KeeperCard;
  readonly #socket: Socket;
  readonly #pending = new Map<number, Pending>();
  #nextId = 1;
  #gone: SquallError | undefined;

  constructor(bed: KeeperCard, socket: Socket) {
    this.bed = bed;
    this.#socket = socket;
    socket.on('close', () => this.#lose());
    socket.on('error', (error) => this.#lose(error));
    readJsonLines(
      socket,
      MAX_MESSAGE_CHARACTERS,
      (value) => this.#take(value),
      (error) => this.#lose(error),
    );
  }

  request(
    op: string,
    params: Readonly<Record<string, unknown>> = {},
    options: { readonly onChunk?: (chunk: unknown) => void; readonly signal?: AbortSignal } = {},
  ): Promise<unknown> {
    const { signal } = options;
    if (this.#gone) return Promise.reject(this.#gone);
    if (signal?.aborted) return Promise.reject(signal.reason);
    const id = this.#nextId++;
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void): void => {
        this.#pending.delete(id);
        signal?.removeEventListener('abort', onAbort);
        finish();
      };
      const onAbort = (): void => settle(() => reject(signal?.reason));
      signal?.addEventListener('abort', onAbort, { once: true });
      this.#pending.set(id, {
        onChunk: options.onChunk ?? (() => undefined),
        resolve: (result) => settle(() => resolve(result)),
        reject: (error) => settle(() => reject(error)),
      });
      this.#socket.write(`${JSON.stringify({ id, op, params })}\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #take(value: unknown): void {
    const message = keeperMessage.safeParse(value);
    if (!message.success) {
      this.#lose(message.error);
      return;
    }
    const pending = this.#pending.get(message.data.id);
    if (!pending) return;
    if ('chunk' in message.data) pending.onChunk(message.data.chunk);
    else if (message.data.ok) pending.resolve(message.data.result);
    else pending.reject(fromWireError(message.data.error));
  }

  #lose(cause?: unknown): void {
    this.#gone ??= keeperGone(this.bed.bedId, cause);
    this.#socket.destroy();
    for (const pending of [...this.#pending.values()]) pending.reject(this.#gone);
  }
}
