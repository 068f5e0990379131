import { parseServerMessage, type SmpError } from '../smp-kit/index.ts';

/** One answer that a proxy gives because a script says so, and not because of what came of the request. */
export interface ScriptedAnswer {
  readonly command: ScriptedCommand;
  /** Answered in place of passing the request on; absent: what really comes of it. */
  readonly error: SmpError | undefined;
  /** How much later it is given, on the node's clock. */
  readonly delayMs: number;
}

const COMMANDS = ['PRXY', 'PFWD'] as const;
export type ScriptedCommand = (typeof COMMANDS)[number];

const ANSWERS_MAX = 1_000;
const DELAY_MAX_MS = 3_600_000;

/** Answers in the order in which they are to be given, each to the next request of its command. */
export class AnswerScript {
  #answers: ScriptedAnswer[] = [];

  /** In place of whatever was left of an earlier one. */
  begin(answers: readonly ScriptedAnswer[]): void {
    this.#answers = [...answers];
  }

  next(command: ScriptedCommand): ScriptedAnswer | undefined {
    const index = this.#answers.findIndex((answer) => answer.command === command);
    return index < 0 ? undefined : this.#answers.splice(index, 1)[0];
  }

  get left(): number {
    return this.#answers.length;
  }
}

/** The body of `POST /answers`; a sentence when it is none. */
export function readAnswers(body: unknown): readonly ScriptedAnswer[] | string {
  const answers = (body as { readonly answers?: unknown } | undefined)?.answers;
  if (!Array.isArray(answers)) return 'answers: expected a list';
  if (answers.length > ANSWERS_MAX) return `answers: ${answers.length}; expected at most ${ANSWERS_MAX}`;
  const read: ScriptedAnswer[] = [];
  for (const [index, one] of answers.entries()) {
    const answer = readAnswer(one);
    if (typeof answer === 'string') return `answers[${index}]: ${answer}`;
    read.push(answer);
  }
  return read;
}

function readAnswer(one: unknown): ScriptedAnswer | string {
  const { command, error, delayMs = 0 } = (one ?? {}) as Readonly<Record<string, unknown>>;
  const known = COMMANDS.find((name) => name === command);
  if (!known) return `command ${JSON.stringify(command)}; expected ${COMMANDS.join(' or ')}`;
  if (typeof delayMs !== 'number' || !(delayMs >= 0 && delayMs <= DELAY_MAX_MS)) {
    return `delayMs ${JSON.stringify(delayMs)}; expected 0 to ${DELAY_MAX_MS}`;
  }
  if (error === undefined) return { command: known, error, delayMs };
  const message = typeof error === 'string' ? parseServerMessage(Buffer.from(`ERR ${error}`)) : undefined;
  if (typeof message !== 'object' || message.tag !== 'ERR') {
    return `error ${JSON.stringify(error)}; expected one of SMP, such as PROXY BROKER TIMEOUT`;
  }
  return { command: known, error: message.error, delayMs };
}
