import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import { SquallError } from '../errors/index.ts';
import { call, DEADLINE_MS } from './call.ts';
import { sinceParameter } from './docker-units.ts';
import { hasCode, toEngineError } from './engine-errors.ts';
import type { OutputStream } from './frame-reader.ts';
import { LineQueue } from './line-queue.ts';
import { OutputLines } from './output-lines.ts';
import { hijack, type Transport } from './transport.ts';
import type { AttachedProcess, FollowOptions } from './types.ts';

/** Unread stdout of an attached process; above it the connection is paused, and the process blocks on its pipe. */
const ATTACH_STDOUT_CHARS = 16 * 1024 * 1024;

/** Unread stderr of an attached process; above it the oldest lines are forgotten, since perhaps nobody reads them. */
const ATTACH_STDERR_CHARS = 1024 * 1024;

/** A log that is longer than this is not read a second time for the sake of its last message. */
const REREAD_MAX_BYTES = 64 * 1024 * 1024;

/** Kept of each output of an exec. */
const EXEC_OUTPUT_BYTES = 16 * 1024 * 1024;

/** What containers say: logs, attach, exec. */
export class DockerOutput {
  readonly #docker: Dockerode;
  readonly #transport: Transport;
  readonly #apiVersion: string;

  constructor(docker: Dockerode, transport: Transport, apiVersion: string) {
    this.#docker = docker;
    this.#transport = transport;
    this.#apiVersion = apiVersion;
  }

  /**
   * Lines are handed on synchronously, so a slow reader slows the connection and nothing piles up here. When the
   * container has ended, its log is read once more behind what has arrived: the engine ends a followed log without the
   * last message now and then (a line without newline that was written at the end, in 1 of 7 tries).
   */
  async followLogs(
    id: string,
    onLine: (stream: OutputStream, line: string) => void,
    signal: AbortSignal,
    options: FollowOptions = {},
  ): Promise<void> {
    if (signal.aborted) return;
    const since = options.since ? { since: sinceParameter(options.since) } : {};
    try {
      const { tty } = await this.#look(id, signal);
      const stream = await this.#openLogs(id, { follow: true, ...since }, signal);
      const lines = new OutputLines(tty, onLine);
      await readAll(stream, (chunk) => lines.push(chunk), signal);
      if (lines.receivedBytes < REREAD_MAX_BYTES) await this.#readRest(id, lines, since, signal);
      lines.end();
    } catch (failure) {
      if (signal.aborted) return;
      throw toEngineError(`container ${id}, log`, failure);
    }
  }

  async #readRest(
    id: string,
    lines: OutputLines,
    since: { readonly since?: string },
    signal: AbortSignal,
  ): Promise<void> {
    try {
      const { running, startedAt } = await this.#look(id, signal);
      // Started again meanwhile: what the new process says is not this log's.
      const until = running ? { until: sinceParameter(startedAt) } : {};
      const again = await this.#openLogs(id, { ...since, ...until }, signal);
      lines.rewind();
      await readAll(again, (chunk) => lines.push(chunk), signal);
    } catch (failure) {
      if (!hasCode(toEngineError(`container ${id}, log`, failure), 'container-not-found')) throw failure;
    }
  }

  async readLogs(id: string, tailLines: number): Promise<readonly string[]> {
    return call(
      `container ${id}, log`,
      { deadlineMs: DEADLINE_MS.look, idempotent: true },
      async (signal) => {
        const { tty } = await this.#look(id, signal);
        const stream = await this.#openLogs(id, { tail: tailLines }, signal);
        const kept: string[] = [];
        const lines = new OutputLines(tty, (_stream, line) => {
          kept.push(line);
          if (kept.length > tailLines * 2) kept.splice(0, kept.length - tailLines);
        });
        await readAll(stream, (chunk) => lines.push(chunk), signal);
        lines.end();
        return kept.slice(-tailLines);
      },
    );
  }

  async attach(id: string): Promise<AttachedProcess> {
    return call(`container ${id}, attach`, { deadlineMs: DEADLINE_MS.look }, async (signal) => {
      const { tty } = await this.#look(id, signal);
      const path = `/v${this.#apiVersion}/containers/${encodeURIComponent(id)}/attach?stream=1&stdin=1&stdout=1&stderr=1`;
      const socket = await hijack(this.#transport, path, undefined);
      return new HijackedProcess(id, socket, tty);
    });
  }

  async exec(
    id: string,
    command: readonly string[],
    options: { readonly stdin?: string; readonly signal?: AbortSignal } = {},
  ): Promise<{ readonly exitCode: number; readonly stdout: string; readonly stderr: string }> {
    const what = `container ${id}, exec ${command[0] ?? ''}`;
    const stdin = options.stdin !== undefined;
    const look = { deadlineMs: DEADLINE_MS.look, signal: options.signal };
    const exec = await call(what, look, (abortSignal) =>
      this.#docker.getContainer(id).exec({
        Cmd: [...command],
        AttachStdin: stdin,
        AttachStdout: true,
        AttachStderr: true,
        abortSignal,
      }),
    );
    const path = `/v${this.#apiVersion}/exec/${exec.id}/start`;
    const socket = await call(what, look, () =>
      hijack(this.#transport, path, '{"Detach":false,"Tty":false}'),
    );
    const kept: Record<OutputStream, string[]> = { stdout: [], stderr: [] };
    const bytes: Record<OutputStream, number> = { stdout: 0, stderr: 0 };
    const lines = new OutputLines(false, (stream, line) => {
      bytes[stream] += Buffer.byteLength(line) + 1;
      if (bytes[stream] <= EXEC_OUTPUT_BYTES) kept[stream].push(line);
      else if (kept[stream].at(-1) !== OUTPUT_CUT) kept[stream].push(OUTPUT_CUT);
    });
    if (stdin) socket.end(options.stdin);
    const never = new AbortController().signal;
    await readAll(socket, (chunk) => lines.push(chunk), options.signal ?? never).catch((failure: unknown) => {
      options.signal?.throwIfAborted();
      throw toEngineError(what, failure);
    });
    lines.end();
    const exitCode = await call(what, look, async (abortSignal) => {
      for (;;) {
        const state = await exec.inspect({ abortSignal });
        if (!state.Running && state.ExitCode !== null) return state.ExitCode;
        await new Promise((resolve) => setTimeout(resolve, 10));
        abortSignal.throwIfAborted();
      }
    });
    return { exitCode, stdout: kept.stdout.join('\n'), stderr: kept.stderr.join('\n') };
  }

  async #look(id: string, abortSignal: AbortSignal) {
    const { Config, State } = await this.#docker.getContainer(id).inspect({ abortSignal });
    return { tty: Config.Tty, running: State.Running, startedAt: State.StartedAt };
  }

  /** Always as a stream: dockerode parses an unfollowed log as JSON when it happens to be JSON. */
  #openLogs(
    id: string,
    query: {
      readonly follow?: boolean;
      readonly since?: string;
      readonly until?: string;
      readonly tail?: number;
    },
    signal: AbortSignal,
  ): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.#docker.modem.dial(
        {
          path: `/containers/${encodeURIComponent(id)}/logs?`,
          method: 'GET',
          isStream: true,
          abortSignal: signal,
          statusCodes: { 200: true, 404: 'no such container', 500: 'server error' },
          options: { stdout: true, stderr: true, ...query },
        },
        (error: unknown, stream: unknown) => (error ? reject(error) : resolve(stream as IncomingMessage)),
      );
    });
  }
}

const OUTPUT_CUT = `…[output over ${EXEC_OUTPUT_BYTES} bytes cut here]`;

/** Reads to the end. Rejects when the other side breaks off; destroys the stream when aborted. */
async function readAll(
  stream: IncomingMessage | Duplex,
  onChunk: (chunk: Buffer) => void,
  signal: AbortSignal,
): Promise<void> {
  const stop = (): void => {
    stream.destroy();
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    for await (const chunk of stream) onChunk(chunk as Buffer);
    signal.throwIfAborted();
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

/** A process on the other end of a hijacked connection. */
class HijackedProcess implements AttachedProcess {
  readonly lines: LineQueue;
  readonly errorLines: LineQueue;
  readonly ended: Promise<void>;
  readonly #socket: Duplex;
  readonly #id: string;

  constructor(id: string, socket: Duplex, tty: boolean) {
    this.#id = id;
    this.#socket = socket;
    this.lines = new LineQueue({ highWaterChars: ATTACH_STDOUT_CHARS, onDrained: () => socket.resume() });
    this.errorLines = new LineQueue({ highWaterChars: ATTACH_STDERR_CHARS, forgetOldest: true });
    const output = new OutputLines(tty, (stream, line) => {
      if (stream === 'stderr') this.errorLines.push(line);
      else if (!this.lines.push(line)) socket.pause();
    });
    this.ended = new Promise((resolve) => {
      let failure: unknown;
      socket.on('error', (error) => {
        failure = error;
      });
      socket.on('close', () => {
        output.end();
        const broken = failure === undefined ? undefined : toEngineError(`container ${id}, attach`, failure);
        this.lines.end(broken);
        this.errorLines.end();
        resolve();
      });
    });
    socket.on('data', (chunk: Buffer) => {
      try {
        output.push(chunk);
      } catch (error) {
        socket.destroy(error as Error);
      }
    });
    // The container's side has ended: nothing more can be said to it either.
    socket.on('end', () => socket.end());
  }

  write(line: string): void {
    if (this.#socket.writableEnded || this.#socket.destroyed) {
      throw new SquallError(`container ${this.#id}, attach: its input is closed; the line was not sent`, {
        code: 'attach-closed',
      });
    }
    this.#socket.write(line.endsWith('\n') ? line : `${line}\n`);
  }

  endInput(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }
}
