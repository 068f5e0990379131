import { SquallError } from '../../errors/index.ts';

/** 2.12.0 has the fix for restarted proxies (incident 7); below 2.5 stacked toxics lock the server (incident 2). */
const OLDEST = [2, 12, 0] as const;
const NEXT_MAJOR = 3;

/**
 * The version out of `/version` (`{"version": "2.12.0"}`, or plain text in old servers).
 * @throws SquallError `toxiproxy-version` (input) for one that this project does not support
 */
export function refuseUnsupported(answer: string): string {
  const version = versionText(answer);
  const parts = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version)?.slice(1).map(Number);
  if (parts && isSupported(parts)) return version;
  throw new SquallError(
    `toxiproxy: the server says version "${version.slice(0, 60)}"; expected ${OLDEST.join('.')} or newer, below ${NEXT_MAJOR}.0`,
    {
      code: 'toxiproxy-version',
      blame: 'input',
      facts: { version },
      hint: 'Older servers lock up or restart proxies on their own. Use the image of this project.',
    },
  );
}

function isSupported(parts: readonly number[]): boolean {
  if (parts[0] === NEXT_MAJOR || (parts[0] ?? 0) > NEXT_MAJOR) return false;
  for (const [index, oldest] of OLDEST.entries()) {
    const part = parts[index] ?? 0;
    if (part !== oldest) return part > oldest;
  }
  return true;
}

function versionText(answer: string): string {
  const trimmed = answer.trim();
  if (!trimmed.startsWith('{')) return trimmed;
  try {
    return String((JSON.parse(trimmed) as { version?: unknown }).version ?? '');
  } catch {
    // Garbled: the caller refuses it with the text as it came.
    return trimmed;
  }
}
