import type { AttachedProcess } from '../../engine/index.ts';
import { monotonicNs } from '../time-budget.ts';
import { FakeCapture } from './fake-capture.ts';
import { FakeFault } from './fake-fault.ts';
import { LineQueue } from './line-queue.ts';
import type { RedirectRule, WireFault } from './protocol.ts';

/** Packets that a test pretends to see at a node. */
export interface FakeTraffic {
  readonly node: string;
  readonly direction: 'in' | 'out';
  readonly protocol: 'udp' | 'tcp';
  readonly peer?: string;
  readonly port?: number;
  readonly packets: number;
}

type Answer = Readonly<Record<string, unknown>>;

/**
 * The packet agent's protocol without a kernel: same requests, same answers and events, with counts from pretended
 * traffic. Unit tests of this room and of others use it; the parity test holds it to what the real agent does.
 */
export class FakeAgent {
  readonly process: AttachedProcess;
  readonly requests: { readonly op: string; readonly [key: string]: unknown }[] = [];
  readonly #lines = new LineQueue();
  readonly #errorLines = new LineQueue();
  readonly #nodes = new Set<string>();
  readonly #faults = new Map<string, FakeFault>();
  #redirects: (RedirectRule & { connections: number })[] = [];
  #capture: FakeCapture | undefined;
  #hangs = false;
  #noticeEnd: () => void = () => undefined;
  readonly #ended = new Promise<void>((resolve) => {
    this.#noticeEnd = resolve;
  });
  /** Answers of nodes' admin ports; a test replaces it. */
  onHttp: (request: Answer) => { readonly status: number; readonly body: string } = () => ({
    status: 200,
    body: '{}',
  });
  /** Address that `enroll` answers for a node. */
  addressOf: (name: string) => string = () => '198.18.0.2';
  /** When set, requests of this op are refused with this code. */
  readonly refuse = new Map<string, string>();
  /** What `capture-stop` says of a node besides the bytes that were read, e.g. `{unread: 3}`. */
  readonly captureCounts = new Map<string, Readonly<Record<string, unknown>>>();

  constructor() {
    this.process = {
      write: (line) => this.#receive(line),
      lines: this.#lines,
      errorLines: this.#errorLines,
      endInput: () => this.#end(),
      ended: this.#ended,
      close: () => this.#end(),
    };
  }

  /** Pretends that connections of a node were redirected. */
  connect(node: string, dstIp: string, connections: number): void {
    for (const rule of this.#redirects) {
      if (rule.node === node && rule.dstIp === dstIp) rule.connections += connections;
    }
  }

  /** Pretends that packets pass a node. */
  traffic(traffic: FakeTraffic): void {
    for (const fault of this.#faults.values()) fault.meet(traffic);
  }

  /** Adds to a fault's counts what no pretended packet can cause, e.g. `{overflowed: 1}`. */
  count(id: string, node: string, counts: Readonly<Record<string, number>>): void {
    this.#faults.get(id)?.add(node, counts);
  }

  /** Pretends that so many bytes of a node's file were captured; nothing when no capture runs. */
  captured(node: string, bytes: Buffer): void {
    if (this.#capture && !this.#capture.stopped) this.#capture.add(node, bytes);
  }

  /** Resolves once the reader of a capture asks for more than it was given. */
  async captureAskedOn(): Promise<void> {
    await this.#capture?.askedOn;
  }

  /** As if the agent had been killed. */
  die(): void {
    this.#hangs = true;
    this.#end();
  }

  /** As if the agent had been stopped: it takes requests and answers none. */
  hang(): void {
    this.#hangs = true;
  }

  say(line: string): void {
    this.#lines.push(line);
  }

  #end(): void {
    for (const fault of this.#faults.values()) fault.cancel();
    this.#lines.end();
    this.#errorLines.end();
    this.#noticeEnd();
  }

  #receive(line: string): void {
    const { id, op, ...params } = JSON.parse(line) as { id: number; op: string; [key: string]: unknown };
    this.requests.push({ op, ...params });
    if (this.#hangs) return;
    setImmediate(() => void this.#reply(id, op, params));
  }

  async #reply(id: number, op: string, params: Readonly<Record<string, unknown>>): Promise<void> {
    const refusal = this.refuse.get(op);
    try {
      if (refusal !== undefined) throw new FakeRefusal(refusal, 'a test wants it refused');
      this.#say({ id, ok: true, ...(await this.#answer(op, params)) });
    } catch (error) {
      const code = error instanceof FakeRefusal ? error.code : 'internal';
      this.#say({ id, ok: false, error: { code, message: String(error) } });
    }
    if (op === 'bye') this.#end();
  }

  #answer(op: string, params: Readonly<Record<string, unknown>>): Answer | Promise<Answer> {
    const ids = params.ids as readonly string[] | undefined;
    switch (op) {
      case 'hello':
        return {
          version: 'fake',
          pid: 1,
          monoNs: monotonicNs(),
          capabilities: { nfqueue: { ok: true }, nftTable: { ok: true }, rawSocket: { ok: true } },
        };
      case 'enroll': {
        const nodes = params.nodes as readonly { name: string }[];
        for (const { name } of nodes) this.#nodes.add(name);
        return {
          nodes: nodes.map(({ name }) => ({ name, startTime: 1, ip: this.addressOf(name), sweptTables: [] })),
        };
      }
      case 'arm':
        return this.#arm(params.faults as readonly WireFault[]);
      case 'apply':
        return this.#apply(ids ?? [], params as { afterMs?: number; forMs?: number });
      case 'lift':
        return this.#liftAll(ids ?? []);
      case 'disarm':
        for (const id of ids ?? []) {
          this.#lift(id);
          this.#faults.delete(id);
        }
        return {};
      case 'witness':
        for (const id of ids ?? []) this.#require(id);
        return {
          atNs: monotonicNs(),
          faults: [...this.#faults.values()]
            .filter((fault) => ids === undefined || ids.length === 0 || ids.includes(fault.wire.id))
            .map((fault) => ({ id: fault.wire.id, state: fault.state, perNode: fault.perNode() })),
        };
      case 'snapshot':
        return {
          atNs: monotonicNs(),
          nodes: [...this.#nodes].map((name) => ({ name, running: true, waiting: 0 })),
          faults: [...this.#faults.values()].map((fault) => ({
            id: fault.wire.id,
            kind: fault.wire.kind,
            state: fault.state,
            nodes: fault.wire.nodes,
          })),
          redirects: this.#redirects,
        };
      case 'http':
        return { headers: {}, encoding: 'utf8', ...this.onHttp(params) };
      case 'redirect':
        this.#redirects.push(
          ...(params.rules as RedirectRule[]).map((rule) => ({ ...rule, connections: 0 })),
        );
        return {};
      case 'unredirect': {
        const gone = new Set((params.rules as RedirectRule[]).map(sourceOf));
        this.#redirects = this.#redirects.filter((rule) => !gone.has(sourceOf(rule)));
        return {};
      }
      case 'capture':
        return this.#startCapture(params.nodes as readonly string[]);
      case 'capture-read':
        return this.#requireCapture().read();
      case 'capture-stop':
        return this.#requireCapture().stop(monotonicNs(), this.captureCounts);
      case 'release':
      case 'bye':
        return {};
      default:
        throw new FakeRefusal('unknown-op', `unknown op ${op}`);
    }
  }

  #startCapture(nodes: readonly string[]): Answer {
    const stranger = nodes.find((node) => !this.#nodes.has(node));
    if (stranger !== undefined) throw new FakeRefusal('unknown-node', `node ${stranger} is not enrolled`);
    if (this.#capture && !this.#capture.stopped) {
      throw new FakeRefusal('capture-running', 'a capture runs already');
    }
    this.#capture = new FakeCapture(nodes);
    return { atNs: monotonicNs(), utcMinusMonotonicUs: Math.round(Date.now() * 1e3 - monotonicNs() / 1e3) };
  }

  #requireCapture(): FakeCapture {
    if (!this.#capture || this.#capture.over) throw new FakeRefusal('no-capture', 'nothing is captured');
    return this.#capture;
  }

  #arm(faults: readonly WireFault[]): Answer {
    for (const wire of faults) {
      const stranger = wire.nodes.find((node) => !this.#nodes.has(node));
      if (stranger !== undefined) throw new FakeRefusal('unknown-node', `node ${stranger} is not enrolled`);
      if (this.#faults.has(wire.id))
        throw new FakeRefusal('fault-exists', `fault ${wire.id} is armed already`);
    }
    for (const wire of faults) this.#faults.set(wire.id, new FakeFault(wire));
    const nodes = [...new Set(faults.flatMap((fault) => fault.nodes))];
    return { nodes: nodes.map((name) => ({ name, passP50Us: 0, passP99Us: 0 })) };
  }

  #apply(ids: readonly string[], timing: { afterMs?: number; forMs?: number }): Answer {
    const faults = ids.map((id) => this.#require(id));
    const early = faults.find((fault) => fault.state !== 'armed');
    if (early) throw new FakeRefusal('not-armed', `fault ${early.wire.id} is ${early.state}`);
    const atNs = monotonicNs() + (timing.afterMs ?? 0) * 1e6;
    for (const fault of faults) {
      fault.apply(timing, {
        applied: () => this.#tell('applied', { id: fault.wire.id, atNs }),
        due: () => this.#lift(fault.wire.id),
      });
    }
    return { atNs, ...(timing.forMs === undefined ? {} : { liftsAtNs: atNs + timing.forMs * 1e6 }) };
  }

  #require(id: string): FakeFault {
    const fault = this.#faults.get(id);
    if (!fault) throw new FakeRefusal('unknown-fault', `fault ${id} is not armed`);
    return fault;
  }

  #liftAll(ids: readonly string[]): Answer {
    const known = ids.filter((id) => this.#faults.has(id));
    for (const id of known) this.#lift(id);
    return {
      lifted: Object.fromEntries(known.map((id) => [id, { atNs: monotonicNs() }])),
      unknown: ids.filter((id) => !known.includes(id)),
    };
  }

  #lift(id: string): void {
    const fault = this.#faults.get(id);
    if (!fault) return;
    const atNs = monotonicNs();
    if (fault.lift()) this.#tell('lifted', { id, atNs, drainedNs: atNs, perNode: fault.releases(atNs) });
  }

  #tell(event: string, fields: Answer): void {
    this.#say({ event, monoNs: monotonicNs(), ...fields });
  }

  #say(message: Answer): void {
    this.#lines.push(JSON.stringify(message));
  }
}

function sourceOf(rule: RedirectRule): string {
  return `${rule.node} ${rule.dstIp}:${rule.dstPort}`;
}

class FakeRefusal extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
