import type { PlanRecord, RecordedEvent, TrialRecord } from './types.ts';

export const REDACTED = '[redacted]';

const SECRET_NAME =
  /(^|[_\-.\s])(pass(wd|word|phrase)?|pwd|secrets?|tokens?|credentials?|cookies?|auth(orization)?|bearer|api_?-?keys?|access_?-?keys?|private_?-?keys?|secret_?-?keys?|signing_?-?keys?|encryption_?-?keys?|mnemonic|seed_?phrase|dsn)($|[_\-.\s])/i;
const CAMEL_BOUNDARY = /([a-z0-9])([A-Z])/g;
const SECRET_VALUES: readonly (readonly [RegExp, string])[] = [
  [/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/@:]*:[^\s/@]*@/gi, `$1${REDACTED}@`],
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  [/\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*/g, REDACTED],
  [/\b(AKIA|ASIA)[A-Z0-9]{16}\b/g, REDACTED],
  [/\bgh[opusr]_[A-Za-z0-9]{20,}\b/g, REDACTED],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9+/=._~-]{8,}/g, `$1 ${REDACTED}`],
];

/** Whether a setting of this name holds a secret: `DB_PASSWORD`, `apiKey`, `x-auth-token`. */
export function namesSecret(name: string): boolean {
  return SECRET_NAME.test(name.replace(CAMEL_BOUNDARY, '$1_$2'));
}

/** Takes passwords out of addresses, and private keys and tokens out of any text. */
export function redactText(text: string): string {
  return SECRET_VALUES.reduce((kept, [pattern, instead]) => kept.replace(pattern, instead), text);
}

/** Shorter ones would blank words that are no secrets. */
const SHORTEST_SECRET = 6;

/** Values of an environment whose names call them secrets: what a node may say aloud in any form. */
export function secretValuesOf(environment: Readonly<Record<string, string>>): readonly string[] {
  const values = Object.entries(environment).flatMap(([name, value]) => (namesSecret(name) ? [value] : []));
  return values.filter((value) => value.length >= SHORTEST_SECRET);
}

/** The text without these very values, as they are and as JSON writes them. */
export function blankValues(text: string, values: readonly string[]): string {
  return values.reduce(
    (kept, value) =>
      kept.replaceAll(JSON.stringify(value).slice(1, -1), REDACTED).replaceAll(value, REDACTED),
    text,
  );
}

/** An environment or settings fit for a record. */
export function redactSettings<T>(settings: Readonly<Record<string, T>>): Record<string, T | string> {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => {
      if (namesSecret(name) && value !== '') return [name, REDACTED];
      return [name, typeof value === 'string' ? redactText(value) : value];
    }),
  );
}

/** A command line fit for a record: `--api-token x`, `--token=x` and `--set password=x` lose their values. */
export function redactCommand(command: readonly string[]): string[] {
  let next = false;
  return command.map((argument) => {
    if (next && !argument.startsWith('-')) {
      next = false;
      return REDACTED;
    }
    const assigned = /^(-{0,2}[^=\s]+)=(.*)$/s.exec(argument);
    if (assigned?.[1] && namesSecret(assigned[1].replace(/^-+/, ''))) return `${assigned[1]}=${REDACTED}`;
    next = argument.startsWith('-') && namesSecret(argument.replace(/^-+/, ''));
    return redactText(argument);
  });
}

export function redactPlan(plan: PlanRecord): PlanRecord {
  return {
    ...plan,
    command: redactCommand(plan.command),
    ...(plan.repeat === undefined ? {} : { repeat: redactCommand(plan.repeat.split(' ')).join(' ') }),
  };
}

/** An event of the harness's own timeline: its texts may quote an error, and a setting. */
export function redactEvent(event: RecordedEvent): RecordedEvent {
  return { ...event, fields: redactSettings(event.fields) };
}

export function redactTrial(trial: TrialRecord): TrialRecord {
  return {
    ...trial,
    nodes: trial.nodes.map((node) =>
      node.environment
        ? { ...node, environment: redactSettings(node.environment) as Record<string, string> }
        : node,
    ),
    faults: trial.faults.map((fault) => ({
      ...fault,
      settings: redactSettings(fault.settings),
      problems: fault.problems.map(redactText),
    })),
    reasons: trial.reasons.map(redactText),
    steps: trial.steps.map((step) =>
      step.detail === undefined ? step : { ...step, detail: redactText(step.detail) },
    ),
  };
}
