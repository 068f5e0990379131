import { chmodSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { SquallError } from '../errors/index.ts';
import { readJsonLines } from './json-lines.ts';
import { keeperRequest, MAX_MESSAGE_CHARACTERS, toWireError } from './keeper-protocol.ts';

/** One operation of a keeper. `signal` is aborted when the client goes away. */
export type KeeperOperation = (
  params: Readonly<Record<string, unknown>>,
  call: { readonly chunk: (value: unknown) => void; readonly signal: AbortSignal },
) => Promise<unknown>;

/** Unsent answers that a client may leave lying before it is cut off: a reader that stopped must not fill our memory. */
const MAX_UNSENT_BYTES = 64 * 1_048_576;

/** At its end: how long answers under way, and then their delivery, may take; a followed log has none. */
const LAST_ANSWERS_MS = 500;

/** Serves operations to this user's processes alone, on a socket with mode 0600. */
export class KeeperServer {
  readonly #operations: ReadonlyMap<string, KeeperOperation>;
  readonly #path: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #answering = new Set<Promise<void>>();

  private constructor(path: string, operations: ReadonlyMap<string, KeeperOperation>) {
    this.#path = path;
    this.#operations = operations;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  /** @throws SquallError `keeper-socket` when the path cannot be used */
  static async listen(path: string, operations: ReadonlyMap<string, KeeperOperation>): Promise<KeeperServer> {
    const server = new KeeperServer(path, operations);
    rmSync(path, { force: true });
    // Between bind and chmod a socket would be open to others: the umask closes that gap.
    const umask = process.umask(0o177);
    try {
      await new Promise<void>((resolve, reject) => {
        server.#server.once('error', (cause) =>
          reject(new SquallError(`keeper socket ${path}: cannot listen`, { code: 'keeper-socket', cause })),
        );
        server.#server.listen(path, resolve);
      });
    } finally {
      process.umask(umask);
    }
    chmodSync(path, 0o600);
    return server;
  }

  /** Takes no new client, lets answers under way be sent, and removes the socket. */
  async close(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    await Promise.race([Promise.all(this.#answering), sleep(LAST_ANSWERS_MS)]);
    for (const socket of this.#sockets) socket.end();
    const timer = setTimeout(() => {
      for (const socket of this.#sockets) socket.destroy();
    }, LAST_ANSWERS_MS);
    await closed;
    clearTimeout(timer);
    rmSync(this.#path, { force: true });
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    const gone = new AbortController();
    const end = (): void => {
      this.#sockets.delete(socket);
      if (!gone.signal.aborted) {
        gone.abort(new SquallError('keeper: the client has gone', { code: 'client-gone' }));
      }
    };
    socket.on('close', end);
    socket.on('error', end);
    const send = (message: unknown): void => {
      if (socket.destroyed || socket.writableEnded) return;
      socket.write(`${JSON.stringify(message)}\n`);
      if (socket.writableLength > MAX_UNSENT_BYTES) socket.destroy();
    };
    readJsonLines(
      socket,
      MAX_MESSAGE_CHARACTERS,
      (value) => {
        // Begun in the next turn, so that it is known to be under way before it can close anything.
        const answer = Promise.resolve()
          .then(() => this.#answer(value, send, gone.signal))
          .finally(() => this.#answering.delete(answer));
        this.#answering.add(answer);
      },
      () => end(),
    );
  }

  async #answer(value: unknown, send: (message: unknown) => void, signal: AbortSignal): Promise<void> {
    const request = keeperRequest.safeParse(value);
    if (!request.success) {
      send({
        id: -1,
        ok: false,
        error: { code: 'bad-request', message: 'keeper: not a request', blame: 'input' },
      });
      return;
    }
    const { id, op, params } = request.data;
    try {
      const operation = this.#operations.get(op);
      if (!operation) {
        throw new SquallError(
          `keeper: no operation "${op}"; expected one of ${[...this.#operations.keys()].join(', ')}`,
          {
            code: 'no-such-operation',
            blame: 'input',
            hint: 'The bed may be kept by another version of Squall.',
          },
        );
      }
      const result = await operation(params, { chunk: (chunk) => send({ id, chunk }), signal });
      send({ id, ok: true, result: result ?? null });
    } catch (error) {
      send({ id, ok: false, error: toWireError(error) });
    }
  }
}
