import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A fault as a course's step names it. */
interface Disturbance {
  readonly on?: readonly string[];
  readonly from?: readonly string[];
  readonly to?: readonly string[];
}

interface Line {
  readonly from: string;
  readonly to: string;
  sever(): void;
  /** What is there when it may speak again. */
  speak(): void;
  hush(): void;
}

/**
 * Stands before nodes of a loopback bed, so that what is sent to them can go unheard, as with packets that vanish: nobody is
 * told, and TCP delivers it when it is over. Whom a node sees is the caller's own address.
 */
export class LoopbackNetwork {
  readonly #servers: Server[] = [];
  readonly #lines = new Set<Line>();
  readonly #silences = new Map<string, Disturbance>();
  readonly #hangUps = new Map<string, Disturbance>();
  readonly #names = new Map<string, string>();
  readonly #standIns = new Map<
    string,
    { readonly address: string; readonly ports: ReadonlyMap<string, number> }
  >();

  /** Connections to a node's listed port go to the one that it listens at. */
  async stand(
    node: { readonly name: string; readonly address: string },
    listed: number,
    own: number,
  ): Promise<void> {
    this.name(node.name, node.address);
    const server = createServer({ allowHalfOpen: true }, (caller) => this.#carry(caller, node, own));
    this.#servers.push(server);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(listed, node.address, () => resolve());
    });
    if ((server.address() as AddressInfo).port !== listed)
      throw new Error(`${node.name}: not at port ${listed}`);
  }

  name(name: string, address: string): void {
    this.#names.set(address, name);
  }

  begin(id: string, disturbance: Disturbance): void {
    this.#silences.set(id, disturbance);
    for (const line of this.#lines) if (this.#isSilent(line)) line.hush();
  }

  /** Somebody else answers for these nodes, at the port that it has for each; what is open to them is severed. */
  standIn(id: string, address: string, ports: ReadonlyMap<string, number>): void {
    this.#standIns.set(id, { address, ports });
    this.#severTo(ports);
  }

  /** New connections are ended, in an orderly way, as soon as they speak. */
  hangUp(id: string, disturbance: Disturbance): void {
    this.#hangUps.set(id, disturbance);
  }

  end(id: string): void {
    this.#hangUps.delete(id);
    const standIn = this.#standIns.get(id);
    this.#standIns.delete(id);
    if (standIn) this.#severTo(standIn.ports);
    this.#silences.delete(id);
    for (const line of this.#lines) if (!this.#isSilent(line)) line.speak();
  }

  async close(): Promise<void> {
    const closed = this.#servers.map((server) => new Promise((resolve) => server.close(resolve)));
    for (const line of this.#lines) line.sever();
    await Promise.all(closed);
  }

  #severTo(ports: ReadonlyMap<string, number>): void {
    for (const line of [...this.#lines]) if (ports.has(line.to)) line.sever();
  }

  #isSilent(line: Pick<Line, 'from' | 'to'>): boolean {
    return [...this.#silences.values()].some((one) => concerns(one, line));
  }

  #carry(caller: Socket, node: { readonly name: string; readonly address: string }, port: number): void {
    const from = this.#names.get(caller.remoteAddress ?? '') ?? '';
    if ([...this.#hangUps.values()].some((one) => concerns(one, { from, to: node.name }))) {
      caller.on('error', () => caller.destroy());
      caller.once('data', () => caller.end());
      return;
    }
    let called: Socket | undefined;
    const end = (): void => {
      this.#lines.delete(line);
      caller.destroy();
      called?.destroy();
    };
    const call = (): void => {
      if (called) return;
      const standIn = [...this.#standIns.values()].find(({ ports }) => ports.has(node.name));
      const host = standIn?.address ?? node.address;
      called = connect({
        host,
        port: standIn?.ports.get(node.name) ?? port,
        localAddress: caller.remoteAddress as string,
        allowHalfOpen: true,
      });
      called.on('error', end);
      called.once('close', end);
      caller.pipe(called);
      called.pipe(caller);
    };
    const line: Line = {
      from,
      to: node.name,
      sever: end,
      speak: () => {
        if (!called) call();
        else {
          caller.pipe(called);
          called.pipe(caller);
        }
      },
      hush: () => {
        if (!called) return;
        caller.unpipe(called);
        called.unpipe(caller);
        caller.pause();
        called.pause();
      },
    };
    caller.on('error', end);
    caller.once('close', end);
    this.#lines.add(line);
    if (!this.#isSilent(line)) call();
  }
}

function concerns({ on, from, to }: Disturbance, line: Pick<Line, 'from' | 'to'>): boolean {
  const whole = on?.some((name) => name === line.from || name === line.to) ?? false;
  return whole || ((from?.includes(line.from) && to?.includes(line.to)) ?? false);
}
