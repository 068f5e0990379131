import { isMap, isScalar, parseDocument, visit } from 'yaml';
import { namesSecret, REDACTED, redactText } from '../record/index.ts';

/** A topology file fit for a record: secrets of environments and settings are blanked, the rest stays as it is written. */
export function redactTopology(text: string): {
  readonly text: string;
  readonly redacted: readonly string[];
} {
  const document = parseDocument(text);
  const redacted: string[] = [];
  visit(document, {
    Pair(_, pair, path) {
      const { key, value } = pair;
      if (!isScalar(key) || !isScalar(value) || value.value === '' || value.value === null) return undefined;
      const name = String(key.value);
      const inEnvironment = path.some(
        (parent) => !isMap(parent) && 'key' in parent && isEnvironment(parent.key),
      );
      const kept = inEnvironment && namesSecret(name) ? REDACTED : redactText(String(value.value));
      if (kept === String(value.value)) return undefined;
      redacted.push(name);
      value.value = kept;
      return undefined;
    },
  });
  return redacted.length === 0 ? { text, redacted } : { text: document.toString(), redacted };
}

/**
 * The text with the secrets that were blanked in it, by name.
 * @returns the names that none was given for, beside it
 */
export function fillSecrets(
  text: string,
  secrets: Readonly<Record<string, string>>,
): { readonly text: string; readonly missing: readonly string[] } {
  if (!text.includes(REDACTED)) return { text, missing: [] };
  const document = parseDocument(text);
  const missing = new Set<string>();
  visit(document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !isScalar(value) || !String(value.value).includes(REDACTED)) return undefined;
      const secret = secrets[String(key.value)];
      if (secret === undefined) missing.add(String(key.value));
      else value.value = String(value.value).replaceAll(REDACTED, () => secret);
      return undefined;
    },
  });
  return { text: document.toString(), missing: [...missing] };
}

function isEnvironment(key: unknown): boolean {
  return isScalar(key) && (key.value === 'env' || key.value === 'settings');
}
