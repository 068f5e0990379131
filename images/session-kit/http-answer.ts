/** What a server answers. JSON is written from a value; anything else is text or bytes as they are. */
export type HttpAnswer =
  | { readonly status: number; readonly json: unknown }
  | {
      readonly status: number;
      readonly text: string;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly status: number; readonly bytes: Uint8Array; readonly type: string }
  /** The connection is cut instead of an answer. */
  | 'cut';

export interface WrittenAnswer {
  readonly status: number;
  readonly type: string;
  readonly bytes: Buffer;
}

/** 64-bit numbers in JSON: `swarm_id` is one, and goes as a number although it comes as a bigint. */
export function stringifyWithBigints(value: unknown): string {
  const mark = '\u0000';
  const text = JSON.stringify(value, (_, item: unknown) =>
    typeof item === 'bigint' ? `${mark}${item}` : item,
  );
  return text.replaceAll(/"\\u0000(-?\d+)"/g, '$1');
}

export function written(answer: Exclude<HttpAnswer, 'cut'>): WrittenAnswer {
  const { status } = answer;
  if ('json' in answer) {
    const bytes = Buffer.from(stringifyWithBigints(answer.json));
    return { status, type: 'application/json', bytes };
  }
  if ('text' in answer) return { status, type: 'text/plain', bytes: Buffer.from(answer.text) };
  return { status, type: answer.type, bytes: Buffer.from(answer.bytes) };
}
