/**
 * A headless Chromium for tests of pages, spoken to over a pipe (no port, no library): what a script threw, what was
 * fetched, how wide the page is.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
const ANSWER_WITHIN_MS = 60_000;

interface Message {
  readonly id?: number;
  readonly sessionId?: string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

/** Where a Chromium is here; undefined when there is none. */
export function findChromium(): string | undefined {
  return [process.env['CHROMIUM'] ?? '', ...PROGRAMS].find((path) => path !== '' && existsSync(path));
}

export class Browser implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #profile: string;
  readonly #pending = new Map<number, { resolve(message: Message): void; reject(error: Error): void }>();
  readonly #pages = new Map<string, BrowserPage>();
  #next = 1;

  private constructor(program: string) {
    this.#profile = mkdtempSync(join(tmpdir(), 'squall-browser-'));
    const flags = [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--no-first-run',
    ];
    this.#child = spawn(program, [...flags, '--remote-debugging-pipe', `--user-data-dir=${this.#profile}`], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    });
    let rest = '';
    (this.#child.stdio[4] as Readable).setEncoding('utf8').on('data', (text: string) => {
      const parts = (rest + text).split('\0');
      rest = parts.pop() ?? '';
      for (const part of parts) this.#take(JSON.parse(part) as Message);
    });
    this.#child.once('exit', () => {
      for (const { reject } of this.#pending.values()) reject(new Error('the browser ended'));
    });
  }

  /** @throws Error when no Chromium is here */
  static open(): Browser {
    const program = findChromium();
    if (program === undefined) {
      throw new Error('chromium: not found; expected Debian’s `chromium`, or its path in CHROMIUM');
    }
    return new Browser(program);
  }

  async newPage(options: {
    readonly width: number;
    readonly height: number;
    readonly dark?: boolean;
  }): Promise<BrowserPage> {
    const { targetId } = await this.send('Target.createTarget', { url: 'about:blank' });
    const { sessionId } = await this.send('Target.attachToTarget', { targetId, flatten: true });
    const page = new BrowserPage((method, params) => this.send(method, params, String(sessionId)));
    this.#pages.set(String(sessionId), page);
    for (const domain of ['Page', 'Runtime', 'Log', 'Network']) await page.send(`${domain}.enable`);
    const { width, height, dark } = options;
    await page.send('Emulation.setDeviceMetricsOverride', {
      width,
      height,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await page.send('Emulation.setEmulatedMedia', {
      features: [{ name: 'prefers-color-scheme', value: dark ? 'dark' : 'light' }],
    });
    return page;
  }

  send(
    method: string,
    params: Readonly<Record<string, unknown>> = {},
    sessionId?: string,
  ): Promise<Record<string, unknown>> {
    const id = this.#next;
    this.#next += 1;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(
        () => reject(new Error(`${method}: not answered within ${ANSWER_WITHIN_MS} ms`)),
        ANSWER_WITHIN_MS,
      );
      const settle = (): void => {
        clearTimeout(timer);
        this.#pending.delete(id);
      };
      this.#pending.set(id, {
        resolve: ({ result, error }) => {
          settle();
          if (error) reject(new Error(`${method}: ${error.message}`));
          else resolve(result ?? {});
        },
        reject: (error) => {
          settle();
          reject(error);
        },
      });
      (this.#child.stdio[3] as Writable).write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const ended = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#child.kill('SIGKILL');
    await ended;
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 5 });
  }

  #take(message: Message): void {
    if (message.id !== undefined) this.#pending.get(message.id)?.resolve(message);
    else if (message.sessionId !== undefined) this.#pages.get(message.sessionId)?.take(message);
  }
}

export class BrowserPage {
  readonly send: (
    method: string,
    params?: Readonly<Record<string, unknown>>,
  ) => Promise<Record<string, unknown>>;
  /** What scripts threw and what the console calls an error, a refusal by the page's policy included. */
  readonly problems: string[] = [];
  /** Addresses that were asked for. */
  readonly requests: string[] = [];
  readonly #loaded = new Set<() => void>();

  constructor(send: BrowserPage['send']) {
    this.send = send;
  }

  take({ method, params = {} }: Message): void {
    if (method === 'Runtime.exceptionThrown') this.problems.push(JSON.stringify(params['exceptionDetails']));
    if (method === 'Runtime.consoleAPICalled' && params['type'] === 'error')
      this.problems.push(JSON.stringify(params['args']));
    if (method === 'Log.entryAdded') {
      const { level, text } = params['entry'] as { level: string; text: string };
      if (level === 'error') this.problems.push(text);
    }
    if (method === 'Network.requestWillBeSent')
      this.requests.push((params['request'] as { url: string }).url);
    if (method === 'Page.loadEventFired') for (const resolve of this.#loaded) resolve();
  }

  /** Resolves when the page has loaded. */
  async goto(url: string): Promise<void> {
    const loaded = new Promise<void>((resolve) => {
      const done = (): void => {
        this.#loaded.delete(done);
        resolve();
      };
      this.#loaded.add(done);
    });
    await this.send('Page.navigate', { url });
    await loaded;
  }

  /** The value of an expression in the page. @throws Error what it threw */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails) throw new Error(`${expression}: ${JSON.stringify(exceptionDetails)}`);
    return (result as { value: T }).value;
  }

  /** Resolves once an expression is true in the page; looked at in each of its frames. */
  async until(expression: string, withinMs = 30_000): Promise<void> {
    const done = await this.evaluate<boolean>(
      `new Promise((resolve) => { const end = performance.now() + ${withinMs}; const look = () => { if (${expression}) resolve(true); else if (performance.now() > end) resolve(false); else setTimeout(look, 30); }; look(); })`,
    );
    if (!done) throw new Error(`${expression}: not true within ${withinMs} ms; expected it in the page`);
  }

  /** By how many pixels the page is wider than its window: 0 when nothing runs out of it. */
  async overflow(): Promise<number> {
    return await this.evaluate<number>(
      'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
    );
  }

  async key(key: string, code = key): Promise<void> {
    const text = key === 'Enter' ? '\r' : key === ' ' ? ' ' : undefined;
    const keyCode =
      { Tab: 9, Enter: 13, ' ': 32, ArrowLeft: 37, ArrowRight: 39, Home: 36, End: 35 }[key] ?? 0;
    const common = { key, code, windowsVirtualKeyCode: keyCode };
    await this.send('Input.dispatchKeyEvent', { type: 'keyDown', ...common, ...(text && { text }) });
    await this.send('Input.dispatchKeyEvent', { type: 'keyUp', ...common });
  }

  /** The whole page as a PNG. */
  async screenshot(path: string): Promise<void> {
    const { data } = await this.send('Page.captureScreenshot', {
      format: 'png',
      captureBeyondViewport: true,
    });
    await writeFile(path, Buffer.from(String(data), 'base64'));
  }
}
