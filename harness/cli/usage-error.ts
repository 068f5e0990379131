import { suggest } from '../document/index.ts';
import { SquallError } from '../errors/index.ts';
import { didYouMean } from './suggest.ts';

/** A call that went wrong, with what its parser knew at that moment. */
interface FailedCall {
  /** The command's own words, without what was given to it: `images`, or nothing. */
  readonly words: string;
  readonly argv: readonly string[];
  readonly options: readonly string[];
  readonly subcommands: readonly string[];
}

/** What yargs says about a wrong call, in our words: what was wrong, what was meant, where to read on. */
export function usageError(message: string, call: FailedCall): SquallError {
  const subject = `squall ${call.words}`.trim();
  const hint = `See \`${subject} --help\`.`;
  const unknown = /^Unknown (?:argument|command)s?: (.+)$/s.exec(message.trim());
  if (!unknown?.[1]) {
    const text = message.trim().replaceAll(/\s*\n\s*/g, ' ');
    return new SquallError(`${subject}: ${text}${/[.!?]$/.test(text) ? '' : '.'}${meantChoice(text)}`, {
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
  const first = listed.find((word) => word.startsWith('-')) ?? listed[0] ?? '';
  if (!first.startsWith('-') && call.subcommands.length > 0) {
    return new SquallError(`${subject} ${first}: no such command. ${didYouMean(first, call.subcommands)}`, {
      code: 'unknown-command',
      blame: 'input',
      hint,
    });
  }
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

/** Of `Given: "kep", Choices: "save", "list"`: what was probably meant. */
function meantChoice(text: string): string {
  const found = /Given: "([^"]*)", Choices: ("[^"]*"(?:, "[^"]*")*)/.exec(text);
  const choices = [...(found?.[2] ?? '').matchAll(/"([^"]*)"/g)].map((match) => match[1] ?? '');
  const nearest = suggest(found?.[1] ?? '', choices);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
}

function toKebab(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
}
