import type { IncomingMessage } from 'node:http';
import type Dockerode from 'dockerode';
import { SquallError } from '../errors/index.ts';
import { call, DEADLINE_MS } from './call.ts';
import { labelFilter } from './docker-containers.ts';
import { hasCode, toEngineError } from './engine-errors.ts';
import { LineAssembler } from './line-assembler.ts';
import { findCredentials } from './registry-credentials.ts';
import type { Engine } from './types.ts';

type ImageSummary = Awaited<ReturnType<Engine['listImages']>>[number];

/** How long the engine may take to say whether a registry answers. */
const REGISTRY_DEADLINE_MS = 5_000;

/** Kept of a build's log in the error; the whole of it goes to `onLog`. */
const LOG_TAIL_LINES = 60;

interface ProgressLine {
  readonly stream?: string;
  readonly status?: string;
  readonly id?: string;
  readonly progress?: string;
  readonly error?: string;
  readonly errorDetail?: { readonly message?: string };
  readonly aux?: { readonly ID?: string };
}

/** Reads the JSON lines that pull, build and import answer with; a failure comes as a line, under HTTP 200. */
async function readProgress(
  what: string,
  stream: NodeJS.ReadableStream,
  onLine: (line: ProgressLine) => void,
): Promise<void> {
  let failure: string | undefined;
  const lines = new LineAssembler((text) => {
    if (text.trim() === '') return;
    const line = JSON.parse(text) as ProgressLine;
    failure ??= line.errorDetail?.message ?? line.error;
    onLine(line);
  });
  for await (const chunk of stream) lines.push(Buffer.from(chunk as Uint8Array));
  lines.end();
  if (failure !== undefined) throw toEngineError(what, { statusCode: 500, message: failure });
}

/** Images: asked for, pulled, built, removed. */
export class DockerImages {
  readonly #docker: Dockerode;

  constructor(docker: Dockerode) {
    this.#docker = docker;
  }

  async inspect(reference: string): Promise<Dockerode.ImageInspectInfo | undefined> {
    try {
      return await call(`image ${reference}`, { deadlineMs: DEADLINE_MS.look, idempotent: true }, () =>
        this.#docker.getImage(reference).inspect(),
      );
    } catch (error) {
      if (hasCode(error, 'image-not-found')) return undefined;
      throw error;
    }
  }

  async list(labels: readonly string[]): Promise<readonly ImageSummary[]> {
    const listed = await call(
      'image list',
      { deadlineMs: DEADLINE_MS.look, idempotent: true },
      (abortSignal) => this.#docker.listImages({ filters: JSON.stringify(labelFilter(labels)), abortSignal }),
    );
    return listed.map((image) => ({
      id: image.Id,
      tags: (image.RepoTags ?? []).filter((tag) => tag !== '<none>:<none>'),
      sizeBytes: image.Size,
      labels: image.Labels ?? {},
    }));
  }

  async remove(reference: string): Promise<void> {
    try {
      await call(`image ${reference}`, { deadlineMs: DEADLINE_MS.act }, (abortSignal) =>
        this.#docker.getImage(reference).remove({ abortSignal }),
      );
    } catch (error) {
      if (!hasCode(error, 'image-not-found')) throw error;
    }
  }

  async tag(reference: string, tag: string): Promise<void> {
    const { repository, version } = splitTag(tag);
    await call(`image ${reference}`, { deadlineMs: DEADLINE_MS.look }, (abortSignal) =>
      this.#docker.getImage(reference).tag({ repo: repository, tag: version, abortSignal }),
    );
  }

  /** Asked through the engine, because its mirrors, proxies and credentials are what a pull would use. */
  async whyNotPullable(reference: string, signal?: AbortSignal): Promise<string | undefined> {
    try {
      const authconfig = await findCredentials(reference);
      await call(`image ${reference}`, { deadlineMs: REGISTRY_DEADLINE_MS, signal }, (abortSignal) =>
        this.#docker.getImage(reference).distribution({ abortSignal, ...(authconfig && { authconfig }) }),
      );
      return undefined;
    } catch (error) {
      signal?.throwIfAborted();
      return error instanceof SquallError ? error.message : String(error);
    }
  }

  async pull(reference: string, onProgress: (text: string) => void, signal?: AbortSignal): Promise<void> {
    const what = `image ${reference}, pull`;
    const { repository, version } = splitTag(reference);
    const credentials = await findCredentials(reference);
    await call(what, { deadlineMs: DEADLINE_MS.build, signal }, async (abortSignal) => {
      const options = { fromImage: repository, tag: version, abortSignal };
      const stream = await this.#docker.createImage(credentials as object, options as object);
      await readProgress(what, stream, (line) => {
        if (line.status) onProgress([line.id, line.status, line.progress].filter(Boolean).join(' '));
      });
    });
  }

  async build(
    tar: NodeJS.ReadableStream,
    options: Parameters<Engine['buildImage']>[1],
    onLog: (text: string) => void,
  ): Promise<string> {
    const what = `image ${options.tag}, build`;
    const tail: string[] = [];
    try {
      return await call(what, { deadlineMs: DEADLINE_MS.build }, async (abortSignal) => {
        const stream = await this.#docker.buildImage(tar, {
          t: options.tag,
          dockerfile: options.dockerfile,
          labels: { ...options.labels },
          forcerm: true,
          abortSignal,
        });
        await readProgress(what, stream, (line) => {
          const text = line.stream ?? (line.status ? `${line.status}\n` : '');
          if (!text) return;
          onLog(text);
          tail.push(text);
          if (tail.length > LOG_TAIL_LINES) tail.shift();
        });
        return this.#requireId(options.tag);
      });
    } catch (error) {
      const failed = toEngineError(what, error);
      throw new SquallError(failed.message, {
        code: failed.code === 'engine-refused' ? 'image-build-failed' : failed.code,
        facts: { ...failed.facts, log: tail.join('') },
        ...(failed.hint ? { hint: failed.hint } : {}),
        cause: error,
      });
    }
  }

  async importTar(
    tar: NodeJS.ReadableStream,
    options: Parameters<Engine['importImage']>[1],
  ): Promise<string> {
    const what = `image ${options.tag}, import`;
    const { repository, version } = splitTag(options.tag);
    const labels = Object.entries(options.labels).map(
      ([name, value]) => `LABEL ${JSON.stringify(name)}=${JSON.stringify(value)}`,
    );
    return call(what, { deadlineMs: DEADLINE_MS.build }, async (abortSignal) => {
      const stream = await this.#stream({
        path: '/images/create?',
        method: 'POST',
        file: tar,
        abortSignal,
        statusCodes: { 200: true, 400: 'bad parameter', 404: 'not found', 500: 'server error' },
        options: {
          fromSrc: '-',
          repo: repository,
          tag: version,
          changes: [...options.changes, ...labels],
        },
      });
      await readProgress(what, stream, () => undefined);
      return this.#requireId(options.tag);
    });
  }

  async save(references: readonly string[], signal?: AbortSignal): Promise<NodeJS.ReadableStream> {
    return await call('image archive', { deadlineMs: DEADLINE_MS.act, signal }, (abortSignal) =>
      this.#stream({
        path: '/images/get?',
        method: 'GET',
        statusCodes: { 200: true, 404: 'No such image', 500: 'server error' },
        options: { names: [...references] },
        ...(signal && { abortSignal }),
      }),
    );
  }

  async load(tar: NodeJS.ReadableStream, signal?: AbortSignal): Promise<readonly string[]> {
    const loaded: string[] = [];
    await call('image archive, load', { deadlineMs: DEADLINE_MS.build, signal }, async (abortSignal) => {
      const stream = await this.#stream({
        path: '/images/load?',
        method: 'POST',
        file: tar,
        abortSignal,
        statusCodes: { 200: true, 400: 'bad parameter', 500: 'server error' },
        options: { quiet: true },
      });
      await readProgress('image archive, load', stream, ({ stream: text }) => {
        const reference = /^Loaded image(?: ID)?: (\S+)/.exec(text ?? '')?.[1];
        if (reference) loaded.push(reference);
      });
    });
    return loaded;
  }

  #stream(dial: object): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      this.#docker.modem.dial(
        { isStream: true, ...dial } as Parameters<Dockerode['modem']['dial']>[0],
        (error: unknown, answer: unknown) => (error ? reject(error) : resolve(answer as IncomingMessage)),
      );
    });
  }

  async #requireId(tag: string): Promise<string> {
    const found = await this.inspect(tag);
    if (!found)
      throw new SquallError(`image ${tag}: not there after it was made`, { code: 'image-build-failed' });
    return found.Id;
  }
}

/** `host:5000/name:version` → repository and version; a digest stays with the repository, as the engine wants it. */
export function splitTag(reference: string): { readonly repository: string; readonly version: string } {
  if (reference.includes('@')) return { repository: reference, version: '' };
  const colon = reference.lastIndexOf(':');
  if (colon < 0 || reference.indexOf('/', colon) > 0) return { repository: reference, version: 'latest' };
  return { repository: reference.slice(0, colon), version: reference.slice(colon + 1) };
}
