import { SquallError } from '../errors/index.ts';
import type { NodeRecord, RecordedEvent } from '../record/index.ts';
import type { AddressedNode, ImageSource } from '../topology/index.ts';
import { nowNs } from './monotonic.ts';
import { NodeLog } from './node-log.ts';
import type { LineListener, StartedNode } from './types.ts';

/** What a node's image resolved to. */
export interface NodeImage {
  readonly reference: string;
  readonly imageId: string;
}

export interface NodeExit {
  readonly code: number;
  readonly oomKilled: boolean;
  /** A fault of ours, or the bed's removal, asked for it. */
  readonly expected: boolean;
  readonly atNs: number;
  /** Why, as far as can be known: 137 alone says only that somebody sent SIGKILL. */
  readonly cause: string;
}

export type Environment = Readonly<Record<string, string>>;

/** What became of a node since its bed was started, which neither its plan nor the engine knows. */
export interface NodeLegacy {
  readonly variant?: string;
  readonly baseline: Environment;
  readonly wanted: Environment;
  readonly created: Environment;
}

/** A watcher sees what a node does until it takes itself off again. */
export interface NodeWatcher {
  onEvent?(event: RecordedEvent): void;
  onLine?(line: string): void;
  onExit?(exit: NodeExit): void;
  onBegan?(): void;
}

/** The image as a topology writes it: `memberlist-node@both`, `ant-node:0.23.1`, `busybox:1.36`. */
export function imageText(source: ImageSource): string {
  if (source.kind === 'reference') return source.reference;
  return `${source.name}${source.version ? `:${source.version}` : ''}${source.variant ? `@${source.variant}` : ''}`;
}

/** One container of a bed with what we know of its life: process, readiness, exit, log. */
export class LiveNode {
  readonly plan: AddressedNode;
  image: NodeImage;
  /** What it runs: another than the plan's once it was started again as something else. */
  source: ImageSource;
  readonly log: NodeLog;
  containerId = '';
  pid = 0;
  startedNs = 0;
  readyNs = 0;
  exit: NodeExit | undefined;
  /** The environment of the last reset of the bed (or of its start): what a fault that changed it goes back to. */
  baseline: Environment;
  /** What the process should have now, and what its container was created with: they differ after a reset. */
  wanted: Environment;
  created: Environment;
  /** Set by `reset` when it asked for another variant. */
  variant: string | undefined;
  readonly #exitReasons = new Set<{ readonly why: string }>();
  readonly #watchers = new Set<NodeWatcher>();

  constructor(options: {
    readonly plan: AddressedNode;
    readonly image: NodeImage;
    readonly onEvent: (event: RecordedEvent) => void;
    readonly onLine: LineListener;
  }) {
    this.plan = options.plan;
    this.image = options.image;
    this.source = options.plan.image;
    this.baseline = options.plan.environment;
    this.wanted = this.baseline;
    this.created = this.baseline;
    this.variant = options.plan.image.kind === 'ours' ? options.plan.image.variant : undefined;
    this.log = new NodeLog({
      node: options.plan.name,
      adapters: options.plan.adapters,
      onLine: options.onLine,
      onText: (line) => {
        for (const watcher of [...this.#watchers]) watcher.onLine?.(line);
      },
      onEvent: (event) => {
        options.onEvent(event);
        for (const watcher of [...this.#watchers]) watcher.onEvent?.(event);
      },
    });
  }

  /** Whether the container's own environment says something else than its process should have. */
  get isOverridden(): boolean {
    const names = new Set([...Object.keys(this.wanted), ...Object.keys(this.created)]);
    return [...names].some((name) => this.wanted[name] !== this.created[name]);
  }

  /** For the next owner of a living bed, who hands it to `inherit`. */
  get legacy(): NodeLegacy {
    const { variant, baseline, wanted, created } = this;
    return { ...(variant === undefined ? {} : { variant }), baseline, wanted, created };
  }

  inherit(legacy: NodeLegacy): void {
    this.variant = legacy.variant;
    this.baseline = legacy.baseline;
    this.wanted = legacy.wanted;
    this.created = legacy.created;
  }

  get name(): string {
    return this.plan.name;
  }

  get address(): string {
    return this.plan.address;
  }

  watch(watcher: NodeWatcher): () => void {
    this.#watchers.add(watcher);
    return () => this.#watchers.delete(watcher);
  }

  /** From now on the process may end without that being a crash, until what is returned is called. */
  expectExit(why: string): () => void {
    const reason = { why };
    this.#exitReasons.add(reason);
    return () => this.#exitReasons.delete(reason);
  }

  /** Why the process may end, if it may. */
  get expectedExit(): string | undefined {
    return [...this.#exitReasons][0]?.why;
  }

  ended(exit: NodeExit): void {
    this.exit = exit;
    for (const watcher of [...this.#watchers]) watcher.onExit?.(exit);
  }

  /** A new process in the same container (restart) or the first one. */
  began(pid: number): void {
    this.pid = pid;
    this.startedNs = nowNs();
    this.exit = undefined;
    for (const watcher of [...this.#watchers]) watcher.onBegan?.();
  }

  describe(): StartedNode {
    const { plan } = this;
    return {
      name: plan.name,
      role: plan.role,
      index: plan.index,
      labels: plan.labels,
      address: this.address,
      ...(plan.adminPort === undefined ? {} : { adminPort: plan.adminPort }),
      containerId: this.containerId,
      pid: this.pid,
      image: imageText(this.source),
      imageId: this.image.imageId,
      imageKind: this.source.kind,
      ...(this.variant === undefined ? {} : { variant: this.variant }),
      startedNs: this.startedNs,
      readyNs: this.readyNs,
    };
  }

  record(): NodeRecord {
    const { exit, variant } = this;
    return {
      name: this.name,
      role: this.plan.role,
      image: imageText(this.source),
      imageId: this.image.imageId,
      ...(variant === undefined ? {} : { variant }),
      address: this.address,
      containerId: this.containerId,
      startedNs: this.startedNs,
      readyNs: this.readyNs,
      ...(exit
        ? { exit: { code: exit.code, oomKilled: exit.oomKilled, expected: exit.expected, atNs: exit.atNs } }
        : {}),
    };
  }

  /** The error of a node that died before it was wanted to. */
  exitError(exit: NodeExit, doing: string): SquallError {
    const tail = this.log.tail(12);
    return new SquallError(
      `node ${this.name}: ended with code ${exit.code} (${exit.cause}) ${doing}; ` +
        (tail.length > 0 ? `its last lines:\n${indent(tail)}` : 'it wrote no line.'),
      {
        code: 'node-exited',
        facts: { node: this.name, image: this.image.reference, ...exit, lastLines: tail },
        hint: 'Mend the image, its settings or its resources and start again.',
      },
    );
  }
}

function indent(lines: readonly string[]): string {
  // A node's bytes are hostile to a terminal: control characters are shown, never sent.
  return lines.map((line) => `    ${showControl(line)}`).join('\n');
}

/** Makes control characters visible, so that a node's line cannot drive the terminal it is printed on. */
export function showControl(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g, (character) => {
    return character === '\t' ? ' ' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
