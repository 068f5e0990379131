/**
 * Replaces `$NAME`, `${NAME}`, `${NAME:-default}`, `${NAME-default}`, `${NAME:?message}`, `${NAME:+instead}` and their like;
 * `$$` is a dollar sign. A variable without a value and a default is reported; defaults may hold variables.
 */
export function interpolate(
  text: string,
  variables: Readonly<Record<string, string>>,
  report: (message: string) => void,
): string {
  let result = '';
  for (let at = 0; at < text.length; ) {
    if (text[at] !== '$') {
      result += text[at];
      at += 1;
      continue;
    }
    if (text[at + 1] === '$') {
      result += '$';
      at += 2;
      continue;
    }
    const plain = /^\$([A-Za-z_]\w*)/.exec(text.slice(at));
    const end = text[at + 1] === '{' ? closingBrace(text, at + 1) : -1;
    if (plain?.[1]) {
      result += requireValue(plain[1], variables, report);
      at += plain[0].length;
    } else if (end > 0) {
      result += expression(text.slice(at + 2, end), variables, report);
      at = end + 1;
    } else {
      report(`"${text}": a "$" that begins no variable; expected $$ for a dollar sign`);
      return text;
    }
  }
  return result;
}

function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at += 1) {
    if (text[at] === '{') depth += 1;
    if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
}

function expression(
  inner: string,
  variables: Readonly<Record<string, string>>,
  report: (message: string) => void,
): string {
  const [, name = '', colon, operator, rest = ''] =
    /^([A-Za-z_]\w*)(?:(:?)([-?+])([\s\S]*))?$/.exec(inner) ?? [];
  if (name === '') {
    report(`"\${${inner}}": is no variable`);
    return '';
  }
  const value = variables[name];
  const set = value !== undefined && !(colon === ':' && value === '');
  if (operator === '+') return set ? interpolate(rest, variables, report) : '';
  if (set) return value;
  if (operator === '-') return interpolate(rest, variables, report);
  return requireValue(name, {}, (message) =>
    report(operator === '?' && rest !== '' ? `${message} (${rest})` : message),
  );
}

function requireValue(
  name: string,
  variables: Readonly<Record<string, string>>,
  report: (message: string) => void,
): string {
  const value = variables[name];
  if (value === undefined) report(`\${${name}} has no value; expected --env ${name}=VALUE`);
  return value ?? '';
}
