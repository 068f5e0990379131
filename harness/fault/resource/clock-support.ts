import { closeSync, openSync, readFileSync, readSync } from 'node:fs';
import { whyNoNodeFiles } from './node-files.ts';

const ELF_MAGIC = 0x7f454c46;
const PT_INTERP = 3;
/** A header of 64 bytes and program headers of 56 bytes each: room for more than any linker makes. */
const HEAD_BYTES = 8_192;

/** Where the library that fakes a node's clock reads its offset, or why the clock cannot be faked. */
export type ClockSupport = { readonly file: string } | { readonly why: string };

/** What the process of a node offers. The library must have been preloaded when it started. */
export function clockSupport(pid: number): ClockSupport {
  const why = whyNoNodeFiles();
  if (why !== undefined) return { why };
  if (isStatic(readHead(`/proc/${pid}/exe`))) {
    return { why: 'its program is statically linked, so that libfaketime cannot be preloaded' };
  }
  const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  const file = environment.find((entry) => entry.startsWith('FAKETIME_TIMESTAMP_FILE='))?.split('=')[1];
  if (!file)
    return { why: 'it was not started with FAKETIME_TIMESTAMP_FILE, the file that carries the offset' };
  if (!readFileSync(`/proc/${pid}/maps`, 'utf8').includes('libfaketime')) {
    return { why: 'libfaketime is not loaded; expected it in LD_PRELOAD of the node' };
  }
  return { file };
}

function readHead(path: string): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  const descriptor = openSync(path, 'r');
  try {
    return head.subarray(0, readSync(descriptor, head, 0, HEAD_BYTES, 0));
  } finally {
    closeSync(descriptor);
  }
}

/** True for an ELF file (64 bits, little-endian) that names no interpreter: nothing loads libraries into it. */
export function isStatic(head: Buffer): boolean {
  if (head.length < 64 || head.readUInt32BE(0) !== ELF_MAGIC) return false;
  const tableOffset = Number(head.readBigUInt64LE(32));
  const entryBytes = head.readUInt16LE(54);
  const entries = head.readUInt16LE(56);
  for (let index = 0; index < entries; index += 1) {
    const at = tableOffset + index * entryBytes;
    if (at + 4 <= head.length && head.readUInt32LE(at) === PT_INTERP) return false;
  }
  return true;
}
