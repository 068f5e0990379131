import { randomBytes } from 'node:crypto';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { describeError } from '../../errors/index.ts';
import { faultLetter } from '../fault-letters.ts';
import type { TrialStory } from '../trial-story.ts';
import type { RunView } from '../views.ts';
import { admit, cookieName } from './door.ts';
import { closeServer, LOOPBACK, listenOnLoopback } from './loopback-server.ts';
import { watchPage } from './page.ts';

const STREAMS_LIMIT = 16;
const EVENTS_SHOWN = 120;

/** What a page is drawn from; a run's or a bed's follower. */
export interface Watched {
  readonly running: readonly TrialStory[];
  view(): RunView;
  trial(key: string): Promise<TrialStory | undefined>;
  logTail?(key: string, node: string): Promise<readonly string[] | undefined>;
}

export interface WatchServer extends AsyncDisposable {
  /** With the token: whoever has it sees the run. */
  readonly url: string;
  readonly port: number;
  /** Sends what has changed to all pages that are open. */
  publish(): Promise<void>;
}

interface Stream {
  readonly response: ServerResponse;
  /** What was chosen; the newest running trial, or else the last one, when not. */
  readonly key: string | undefined;
  sentRun?: string;
  sentTrial?: string;
}

/**
 * Serves the page on loopback. Only GET is answered, only with the token, and the page may load and run nothing but itself.
 * @throws SquallError `watch-port-taken`
 */
export async function serveWatch(
  watched: Watched,
  options: {
    readonly port: number;
    readonly nowNs: () => number;
    readonly onProblem: (text: string) => void;
  },
): Promise<WatchServer> {
  const server = new PageServer(watched, options.nowNs, options.onProblem);
  await server.listen(options.port);
  return server;
}

class PageServer implements WatchServer {
  readonly #watched: Watched;
  readonly #nowNs: () => number;
  readonly #onProblem: (text: string) => void;
  #server: Server | undefined;
  readonly #streams = new Set<Stream>();
  readonly #token = randomBytes(24).toString('base64url');
  port = 0;

  constructor(watched: Watched, nowNs: () => number, onProblem: (text: string) => void) {
    this.#watched = watched;
    this.#nowNs = nowNs;
    this.#onProblem = onProblem;
  }

  get url(): string {
    return `http://${LOOPBACK}:${this.port}/?token=${this.#token}`;
  }

  async listen(port: number): Promise<void> {
    const listening = await listenOnLoopback(port, (request, response) => {
      this.#answer(request, response).catch((error: unknown) => {
        this.#onProblem(describeError(error));
        if (!response.headersSent) response.writeHead(500, { 'content-type': 'text/plain' });
        response.end('The run could not be read; `squall watch` says why.\n');
      });
    });
    this.#server = listening.server;
    this.port = listening.port;
  }

  async publish(): Promise<void> {
    const run = JSON.stringify(this.#watched.view());
    for (const stream of this.#streams) {
      if (stream.sentRun !== run) {
        send(stream.response, 'run', run);
        stream.sentRun = run;
      }
      const story = await this.#chosen(stream.key);
      const trial = story && this.#trialJson(story);
      if (trial !== undefined && stream.sentTrial !== trial) {
        send(stream.response, 'trial', trial);
        stream.sentTrial = trial;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { response } of this.#streams) {
      send(response, 'end', '{}');
      response.end();
    }
    if (this.#server) await closeServer(this.#server);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const admission = admit(request, this.#token, this.port);
    const url = new URL(request.url ?? '/', `http://${LOOPBACK}`);
    if (request.method !== 'GET') return refuse(response, 405, 'Only GET is answered here.');
    if (admission === 'stranger') return refuse(response, 403, 'This page is for this machine alone.');
    if (admission === 'locked')
      return refuse(
        response,
        401,
        'The address that `squall watch` printed has a token; this has none, or a wrong one.',
      );
    if (admission === 'greet') {
      response.writeHead(303, {
        location: '/',
        'set-cookie': `${cookieName(this.port)}=${this.#token}; HttpOnly; SameSite=Strict; Path=/`,
        'cache-control': 'no-store',
        'referrer-policy': 'no-referrer',
      });
      response.end();
      return;
    }
    if (url.pathname === '/') return this.#page(response);
    if (url.pathname === '/stream')
      return await this.#open(request, response, url.searchParams.get('trial') ?? undefined);
    if (url.pathname === '/events') return await this.#events(response, url.searchParams);
    refuse(response, 404, 'There is nothing here.');
  }

  #page(response: ServerResponse): void {
    const nonce = randomBytes(16).toString('base64');
    const policy = [
      "default-src 'none'",
      `script-src 'nonce-${nonce}'`,
      `style-src 'nonce-${nonce}'`,
      "connect-src 'self'",
      "base-uri 'none'",
      "form-action 'none'",
      "frame-ancestors 'none'",
    ].join('; ');
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policy,
      ...GUARDS,
    });
    response.end(watchPage(nonce));
  }

  async #open(request: IncomingMessage, response: ServerResponse, key: string | undefined): Promise<void> {
    if (this.#streams.size >= STREAMS_LIMIT) return refuse(response, 503, 'Too many views are open.');
    response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', ...GUARDS });
    const stream: Stream = { response, key };
    this.#streams.add(stream);
    request.once('close', () => this.#streams.delete(stream));
    response.on('error', () => this.#streams.delete(stream));
    await this.publish();
  }

  async #events(response: ServerResponse, query: URLSearchParams): Promise<void> {
    const key = query.get('trial') ?? '';
    const node = query.get('node') ?? undefined;
    const atNs = Number(query.get('at') ?? Number.NaN);
    const story = await this.#watched.trial(key);
    if (!story || !Number.isFinite(atNs))
      return refuse(response, 404, 'There is no such trial, or no such instant.');
    const log = node === undefined ? undefined : await this.#watched.logTail?.(key, node);
    response.writeHead(200, { 'content-type': 'application/json; charset=utf-8', ...GUARDS });
    response.end(JSON.stringify({ events: story.eventsUpTo(atNs, EVENTS_SHOWN, node), ...(log && { log }) }));
  }

  async #chosen(key: string | undefined): Promise<TrialStory | undefined> {
    if (key !== undefined) return await this.#watched.trial(key);
    const running = this.#watched.running.at(-1);
    if (running) return running;
    const last = this.#watched.view().finished.at(-1);
    return last && (await this.#watched.trial(last.key));
  }

  #trialJson(story: TrialStory): string {
    const view = story.view(this.#nowNs());
    return JSON.stringify({
      ...view,
      faults: view.faults.map((fault) => ({ ...fault, letter: faultLetter(fault.kind) })),
    });
  }
}

const GUARDS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
} as const;

function refuse(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', ...GUARDS });
  response.end(`${text}\n`);
}

/** A page that does not read is not waited for: it is let go when too much is unsent. */
function send(response: ServerResponse, event: string, data: string): void {
  if (response.writableLength > 16 * 1024 * 1024) {
    response.destroy();
    return;
  }
  response.write(`event: ${event}\ndata: ${data}\n\n`);
}
