/** A headless Chromium for tests of pages: the one of this machine, driven by playwright-core. */
import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type Browser, chromium, type Page } from 'playwright-core';

const PROGRAMS = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

/** Where a Chromium is here; undefined when there is none. */
export function findChromium(): string | undefined {
  return [process.env['CHROMIUM'] ?? '', ...PROGRAMS].find((path) => path !== '' && existsSync(path));
}

/** @throws Error when no Chromium is here */
export async function openBrowser(): Promise<Browser> {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    throw new Error('chromium: not found; expected Debian’s `chromium`, or its path in CHROMIUM');
  }
  return await chromium.launch({ executablePath, chromiumSandbox: false, timeout: 60_000 });
}

export interface WatchedPage {
  readonly page: Page;
  /** What scripts threw and what the console calls an error, a refusal by the page's policy included. */
  readonly problems: readonly string[];
  /** Addresses that were asked for. */
  readonly requests: readonly string[];
}

export interface PageOptions {
  readonly width: number;
  readonly height: number;
  readonly dark?: boolean;
  /** Nothing but files can be reached. */
  readonly offline?: boolean;
}

/** An empty page in a window of so many pixels; what goes wrong in it and what it asks for is kept. */
export async function openPage(browser: Browser, options: PageOptions): Promise<WatchedPage> {
  const { width, height, dark = false, offline = false } = options;
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    offline,
  });
  const problems: string[] = [];
  const requests: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => requests.push(request.url()));
  return { page, problems, requests };
}

/** By how many pixels a page is wider than its window: 0 when nothing runs out of it. */
export async function overflowPx(page: Page): Promise<number> {
  return await page.evaluate<number>(
    'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
  );
}

/** Resolves once an expression is true in a page; asked from here, since a page's policy may forbid `eval` within it. */
export async function until(page: Page, expression: string, withinMs = 30_000): Promise<void> {
  const endMs = performance.now() + withinMs;
  while (!(await page.evaluate<boolean>(expression))) {
    if (performance.now() > endMs) {
      throw new Error(`${expression}: not true within ${withinMs} ms; expected it in the page`);
    }
    await setTimeout(30);
  }
}
