import { SquallError } from '../errors/index.ts';
import { didYouMean } from './suggest.ts';

/** What yargs says about a wrong call, in our words: what was wrong, what was meant, where to read on. */
export function usageError(
  message: string,
  call: { readonly words: string; readonly argv: readonly string[]; readonly options: readonly string[] },
): SquallError {
  const subject = `squall ${call.words}`.trim();
  const hint = `See \`${subject} --help\`.`;
  const unknown = /^Unknown arguments?: (.+)$/s.exec(message.trim());
  if (!unknown?.[1]) {
    const text = message.trim().replaceAll(/\s*\n\s*/g, ' ');
    return new SquallError(`${subject}: ${text}${/[.!?]$/.test(text) ? '' : '.'}`, {
      code: 'bad-usage',
      blame: 'input',
      hint,
    });
  }
  // yargs lists an unknown option twice when it is written in kebab-case: as typed and in camel case.
  const asTyped = (name: string): string | undefined =>
    [`--${name}`, `--${toKebab(name)}`, `-${name}`].find((option) =>
      call.argv.some((word) => word === option || word.startsWith(`${option}=`)),
    );
  const listed = [...new Set(unknown[1].split(', ').map((name) => asTyped(name) ?? name))];
  const first = listed[0] ?? '';
  if (!first.startsWith('-')) {
    return new SquallError(`${subject}: ${listed.join(', ')}: more than it takes.`, {
      code: 'unknown-argument',
      blame: 'input',
      hint,
    });
  }
  const meant = didYouMean(toKebab(first.replace(/^-+/, '')), call.options, '--');
  return new SquallError(`${subject}: ${listed.join(', ')}: no such option. ${meant}`.trim(), {
    code: 'unknown-option',
    blame: 'input',
    hint,
  });
}

function toKebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
