import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Answer = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server on a unix socket that answers as a daemon of a test's choice would. */
export class FakeDaemon {
  readonly directory: string;
  readonly socket: string;
  /** Method and path of everything that was asked. */
  readonly asked: string[] = [];
  readonly #server: Server;

  constructor(answer: Answer) {
    this.directory = mkdtempSync(join(tmpdir(), 'squall-daemon-'));
    this.socket = join(this.directory, 'docker.sock');
    this.#server = createServer((request, response) => {
      this.asked.push(`${request.method} ${request.url}`);
      answer(request, response);
    });
  }

  get endpoint(): string {
    return `unix://${this.socket}`;
  }

  async start(): Promise<this> {
    await new Promise<void>((resolve) => this.#server.listen(this.socket, resolve));
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.directory, { recursive: true, force: true });
  }
}

export function json(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(body));
}

export interface DaemonFacts {
  readonly version?: string;
  readonly api?: string;
  readonly minApi?: string;
  readonly info?: Readonly<Record<string, unknown>>;
}

/** A daemon that knows its version and its /info, and refuses other API versions as Docker does. */
export function ordinaryDaemon(facts: DaemonFacts = {}): FakeDaemon {
  const { version = '20.10.24', api = '1.41', minApi = '1.12' } = facts;
  return new FakeDaemon((request, response) => {
    const [, asked, path] = /^(?:\/v(\d+\.\d+))?(\/.*)$/.exec(request.url ?? '') ?? [];
    const older = asked !== undefined && Number(asked.split('.')[1]) < Number(minApi.split('.')[1]);
    if (older) {
      const message = `client version ${asked} is too old. Minimum supported API version is ${minApi}, please upgrade your client to a newer version`;
      json(response, 400, { message });
    } else if (path === '/version') {
      json(response, 200, {
        Version: version,
        ApiVersion: api,
        MinAPIVersion: minApi,
        Os: 'linux',
        Arch: 'amd64',
      });
    } else if (path === '/info') {
      json(response, 200, { OperatingSystem: 'Test OS', NCPU: 2, MemTotal: 1e9, ...facts.info });
    } else {
      json(response, 404, { message: 'page not found' });
    }
  });
}

/** Deadlines that pass when the test says so: all that were started and have not. */
export class HeldDeadlines {
  #begun: AbortController[] = [];

  readonly start = (): AbortSignal => {
    const controller = new AbortController();
    this.#begun.push(controller);
    return controller.signal;
  };

  pass(): void {
    for (const controller of this.#begun.splice(0)) controller.abort();
  }
}
