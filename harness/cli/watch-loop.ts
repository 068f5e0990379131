import { setTimeout as sleep } from 'node:timers/promises';
import { nowNs } from '../testnet/index.ts';
import { LiveScreen, POLL_MS, renderFrame, type WatchServer } from '../watch/index.ts';
import type { Follower } from './open-follower.ts';

/** Between two pictures of a page. */
const PAGE_MS = 500;

export function frameOf(follower: Follower, atNs: number): string[] {
  const { columns = 120, rows = 40, isTTY } = process.stdout;
  return renderFrame(
    follower.view(),
    follower.running.map((story) => story.view(atNs)),
    { columns, rows, color: isTTY === true && !process.env['NO_COLOR'] },
  );
}

/** Until the run ends or the viewer has seen enough. */
export async function watchOnScreen(follower: Follower, signal: AbortSignal): Promise<void> {
  const quit = new AbortController();
  const stop = AbortSignal.any([signal, quit.signal]);
  const onKey = (key: Buffer): void => {
    if (['q', '\u0003', '\u001b'].includes(key.toString())) quit.abort();
  };
  const { stdin } = process;
  if (stdin.isTTY) stdin.setRawMode(true).on('data', onKey).resume();
  try {
    using screen = new LiveScreen(process.stdout);
    while (!stop.aborted) {
      await follower.poll();
      screen.draw(frameOf(follower, nowNs()));
      if (follower.view().life === 'ended') break;
      await sleep(POLL_MS, undefined, { signal: stop }).catch(() => undefined);
    }
  } finally {
    if (stdin.isTTY) stdin.setRawMode(false).off('data', onKey).pause();
  }
  process.stdout.write(`${frameOf(follower, nowNs()).join('\n')}\n`);
}

/** Without a screen: until the run ends, or, with a page, until the viewer has seen enough. */
export async function watchInBackground(
  follower: Follower,
  signal: AbortSignal,
  page: WatchServer | undefined,
): Promise<void> {
  while (page || follower.view().life === 'running') {
    await sleep(page ? PAGE_MS : POLL_MS, undefined, { signal });
    await follower.poll();
    await page?.publish();
  }
}
