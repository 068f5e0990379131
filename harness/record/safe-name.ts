import { createHash } from 'node:crypto';

/** Node names come from a validated topology; foreign ones are made fit for a file system all the same. */
export function safeName(node: string): string {
  const safe = node.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_');
  if (safe === node && safe.length <= 100) return safe;
  return `${safe.slice(0, 80)}~${createHash('sha256').update(node).digest('hex').slice(0, 8)}`;
}
