import { describeError } from '../errors/index.ts';
import type { CaptureResult, PacketCapture } from '../fault/index.ts';
import { CaptureFiles, type PcapFileRecord, type PcapRecord } from '../record/index.ts';
import type { TrialBed } from './ports.ts';

/** What is captured at every node of a trial. */
export interface CaptureRequest {
  /** Most of each packet that is kept. */
  readonly snapBytes: number;
  /** Most of each node's file. */
  readonly fileBytes: number;
}

/** Whole datagrams, the first 8 MiB of each node. */
export const DEFAULT_CAPTURE: CaptureRequest = { snapBytes: 2_048, fileBytes: 8 * 1024 ** 2 };

/** What was captured is read out for so long after a trial; an interrupted run has no time. */
const STOP_MS = 30_000;
const HURRY_MS = 500;

/** The captures of one trial. What fails is said in the record; a trial never breaks by it. */
export class TrialCapture {
  readonly #request: CaptureRequest;
  readonly #problems: string[] = [];
  #files: CaptureFiles | undefined;
  #running: PacketCapture | undefined;

  private constructor(request: CaptureRequest) {
    this.#request = request;
  }

  static async start(
    request: CaptureRequest,
    options: { readonly bed: TrialBed; readonly trialDir: string; readonly signal: AbortSignal },
  ): Promise<TrialCapture> {
    const { bed, trialDir, signal } = options;
    const capture = new TrialCapture(request);
    try {
      const nodes = bed.nodes().map((node) => node.name);
      const files = await CaptureFiles.open(trialDir, { nodes, fileBytes: request.fileBytes });
      capture.#files = files;
      const take = (node: string, bytes: Buffer) => files.write(node, bytes);
      capture.#running = await bed.capture({ ...request, take }, signal);
    } catch (error) {
      capture.#problems.push(`not captured: ${describeError(error)}`);
    }
    return capture;
  }

  /** Ends the captures, for the trial's record. Never throws. */
  async stop(signal: AbortSignal): Promise<PcapRecord> {
    const patience = signal.aborted
      ? AbortSignal.timeout(HURRY_MS)
      : AbortSignal.any([signal, AbortSignal.timeout(STOP_MS)]);
    const result = await this.#running?.stop(patience);
    let files: readonly PcapFileRecord[] = [];
    try {
      const written = (await this.#files?.close()) ?? [];
      files = written.map((file) => recordOf(file, result));
    } catch (error) {
      this.#problems.push(`files not closed: ${describeError(error)}`);
    }
    return {
      ...this.#request,
      ...(result && { fromNs: result.fromNs, utcMinusMonotonicUs: result.utcMinusMonotonicUs }),
      ...(result?.toNs !== undefined && { toNs: result.toNs }),
      files,
      problems: [...this.#problems, ...(result?.problems ?? []), ...nodeProblems(result)],
    };
  }
}

function recordOf(
  file: { readonly node: string; readonly path: string; readonly bytes: number },
  result: CaptureResult | undefined,
): PcapFileRecord {
  const said = result?.nodes.find((node) => node.name === file.node);
  if (!result || !said) return { ...file, complete: false };
  const { packets, kernelDropped, unread, overLimit, error } = said;
  const lost = kernelDropped + unread + overLimit;
  const complete = result.whole && lost === 0 && error === undefined && said.bytes === file.bytes;
  return { ...file, packets, kernelDropped, unread, overLimit, complete };
}

function nodeProblems(result: CaptureResult | undefined): string[] {
  return (result?.nodes ?? []).flatMap(({ name, error }) =>
    error === undefined ? [] : [`node ${name}: ${error}`],
  );
}
