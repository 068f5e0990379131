import type { Argv } from 'yargs';
import { SquallError } from '../errors/index.ts';
import { type CaptureRequest, DEFAULT_CAPTURE } from '../scenario/index.ts';
import { formatBytes, parseBytes } from '../units/index.ts';

/** Options of `plan` and `run` about packet captures. */
export interface CaptureArguments {
  readonly pcap: boolean;
  readonly 'pcap-limit'?: string | undefined;
}

/** A file smaller than this ends before anything happens. */
const LEAST_BYTES = 64 * 1024;

export function addCaptureOptions<T>(cli: Argv<T>): Argv<T & CaptureArguments> {
  return cli
    .option('pcap', {
      type: 'boolean',
      default: false,
      describe: 'capture the packets of every node in every trial, as pcapng under the trial’s pcap/',
    })
    .option('pcap-limit', {
      type: 'string',
      describe: `most of a node’s file, the rest is counted; ${formatBytes(DEFAULT_CAPTURE.fileBytes)} when left out`,
    });
}

/** What is to be captured; undefined when nothing is. @throws SquallError (input) */
export function captureRequest(args: CaptureArguments): CaptureRequest | undefined {
  const limit = args['pcap-limit'];
  if (!args.pcap) {
    if (limit === undefined) return undefined;
    throw badLimit(limit, 'means nothing without --pcap', 'Add --pcap, or leave it out.');
  }
  if (limit === undefined) return DEFAULT_CAPTURE;
  const fileBytes = parseLimit(limit);
  if (fileBytes < LEAST_BYTES) {
    throw badLimit(limit, `expected a size of at least ${formatBytes(LEAST_BYTES)}`);
  }
  return { ...DEFAULT_CAPTURE, fileBytes };
}

function parseLimit(limit: string): number {
  try {
    return parseBytes(limit);
  } catch (error) {
    throw badLimit(limit, 'expected a size such as 8MiB', undefined, error);
  }
}

function badLimit(limit: string, why: string, hint?: string, cause?: unknown): SquallError {
  return new SquallError(`--pcap-limit ${limit}: ${why}.`, {
    code: 'bad-capture-limit',
    blame: 'input',
    ...(hint !== undefined && { hint }),
    cause,
  });
}
