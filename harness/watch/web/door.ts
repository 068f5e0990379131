import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from './loopback-server.ts';

export type Admission =
  /** Let in. */
  | 'in'
  /** Came with the token in its address: gets the cookie, and an address without it. */
  | 'greet'
  /** Not meant for this server, or from another site. */
  | 'stranger'
  /** No token, or a wrong one. */
  | 'locked';

/**
 * Who may see a run: programs of this machine that know the token, and no page of another site. The address asked for
 * must be loopback, so that no name of the outside that is made to point here (DNS rebinding) gets through.
 */
export function admit(request: IncomingMessage, token: string, port: number): Admission {
  if (!isLoopbackHost(request.headers.host, port)) return 'stranger';
  const site = request.headers['sec-fetch-site'];
  if (site === 'cross-site' || site === 'same-site') return 'stranger';
  const url = new URL(request.url ?? '/', 'http://127.0.0.1');
  const given = url.searchParams.get('token');
  if (given !== null) return same(given, token) ? 'greet' : 'locked';
  const cookie = (request.headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .find((part) => part.startsWith(`${cookieName(port)}=`));
  return cookie !== undefined && same(cookie.slice(cookieName(port).length + 1), token) ? 'in' : 'locked';
}

/** Cookies know no ports, so the name does: two views at once do not lock each other out. */
export function cookieName(port: number): string {
  return `squall_watch_${port}`;
}

function same(given: string, token: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(token)];
  return a.length === b.length && timingSafeEqual(a, b);
}
