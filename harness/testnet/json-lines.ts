import type { Readable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { SquallError } from '../errors/index.ts';

/**
 * Calls back with each line of a stream, parsed. Ends the stream on a line that is too long or not JSON: whoever says
 * that does not speak our language.
 */
export function readJsonLines(
  stream: Readable,
  maxCharacters: number,
  onValue: (value: unknown) => void,
  onBroken: (error: SquallError) => void,
): void {
  const decoder = new StringDecoder('utf8');
  let rest = '';
  const broken = (what: string, cause?: unknown): void => {
    stream.destroy();
    onBroken(new SquallError(`JSON lines: ${what}`, { code: 'bad-json-line', ...(cause ? { cause } : {}) }));
  };
  stream.on('data', (chunk: Buffer) => {
    rest += decoder.write(chunk);
    for (let at = rest.indexOf('\n'); at >= 0; at = rest.indexOf('\n')) {
      const line = rest.slice(0, at);
      rest = rest.slice(at + 1);
      if (line.trim() === '') continue;
      let value: unknown;
      try {
        value = JSON.parse(line);
      } catch (error) {
        broken('a line is not JSON', error);
        return;
      }
      onValue(value);
    }
    if (rest.length > maxCharacters) broken(`a line is longer than ${maxCharacters} characters`);
  });
}
