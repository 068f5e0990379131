import type { Fields } from './fields.ts';
import { wrong } from './fields.ts';

const MIN = -32_768;
const MAX = 32_767;
/** Groups of old, which anybody may read. */
const LEGACY_CLOSED = -10;

export type Namespace = number;

export function parseNamespace(fields: Fields): Namespace {
  const value = fields.integer('namespace') ?? 0;
  if (value < MIN || value > MAX) throw wrong('namespace', '16-bit integer');
  return value;
}

export function parseNamespaceOrAll(fields: Fields): Namespace | 'all' {
  return fields.get('namespace') === 'all' ? 'all' : parseNamespace(fields);
}

/** Anybody may store here: every tenth. */
export function isPublicInbox(namespace: Namespace): boolean {
  return namespace % 10 === 0;
}

/** Holds one message at a time, which anybody may read: -1, -21, -41, … */
export function isPublicOutbox(namespace: Namespace): boolean {
  return namespace < 0 && -namespace % 20 === 1;
}

/** Anybody may read here. */
export function isOpenToRead(namespace: Namespace): boolean {
  return namespace === LEGACY_CLOSED || isPublicOutbox(namespace);
}

/** A revoked subaccount may still read here: -11, -111, … */
export function isUnrevocable(namespace: Namespace): boolean {
  return namespace < 0 && -namespace % 100 === 11;
}

/** As it stands in what is signed: the default namespace is nothing. */
export function signedNamespace(namespace: Namespace | 'all'): string {
  return namespace === 0 ? '' : String(namespace);
}
