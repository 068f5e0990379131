import { SquallError } from '../../harness/errors/index.ts';

const LENGTH_BYTES = 2;
const FILL = '#'.charCodeAt(0);

/** `padded(text, size)`: two bytes with the length, the text, then `#`. @throws SquallError `smp-too-long` */
export function pad(content: Uint8Array, sizeBytes: number): Buffer {
  if (content.length > sizeBytes - LENGTH_BYTES) {
    throw new SquallError(
      `SMP padding: ${content.length} bytes found; expected at most ${sizeBytes - LENGTH_BYTES}`,
      {
        code: 'smp-too-long',
      },
    );
  }
  const padded = Buffer.alloc(sizeBytes, FILL);
  padded.writeUInt16BE(content.length);
  padded.set(content, LENGTH_BYTES);
  return padded;
}

/** The content, as a view. @returns undefined when the length does not fit the bytes */
export function unpad(padded: Uint8Array): Buffer | undefined {
  const bytes = Buffer.from(padded.buffer, padded.byteOffset, padded.byteLength);
  if (bytes.length < LENGTH_BYTES) return undefined;
  const length = bytes.readUInt16BE(0);
  if (length > bytes.length - LENGTH_BYTES) return undefined;
  return bytes.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
}
